// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// Shows messages on the desktop through the notification service of the session bus.
///
/// Desktop Notifications Specification 1.2, "org.freedesktop.Notifications".
actor DesktopNotifier {
    private static let name = "org.freedesktop.Notifications"
    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let timeout = Duration.seconds(5)

    private var connection: DBusConnection?
    /// The current notification of each region, which the next one replaces.
    private var shown: [String: UInt32] = [:]

    /// Shows a message.
    /// - Parameter region: the region of the message, which replaces that region's previous one.
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

    /// Disconnects from the bus; notifications stay on the desktop.
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

    /// A message as plain text: notification bodies may contain markup (section "Markup").
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
