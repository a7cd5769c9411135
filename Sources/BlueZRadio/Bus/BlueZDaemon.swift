// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import KernelBluetooth
import Radio

/// A bluetoothd process on the message bus: its adapters, objects and methods.
struct BlueZDaemon: Sendable {
    static let busName = "org.bluez"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    private static let properties = "org.freedesktop.DBus.Properties"

    let connection: DBusConnection
    /// The unique bus name of the daemon. Another name means another process.
    let owner: String

    /// Finds the daemon on a bus.
    /// - Throws: `RadioError` `.noDaemon` or `.notPermitted`.
    static func find(on connection: DBusConnection) async throws(RadioError) -> BlueZDaemon {
        do {
            guard let owner = try await connection.nameOwner(busName) else { throw Self.missing }
            return BlueZDaemon(connection: connection, owner: owner)
        } catch let error as RadioError {
            throw error
        } catch let error as DBusError {
            throw Self.unreachable(error)
        } catch {
            throw Self.missing
        }
    }

    /// Connects to the system bus.
    /// - Throws: `RadioError` `.noAdapter` on a kernel without Bluetooth, else `.noDaemon` or `.notPermitted`.
    static func systemBus() async throws(RadioError) -> DBusConnection {
        guard AdapterPresence.kernelHasBluetooth else {
            throw Fault.noKernelBluetooth.error(.noAdapter)
        }
        do {
            return try await DBusConnection.connect(to: .system)
        } catch {
            throw unreachable(error)
        }
    }

    /// The adapters in the order of their numbers.
    /// - Throws: `RadioError` when the daemon does not answer or the bus forbids the call.
    func adapters() async throws(RadioError) -> [BlueZAdapter] {
        let objects: [DBusDictionaryEntry]
        do {
            objects = try await self.objects()
        } catch {
            throw error.kind == .timeout ? Self.hanging : Self.unreachable(error)
        }
        var adapters = objects.compactMap { entry -> BlueZAdapter? in
            guard let path = entry.key.objectPathValue, let interfaces = entry.value.dictionaryValue else { return nil }
            return BlueZAdapter(path: path, interfaces: interfaces)
        }
        let counts = Dictionary(adapters.map { ($0.address, 1) }, uniquingKeysWith: +)
        for position in adapters.indices {
            adapters[position].hasUniqueAddress = counts[adapters[position].address] == 1
        }
        return adapters.sorted { $0.index < $1.index }
    }

    /// All objects of the daemon: paths, and interfaces with their properties.
    /// - Throws: `DBusError` of the daemon or of the bus.
    func objects() async throws(DBusError) -> [DBusDictionaryEntry] {
        let reply = try await call(.root, Self.objectManager, "GetManagedObjects", timeout: .seconds(5))
        return reply.first?.entriesValue ?? []
    }

    /// The properties of one interface of one object.
    /// - Throws: `DBusError` of the daemon or of the bus; `UnknownObject` if the object does not exist.
    func properties(_ interface: String, of path: ObjectPath) async throws(DBusError) -> [String: DBusValue] {
        let reply = try await call(path, Self.properties, "GetAll", [.string(interface)], timeout: .seconds(5))
        return reply.first?.dictionaryValue ?? [:]
    }

    /// Sets one property.
    /// - Throws: `DBusError` of the daemon or of the bus.
    func setProperty(
        _ name: String, of interface: String, at path: ObjectPath, to value: DBusValue
    ) async throws(DBusError) {
        _ = try await call(
            path, Self.properties, "Set", [.string(interface), .string(name), .variant(value)], timeout: .seconds(5))
    }

    /// Calls a method of this process; a later bluetoothd never receives the call.
    /// - Throws: `DBusError` of the daemon or of the bus.
    func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [], timeout: Duration
    ) async throws(DBusError) -> [DBusValue] {
        try await connection.call(owner, path, interface, member, arguments, timeout: timeout)
    }

    /// Whether the daemon was started with its experimental interfaces; `nil` when its command line cannot be read.
    func isExperimental() async -> Bool? {
        guard let process = try? await connection.processIdentifier(of: Self.busName),
            let command = SystemFile.text("/proc/\(process)/cmdline")
        else { return nil }
        let arguments = command.split(separator: "\0")
        return arguments.dropFirst().contains { $0 == "-E" || $0.hasPrefix("--experimental") }
    }

    private static let missing = Fault.daemonOff.error(.noDaemon)

    /// The error for a daemon that runs and does not answer.
    static let hanging = Fault.daemonHangs.error(.noDaemon, isTemporary: true)

    /// The error of the radio for an error of the bus.
    static func unreachable(_ error: DBusError) -> RadioError {
        if error.isStandard("AccessDenied") { return Fault.daemonForbidden.error(.notPermitted) }
        if error.isDaemonGone { return missing }
        switch error.kind {
        case .limitExceeded, .malformed:
            return RadioError(
                .noDaemon, "what bluetoothd replied cannot be used: \(error.message)",
                hint: "it may have stored too many devices (bluetoothctl devices, bluetoothctl remove)")
        case .remote, .connectionFailed, .notConnected, .timeout, .cancelled, .invalidArgument: break
        }
        // The message of a failed connection ends in a hint of its own, after the last semicolon.
        let hint = error.kind == .connectionFailed ? error.message.ranges(of: "; ").last?.lowerBound : nil
        let reason = error.message[..<(hint ?? error.message.endIndex)]
        return Fault.noBus.error(.noDaemon, "\(Fault.noBus.sentence()) (\(reason))")
    }
}

/// The object paths that bluetoothd gives to peers: `/org/bluez/hci0/dev_00_AA_01_00_00_00`.
enum BlueZDevice {
    /// The peer's address.
    static func address(of path: ObjectPath) -> BluetoothAddress? {
        let component = path.lastComponent
        guard component.hasPrefix("dev_") else { return nil }
        return BluetoothAddress(component.dropFirst(4).split(separator: "_").joined(separator: ":"))
    }

    /// The path of a peer of an adapter; `nil` for text that is not an address.
    static func path(of address: String, on adapter: BlueZAdapter) -> ObjectPath? {
        try? adapter.path.appending("dev_" + address.split(separator: ":").joined(separator: "_"))
    }
}

extension DBusError {
    /// The prefix of bluetoothd's own error names.
    static let blueZPrefix = "org.bluez.Error."

    /// An error that bluetoothd understands as `org.bluez.Error.<suffix>`.
    static func blueZ(_ suffix: String, _ message: String) -> DBusError {
        DBusError(name: blueZPrefix + suffix, message: message)
    }

    /// Whether this is the error `org.bluez.Error.<suffix>`.
    func isBlueZ(_ suffix: String) -> Bool { name == Self.blueZPrefix + suffix }

    /// Whether the called name has no owner, or lost its owner during the call.
    var isDaemonGone: Bool {
        isStandard("ServiceUnknown") || isStandard("NameHasNoOwner") || (kind == .remote && isStandard("NoReply"))
    }
}
