// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import CDBus

/// The error structure that libdbus fills in, freed when this value goes.
struct LibraryError: ~Copyable {
    var error = CDBus.DBusError()

    init() {
        dbus_error_init(&error)
    }

    deinit {
        // The structure only holds pointers: freeing through a copy frees the same text.
        var error = error
        dbus_error_free(&error)
    }

    /// The error name, if an error was set.
    var name: String? { error.name.map { String(cString: $0) } }

    /// The text, if an error was set.
    var message: String? { error.message.map { String(cString: $0) } }
}

extension DBusError {
    static func outOfMemory() -> DBusError {
        DBusError(kind: .limitExceeded, name: standardPrefix + "NoMemory", message: "libdbus is out of memory")
    }
}
