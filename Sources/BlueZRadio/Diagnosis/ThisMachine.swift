// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import DBus
import FoundationEssentials
import Glibc
import KernelBluetooth
import Radio

/// The machine on which the program runs.
struct ThisMachine: MachineReader {
    /// What killed runs of this user have recorded since a time, in seconds since 1970, by the keys of the ledger.
    let leftovers: @Sendable (_ since: Double) -> [String: [String]]

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

    func isUp(_ adapter: String) -> Bool? { AdapterPresence.isUp(adapter) }

    func text(of path: String) -> String? { SystemFile.text(path) }

    func lastComponent(ofLink path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved).split(separator: "/").last.map { String($0) }
    }

    func kernelMessages() -> [KernelMessage]? { KernelLog.read() }

    var now: Double { KernelLog.now }

    // MARK: - Programs

    private static let executable = "/proc/self/exe"

    var program: MachineFacts.ProgramFile {
        var file = MachineFacts.ProgramFile()
        file.hasCapabilities = getxattr(Self.executable, "security.capability", nil, 0) > 0
        var system = statvfs()
        if statvfs(Self.executable, &system) == 0 { file.isOnNosuid = system.f_flag & UInt(ST_NOSUID) != 0 }
        let status = SystemFile.text("/proc/self/status") ?? ""
        file.forbidsNewPrivileges = status.split(separator: "\n").contains("NoNewPrivs:\t1")
        return file
    }

    /// The processes that own the sockets in /proc/net/hci; without root, only the processes of this user.
    func controllerUsers() -> [MachineFacts.Process] {
        let table = SystemFile.text("/proc/net/hci")?.split(separator: "\n").dropFirst() ?? []
        // sk RefCnt Rmem Wmem User Inode Parent
        let sockets = Set(table.map { $0.split(separator: " ") }.filter { $0.count > 5 }.map { "socket:[\($0[5])]" })
        guard !sockets.isEmpty else { return [] }
        return SystemFile.names(in: "/proc").compactMap { Int32($0) }.sorted().compactMap { process in
            guard process != getpid(),
                let name = SystemFile.text("/proc/\(process)/comm")?.split(separator: "\n").first,
                name != "bluetoothd",
                SystemFile.names(in: "/proc/\(process)/fd").contains(where: {
                    Self.target(of: "/proc/\(process)/fd/\($0)").map(sockets.contains) == true
                })
            else { return nil }
            return MachineFacts.Process(process, String(name))
        }
    }

    private static func target(of link: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    }

    func leftoverInstances(of adapter: String, address: String?, since time: Double) -> [UInt8] {
        let entries = leftovers(time)
        // As `BlueZAdapter.identity` names it.
        let names = address.map { ["bluez-\($0)", "bluez-\($0)-\(adapter)"] } ?? []
        return names.flatMap { entries[$0] ?? [] }.compactMap { UInt8($0) }
    }

    /// When a process was started, in seconds since 1970 (proc(5): `btime` of /proc/stat, and field 22 of the process in ticks);
    /// `nil` if that is unknown.
    static func start(of process: UInt32) -> Double? {
        guard let boot = SystemFile.text("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let bootTime = Double(boot.dropFirst("btime ".count)),
            // The name of the program, in parentheses, may have spaces.
            let fields = SystemFile.text("/proc/\(process)/stat")?.split(separator: ")").last?.split(separator: " "),
            fields.count > 19, let ticks = Double(fields[19])
        else { return nil }
        return bootTime + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    // MARK: - bluetoothd

    func daemon() async -> DaemonState {
        // The kernel is not asked first: a service in place of bluetoothd does not need its Bluetooth.
        guard let connection = try? await DBusConnection.connect(to: .system) else {
            return (MachineFacts.Daemon(fault: .noBus), [:], [:])
        }
        let state = await Self.daemon(on: connection)
        await connection.close()
        return state
    }

    private static func daemon(on connection: DBusConnection) async -> DaemonState {
        let daemon: BlueZDaemon
        let objects: [DBusDictionaryEntry]
        do {
            guard let owner = try await connection.nameOwner(BlueZDaemon.busName) else {
                return (MachineFacts.Daemon(fault: .daemonOff), [:], [:])
            }
            daemon = BlueZDaemon(connection: connection, owner: owner)
            objects = try await daemon.objects()
        } catch {
            return (MachineFacts.Daemon(fault: fault(of: error)), [:], [:])
        }
        var facts = MachineFacts.Daemon(isRunning: true, isExperimental: await daemon.isExperimental())
        facts.started = (try? await connection.processIdentifier(of: BlueZDaemon.busName)).flatMap { start(of: $0) }
        var adapters: [String: [String: DBusValue]] = [:]
        var devices: [String: [[String: DBusValue]]] = [:]
        for object in objects {
            guard let path = object.key.objectPathValue, let interfaces = object.value.dictionaryValue else { continue }
            if let device = interfaces[DeviceProperties.interface]?.dictionaryValue, let adapter = path.parent {
                devices[adapter.lastComponent, default: []].append(device)
            }
            guard let adapter = interfaces[BlueZAdapter.interface]?.dictionaryValue else { continue }
            adapters[path.lastComponent] = interfaces
            let version = adapter["Modalias"]?.stringValue.flatMap { BlueZVersion(modalias: $0) }
            facts.version = facts.version ?? version?.description
        }
        return (facts, adapters, devices)
    }

    private static func fault(of error: any Error) -> Fault {
        guard let error = error as? DBusError else { return .daemonHangs }
        if error.isStandard("AccessDenied") { return .daemonForbidden }
        if error.isDaemonGone { return .daemonOff }
        return .daemonHangs
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
