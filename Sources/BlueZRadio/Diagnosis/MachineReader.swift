// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import DBus
import Glibc
import KernelBluetooth
import Radio

/// Reads what `MachineFacts` is made of. Nothing is changed.
protocol MachineReader: Sendable {
    /// bluetoothd, and the interfaces of its adapters by their names.
    typealias DaemonState = (facts: MachineFacts.Daemon, adapters: [String: [String: DBusValue]])

    /// Whether the kernel supports Bluetooth.
    var kernelHasBluetooth: Bool { get }
    /// The rights of this process: the management socket, and the traffic of the controllers.
    var rights: (mayManage: Bool, mayMonitor: Bool) { get }
    /// The adapters of the kernel, `hci0` and so on.
    var adapterNames: [String] { get }
    /// How rfkill blocks an adapter; `nil` if it does not.
    func block(of adapter: String) -> String?
    /// The text of a small file; `nil` if it cannot be read.
    func text(of path: String) -> String?
    /// The last part of the path behind a symbolic link; `nil` if there is none.
    func lastComponent(ofLink path: String) -> String?
    /// The messages of the kernel; `nil` if they may not be read.
    func kernelMessages() -> [String]?
    /// bluetoothd on the system bus.
    func daemon() async -> DaemonState
    /// The replies to Read Controller Information and Read Advertising Features (mgmt-api, 0x0004 and 0x003D); `nil` for
    /// one that the kernel refuses.
    func controller(_ index: UInt16) async -> (information: [UInt8]?, features: [UInt8]?)
}

extension MachineFacts {
    /// Reads the facts of this machine; nothing is changed.
    package static func read() async -> MachineFacts { await read(from: ThisMachine()) }

    /// The messages of the kernel about Bluetooth; `nil` if they may not be read.
    package static func readKernelLog() -> [String]? { ThisMachine().kernelMessages().map(KernelLog.lines) }

    /// Reads facts.
    static func read(from reader: some MachineReader) async -> MachineFacts {
        var facts = MachineFacts()
        facts.kernel = reader.text(of: "/proc/sys/kernel/osrelease").flatMap(firstLine) ?? ""
        facts.kernelHasBluetooth = reader.kernelHasBluetooth
        let board = reader.text(of: "/proc/device-tree/model") ?? reader.text(of: "/sys/class/dmi/id/product_name")
        facts.board = board.flatMap(firstLine)
        facts.system = reader.text(of: "/etc/os-release").flatMap(prettyName)
        (facts.mayManage, facts.mayMonitor) = reader.rights
        facts.kernelLog = reader.kernelMessages().map(KernelLog.lines)
        let (daemon, managed) = await reader.daemon()
        facts.daemon = daemon
        let names = Set(reader.adapterNames).union(managed.keys)
        for name in names.sorted(by: { number($0) < number($1) }) {
            var adapter = await adapter(name, managed[name], from: reader)
            adapter.identity.isUnbrandedClone = KernelLog.reportsClone(adapter.name, in: facts.kernelLog ?? [])
            facts.adapters.append(adapter)
        }
        return facts
    }

    private static func adapter(
        _ name: String, _ interfaces: [String: DBusValue]?, from reader: some MachineReader
    ) async -> Adapter {
        var adapter = Adapter(name)
        adapter.block = reader.block(of: name)
        adapter.identity = AdapterIdentity(of: name, from: reader)
        let (information, features) = await reader.controller(number(name))
        if let information { adapter.take(information: information) }
        if let interfaces { adapter.take(interfaces) }
        if let features { adapter.take(features: features) }
        return adapter
    }

    private static func number(_ name: String) -> UInt16 {
        UInt16(name.dropFirst(3)) ?? ManagementPacket.noController
    }

    private static func firstLine(_ text: String) -> String? {
        text.split { $0 == "\n" || $0 == "\0" }.first.map { String($0) }
    }

    private static func prettyName(_ text: String) -> String? {
        let key = "PRETTY_NAME="
        return text.split(separator: "\n").first { $0.hasPrefix(key) }.map {
            $0.dropFirst(key.count).filter { $0 != "\"" }
        }
    }
}

extension MachineFacts.Adapter {
    /// Takes the reply to Read Controller Information: address, version, manufacturer, supported and current settings.
    mutating func take(information: [UInt8]) {
        guard let information = try? ControllerInformation(parsing: information) else { return }
        address = information.address.description
        identity.version = information.version
        identity.manufacturer = information.manufacturer
        let settings = information.currentSettings
        isPowered = settings.contains(.powered)
        isConnectable = settings.contains(.connectable)
        isDiscoverable = settings.contains(.discoverable)
        hasOwnAdvertising = settings.contains(.advertising)
        isLowEnergyOnly = !information.supportedSettings.contains(.classic)
    }

    /// Takes the reply to Read Advertising Features.
    mutating func take(features: [UInt8]) {
        guard let features = try? AdvertisingFeatures(parsing: features) else { return }
        usedInstances = features.instances
        isExtended = features.isExtended
        instances = Int(features.maximumInstances)
    }

    /// Takes the properties of an adapter of bluetoothd.
    mutating func take(_ interfaces: [String: DBusValue]) {
        isManaged = true
        let adapter = interfaces[BlueZAdapter.interface]?.dictionaryValue ?? [:]
        // bluetoothd has the static address of an adapter without a public one.
        address = adapter["Address"]?.stringValue ?? address
        isPowered = adapter["Powered"]?.boolValue ?? isPowered
        isDiscoverable = adapter["Discoverable"]?.boolValue ?? isDiscoverable
        isDiscovering = adapter["Discovering"]?.boolValue
        guard let advertising = interfaces["org.bluez.LEAdvertisingManager1"]?.dictionaryValue else { return }
        isExtended = advertising["SupportedSecondaryChannels"]?.stringsValue?.isEmpty == false
        let active = advertising["ActiveInstances"]?.byteValue.map { Int($0) }
        activeInstances = active
        instances = advertising["SupportedInstances"]?.byteValue.map { Int($0) + (active ?? 0) }
        let capabilities = advertising["SupportedCapabilities"]?.dictionaryValue ?? [:]
        if let least = capabilities["MinTxPower"]?.int16Value, let greatest = capabilities["MaxTxPower"]?.int16Value {
            transmitPower = [Int(least), Int(greatest)]
        }
    }
}

extension AdapterIdentity {
    /// What sysfs has of an adapter.
    init(of name: String, from reader: some MachineReader) {
        let device = "/sys/class/bluetooth/\(name)/device"
        self.init(
            bus: reader.lastComponent(ofLink: "\(device)/subsystem"),
            driver: reader.lastComponent(ofLink: "\(device)/driver"))
        // The device is an interface of the USB device, whose folder is the one above.
        guard bus == "usb", let vendor = Self.number("\(device)/../idVendor", reader),
            let product = Self.number("\(device)/../idProduct", reader)
        else { return }
        usb = USB(
            vendor: vendor, product: product, release: Self.number("\(device)/../bcdDevice", reader),
            name: reader.text(of: "\(device)/../product")?.split(separator: "\n").first.map { String($0) })
    }

    private static func number(_ path: String, _ reader: some MachineReader) -> UInt16? {
        reader.text(of: path).flatMap { UInt16($0.filter(\.isHexDigit), radix: 16) }
    }
}

// MARK: - This machine

/// The machine on which the program runs.
struct ThisMachine: MachineReader {
    var kernelHasBluetooth: Bool { AdapterPresence.kernelHasBluetooth }

    var rights: (mayManage: Bool, mayMonitor: Bool) {
        let rights = ProcessRights.current
        return (
            rights.networkAdministration && BluetoothSocket.canOpen(.management),
            rights.rawNetwork && BluetoothSocket.canOpen(.monitor)
        )
    }

    var adapterNames: [String] { AdapterPresence.names }

    func block(of adapter: String) -> String? { AdapterPresence.block(of: adapter) }

    func text(of path: String) -> String? { SystemFile.text(path) }

    func lastComponent(ofLink path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved).split(separator: "/").last.map { String($0) }
    }

    func kernelMessages() -> [String]? { KernelLog.read() }

    func daemon() async -> DaemonState {
        // The kernel is not asked first: a service in place of bluetoothd does not need its Bluetooth.
        guard let connection = try? await DBusConnection.connect(to: .system) else {
            return (MachineFacts.Daemon(trouble: "the system bus cannot be used"), [:])
        }
        let state = await Self.daemon(on: connection)
        await connection.close()
        return state
    }

    private static func daemon(on connection: DBusConnection) async -> DaemonState {
        let daemon: BlueZDaemon
        do throws(RadioError) {
            daemon = try await BlueZDaemon.find(on: connection)
        } catch {
            return (MachineFacts.Daemon(trouble: error.message, isForbidden: error.code == .notPermitted), [:])
        }
        guard let objects = try? await daemon.objects() else {
            return (MachineFacts.Daemon(trouble: "bluetoothd does not answer"), [:])
        }
        var facts = MachineFacts.Daemon(isRunning: true, isExperimental: await daemon.isExperimental())
        var adapters: [String: [String: DBusValue]] = [:]
        for object in objects {
            guard let path = object.key.objectPathValue, let interfaces = object.value.dictionaryValue,
                let adapter = interfaces[BlueZAdapter.interface]?.dictionaryValue
            else { continue }
            adapters[path.lastComponent] = interfaces
            let version = adapter["Modalias"]?.stringValue.flatMap { BlueZVersion(modalias: $0) }
            facts.version = facts.version ?? version?.description
        }
        return (facts, adapters)
    }

    func controller(_ index: UInt16) async -> (information: [UInt8]?, features: [UInt8]?) {
        // Neither command needs a capability.
        guard let channel = try? ManagementChannel() else { return (nil, nil) }
        let information = try? await channel.command(.readControllerInformation, index: index)
        let features = try? await channel.command(.readAdvertisingFeatures, index: index)
        await channel.close()
        return (information, features)
    }
}
