// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Which message bus to connect to.
///
/// D-Bus Specification, "Message Bus Specification", "Well-known Message Bus Instances".
package enum Bus: Sendable, Hashable {
    /// The bus of the machine, on which BlueZ lives; the environment variable `DBUS_SYSTEM_BUS_ADDRESS` moves it.
    case system
    /// The bus of the user's login; the environment variable `DBUS_SESSION_BUS_ADDRESS` says where.
    case session
    /// A bus at an address such as `unix:path=/run/dbus/system_bus_socket`. D-Bus Specification, "Server Addresses".
    case address(String)
}

extension Bus: CustomStringConvertible {
    /// What to call the bus in a sentence.
    package var description: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address(let address): "the bus at \(address)"
        }
    }
}

extension Bus {
    /// What to do if it cannot be reached.
    var advice: String {
        switch self {
        case .system: "start it (systemctl start dbus), or say where it is with DBUS_SYSTEM_BUS_ADDRESS"
        case .session: "start one (dbus-run-session), or say where it is with DBUS_SESSION_BUS_ADDRESS"
        case .address: "check the address, and that a bus listens there"
        }
    }

    func connectionFailed(name: String?, message: String?) -> DBusError {
        DBusError(
            kind: .connectionFailed, name: name ?? DBusError.standardPrefix + "NoServer",
            message: "cannot connect to \(self): \(message ?? "no reason given"); \(advice)")
    }
}
