// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Radio

/// bluetoothd on the message bus: whether it is there, its adapters and devices.
struct BlueZDaemon: Sendable {
    static let busName = "org.bluez"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"

    let connection: DBusConnection
    /// The daemon's unique name; another one means another process.
    let owner: String

    /// Connects to the system bus and finds the daemon there.
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

    /// Opens the system bus.
    /// - Throws: `RadioError` `.noDaemon`.
    static func systemBus() async throws(RadioError) -> DBusConnection {
        guard AdapterPresence.kernelHasBluetooth else {
            throw RadioError(
                .noAdapter, "this machine's kernel has no Bluetooth",
                hint: "use --radio virtual, or a machine with an adapter")
        }
        do {
            return try await DBusConnection.connect(to: .system)
        } catch {
            throw unreachable(error)
        }
    }

    /// The adapters in the order of their numbers.
    /// - Throws: `RadioError` when the daemon does not answer or may not be asked.
    func adapters() async throws(RadioError) -> [BlueZAdapter] {
        let objects: [DBusDictionaryEntry]
        do {
            objects = try await self.objects()
        } catch {
            throw Self.unreachable(error)
        }
        let adapters = objects.compactMap { entry -> BlueZAdapter? in
            guard let path = entry.key.objectPathValue, let interfaces = entry.value.dictionaryValue else { return nil }
            return BlueZAdapter(path: path, interfaces: interfaces)
        }
        return adapters.sorted { $0.index < $1.index }
    }

    /// Everything that the daemon has on the bus: paths, and interfaces with their properties.
    /// - Throws: `DBusError`, the daemon's or the bus's.
    func objects() async throws(DBusError) -> [DBusDictionaryEntry] {
        let reply = try await call(.root, Self.objectManager, "GetManagedObjects", timeout: .seconds(5))
        return reply.first?.entriesValue ?? []
    }

    /// The properties of an interface of one of the daemon's objects.
    /// - Throws: `DBusError`, the daemon's or the bus's; `UnknownObject` when there is no such object.
    func properties(_ interface: String, of path: ObjectPath) async throws(DBusError) -> [String: DBusValue] {
        let reply = try await call(
            path, "org.freedesktop.DBus.Properties", "GetAll", [.string(interface)], timeout: .seconds(5))
        return reply.first?.dictionaryValue ?? [:]
    }

    /// Calls this daemon, and no other that may have taken its place.
    /// - Throws: `DBusError`, the daemon's or the bus's.
    func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [], timeout: Duration
    ) async throws(DBusError) -> [DBusValue] {
        try await connection.call(owner, path, interface, member, arguments, timeout: timeout)
    }

    /// Whether the daemon was started with its experimental interfaces; `nil` when its command line cannot be read.
    func isExperimental() async -> Bool? {
        guard let process = try? await connection.processIdentifier(of: Self.busName),
            let command = try? SystemFile.text("/proc/\(process)/cmdline")
        else { return nil }
        let arguments = command.split(separator: "\0")
        return arguments.dropFirst().contains { $0 == "-E" || $0.hasPrefix("--experimental") }
    }

    private static let missing = RadioError(
        .noDaemon, "bluetoothd is not running", hint: "start it (systemctl start bluetooth)")

    private static func unreachable(_ error: DBusError) -> RadioError {
        if error.isStandard("AccessDenied") {
            return RadioError(
                .notPermitted, "the system bus does not let this user talk to bluetoothd",
                hint: "join the group that its policy names (often \"bluetooth\"), or run as root")
        }
        if error.isStandard("ServiceUnknown") || error.isStandard("NameHasNoOwner") { return missing }
        // Behind the semicolon stands what to do, which is said here.
        let reason = error.message.split(separator: ";").first ?? ""
        return RadioError(
            .noDaemon, "the system bus cannot be used (\(reason))",
            hint: "start the D-Bus daemon and bluetoothd (systemctl start dbus bluetooth), or set "
                + "DBUS_SYSTEM_BUS_ADDRESS")
    }
}
