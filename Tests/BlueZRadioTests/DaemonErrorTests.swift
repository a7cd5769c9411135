// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio
import Testing

@testable import BlueZRadio
@testable import DBus

/// What the errors of the bus and of bluetoothd mean for the radio.
@Suite struct DaemonErrorTests {
    private static func error(_ kind: DBusError.Kind, _ message: String) -> DBusError {
        DBusError(kind: kind, name: "org.freedesktop.DBus.Error.Failed", message: message)
    }

    /// The reply of a daemon with very many devices is no missing bus.
    @Test(arguments: [DBusError.Kind.limitExceeded, .malformed])
    func unusableReplyIsNamed(_ kind: DBusError.Kind) {
        let mapped = BlueZDaemon.unreachable(Self.error(kind, "a message with more than 1048576 values"))
        #expect(mapped.message == "what bluetoothd replied cannot be used: a message with more than 1048576 values")
        #expect(mapped.hint.contains("bluetoothctl remove"))
    }

    /// A message of the daemon may have semicolons; that of a failed connection ends with a hint.
    @Test func messageIsNotCut() {
        let remote = Self.error(.remote, "first; second; third")
        #expect(BlueZDaemon.unreachable(remote).message.contains("first; second; third"))
        let connection = Self.error(.connectionFailed, "no socket; gone; start the D-Bus daemon")
        let message = BlueZDaemon.unreachable(connection).message
        #expect(message.contains("no socket; gone") && !message.contains("start the D-Bus daemon"))
    }
}
