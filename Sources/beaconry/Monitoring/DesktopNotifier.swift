// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// Shows messages on the desktop, by whoever does so on the session bus.
///
/// Desktop Notifications Specification 1.2, "org.freedesktop.Notifications".
actor DesktopNotifier {
    private static let name = "org.freedesktop.Notifications"
    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let timeout = Duration.seconds(5)

    private var connection: DBusConnection?
    /// The notification of each region, which the next one replaces.
    private var shown: [String: UInt32] = [:]

    /// Shows a message.
    /// - Parameter region: whose it is; it takes the place of that region's last one.
    /// - Throws: `DBusError`.
    func show(title: String, message: String, region: String) async throws(DBusError) {
        let connection = try await connected()
        let arguments: [DBusValue] = [
            "beaconry", .uint32(shown[region] ?? 0), "", .string(title), .string(Self.escaped(message)), .strings([]),
            .variants([:]), .int32(-1),
        ]
        let reply = try await connection.call(
            Self.name, Self.path, Self.name, "Notify", arguments, timeout: Self.timeout)
        shown[region] = reply.first?.uint32Value
    }

    /// Gives the bus back; what is shown stays.
    func close() async {
        await connection?.close()
        connection = nil
    }

    private func connected() async throws(DBusError) -> DBusConnection {
        if let connection, await connection.isConnected { return connection }
        let connection = try await DBusConnection.connect(to: .session)
        self.connection = connection
        return connection
    }

    /// Bodies may have markup in them ("Markup"), and a message is none.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
