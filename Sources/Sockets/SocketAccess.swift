// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Who may use a socket, for messages.
package enum SocketAccess {
    /// What a user does who may not use a socket, or the folder with it: becomes a member of its group, or another user.
    package static func hint(for path: String) -> String {
        var path = path
        var status = stat()
        // In a folder that is closed, the folder decides.
        while stat(path, &status) != 0, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            path = String(path[..<slash])
        }
        let isForGroup = status.st_mode & (isFolder(status.st_mode) ? 0o010 : 0o020) != 0
        guard isForGroup, status.st_gid != 0, let group = getgrgid(status.st_gid) else {
            let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
            return "use it as the user \(owner), or as root"
        }
        let name = String(cString: group.pointee.gr_name)
        let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
        return
            "become a member of the group \(name) (sudo usermod -aG \(name) \(user), then log in again), or use it as root"
    }

    private static func isFolder(_ mode: mode_t) -> Bool { mode & S_IFMT == S_IFDIR }
}
