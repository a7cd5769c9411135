// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import KernelBluetooth
import Radio

/// Reads what `MachineFacts` is made of. Nothing is changed.
protocol MachineReader: Sendable {
    /// bluetoothd, the interfaces of its adapters by their names, and the properties of the devices of each.
    typealias DaemonState = (
        facts: MachineFacts.Daemon, adapters: [String: [String: DBusValue]], devices: [String: [[String: DBusValue]]]
    )

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
    func kernelMessages() -> [KernelMessage]?
    /// The seconds since the start of the machine, on the clock of these messages.
    var now: Double { get }
    /// The file of this program.
    var program: MachineFacts.ProgramFile { get }
    /// Whether a controller is up; `nil` if that is unknown.
    func isUp(_ adapter: String) -> Bool?
    /// The programs that use controllers, except bluetoothd and this one, as far as they may be read.
    func controllerUsers() -> [MachineFacts.Process]
    /// The instances that killed runs of this user have left on an adapter, which has this address, since a time, in seconds
    /// since 1970.
    func leftoverInstances(of adapter: String, address: String?, since time: Double) -> [UInt8]
    /// bluetoothd on the system bus.
    func daemon() async -> DaemonState
    /// The replies to Read Controller Information and Read Advertising Features (mgmt-api, 0x0004 and 0x003D); `nil` for
    /// one that the kernel refuses.
    func controller(_ index: UInt16) async -> (information: [UInt8]?, features: [UInt8]?)
}

extension MachineFacts {
    /// Reads the facts of this machine; nothing is changed.
    /// - Parameter leftovers: the entries that killed runs of this user have left in the ledgers since a time, in seconds since
    ///   1970, by their keys.
    package static func read(
        leftovers: @escaping @Sendable (_ since: Double) -> [String: [String]] = { _ in [:] }
    ) async -> MachineFacts {
        await read(from: ThisMachine(leftovers: leftovers))
    }

    /// The messages of the kernel about Bluetooth; `nil` if they may not be read.
    package static func readKernelLog() -> [KernelMessage]? { KernelLog.read().map(KernelLog.ofBluetooth) }

    /// The seconds since the start of the machine, on the clock of the kernel's messages.
    package static var now: Double { KernelLog.now }

    /// Reads facts.
    static func read(from reader: some MachineReader) async -> MachineFacts {
        var facts = MachineFacts()
        facts.kernel = reader.text(of: "/proc/sys/kernel/osrelease").flatMap(firstLine) ?? ""
        facts.kernelHasBluetooth = reader.kernelHasBluetooth
        let board = reader.text(of: "/proc/device-tree/model") ?? reader.text(of: "/sys/class/dmi/id/product_name")
        facts.board = board.flatMap(firstLine)
        facts.system = reader.text(of: "/etc/os-release").flatMap(prettyName)
        (facts.mayManage, facts.mayMonitor) = reader.rights
        facts.program = reader.program
        facts.controllerMode = reader.text(of: "/etc/bluetooth/main.conf").flatMap(controllerMode)
        facts.time = reader.now
        facts.kernelLog = reader.kernelMessages().map(KernelLog.ofBluetooth)
        let (daemon, managed, devices) = await reader.daemon()
        facts.daemon = daemon
        let names = Set(reader.adapterNames).union(managed.keys)
        for name in names.sorted(by: { number($0) < number($1) }) {
            var adapter = await adapter(name, managed[name], from: reader)
            adapter.identity.isUnbrandedClone = KernelLog.reportsClone(adapter.name, in: facts.kernelLog ?? [])
            let list = reader.text(of: "/sys/kernel/debug/bluetooth/\(name)/device_list")
            adapter.take(devices[name] ?? [], awaited: list)
            // bluetoothd removes all instances when it starts.
            adapter.leftoverInstances = reader.leftoverInstances(
                of: name, address: adapter.address, since: daemon.started ?? 0)
            facts.adapters.append(adapter)
        }
        if !facts.adapters.allSatisfy(\.isManaged) { facts.controllerUsers = reader.controllerUsers() }
        return facts
    }

    private static func adapter(
        _ name: String, _ interfaces: [String: DBusValue]?, from reader: some MachineReader
    ) async -> Adapter {
        var adapter = Adapter(name)
        adapter.block = reader.block(of: name)
        adapter.isUp = reader.isUp(name)
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

    /// `ControllerMode` of main.conf, the last one that is set.
    static func controllerMode(_ text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        let key = "ControllerMode="
        return lines.last { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
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
        supportsLowEnergy = information.supportedSettings.contains(.lowEnergy)
        isLowEnergyOn = settings.contains(.lowEnergy)
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

extension MachineFacts.Adapter {
    /// The services whose devices bluetoothd connects to by itself: Human Interface Device.
    private static let awaitedService = "00001812-0000-1000-8000-00805f9b34fb"

    /// Takes the devices of bluetoothd, and the kernel's list of devices.
    /// - Parameter list: `device_list` of debugfs: a device a line, with how the kernel connects to each Low Energy
    ///   device (`hci_conn_params.auto_connect` of Linux: 0 not, 1 reports only, 2 to 5 connects); `nil` if it may
    ///   not be read.
    mutating func take(_ devices: [[String: DBusValue]], awaited list: String?) {
        connectedDevices = devices.filter { $0["Connected"]?.boolValue == true }
            .compactMap { $0["Address"]?.stringValue }
        if let list {
            isAwaitingForSure = true
            let awaited = list.split(separator: "\n").compactMap { line -> String? in
                let fields = line.split(separator: " ")
                guard fields.count == 4, let mode = Int(fields[3]), mode > 1 else { return nil }
                return fields[0].uppercased()
            }
            awaitedDevices = awaited.filter { !connectedDevices.contains($0) }
        } else {
            let away = devices.filter {
                $0["Paired"]?.boolValue == true && $0["Connected"]?.boolValue == false
                    && $0["UUIDs"]?.stringsValue?.contains(Self.awaitedService) == true
            }
            awaitedDevices = away.compactMap { $0["Address"]?.stringValue }
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
