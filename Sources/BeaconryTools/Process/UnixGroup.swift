// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The groups of the system.
package enum UnixGroup {
    /// The number of a group.
    /// - Throws: `Failure` if there is no such group.
    package static func number(of name: String) throws(Failure) -> UInt32 {
        guard let group = getgrnam(name) else {
            throw .usage("--control-group: there is no group \"\(name)\"; create it (addgroup --system \(name))")
        }
        return group.pointee.gr_gid
    }
}
