// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file descriptor that is closed when the last reference to it goes.
///
/// D-Bus Specification, "Type System", type `h` (UNIX_FD).
package final class DBusFileDescriptor: Sendable {
    /// The number of the descriptor: valid as long as this object lives.
    package let rawValue: Int32

    /// Takes over a descriptor; nobody else may close it from now on.
    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Makes a descriptor of its own for the same open file.
    ///
    /// - Throws: `DBusError` of kind `limitExceeded` if the system gives no further descriptor.
    package init(duplicating rawValue: Int32) throws(DBusError) {
        let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw .limitExceeded("cannot duplicate file descriptor \(rawValue): \(String(cString: strerror(errno)))")
        }
        self.rawValue = copy
    }

    deinit {
        if rawValue >= 0 { _ = Glibc.close(rawValue) }
    }
}

extension DBusFileDescriptor: Hashable {
    /// Two are equal if they are the same object.
    package static func == (left: DBusFileDescriptor, right: DBusFileDescriptor) -> Bool {
        left === right
    }

    /// Hashes the identity.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
