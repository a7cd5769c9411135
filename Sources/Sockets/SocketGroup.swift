// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A group of the system, whose members may use control sockets.
package struct SocketGroup: Sendable {
    /// The number of the group.
    package let number: gid_t

    /// The group with this number.
    package init(_ number: gid_t) { self.number = number }

    /// The name; the number if the group has none.
    package var name: String {
        guard let entry = getgrgid(number) else { return "\(number)" }
        return String(cString: entry.pointee.gr_name)
    }

    /// Whether this process may do what members may: membership is read when a user logs in.
    package var hasThisProcess: Bool {
        if getegid() == number { return true }
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return groups.prefix(max(0, Int(count))).contains(number)
    }
}
