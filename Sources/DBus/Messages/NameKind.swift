// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// The grammars of names, each judged by libdbus itself.
///
/// libdbus ends the process when a setter or an append is given text that breaks its grammar, so its own functions for
/// that grammar decide here, before anything is handed over.
enum NameKind: String {
    case objectPath = "an object path"
    case signature = "a signature"
    case busName = "a bus name"
    case interface = "an interface name"
    case member = "a member name"
    case errorName = "an error name"

    func accepts(_ text: String) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        return text.withCString { text in
            switch self {
            case .objectPath: dbus_validate_path(text, nil) != 0
            case .signature: dbus_signature_validate(text, nil) != 0
            case .busName: dbus_validate_bus_name(text, nil) != 0
            case .interface: dbus_validate_interface(text, nil) != 0
            case .member: dbus_validate_member(text, nil) != 0
            case .errorName: dbus_validate_error_name(text, nil) != 0
            }
        }
    }

    func check(_ text: String) throws(DBusError) {
        guard accepts(text) else { throw .invalidArgument("\(text.debugDescription) is not \(rawValue)") }
    }
}
