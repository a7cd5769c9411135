// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Glibc
import Persistence
package import Sockets

extension PeerCredentials {
    /// Whether a client that runs as the user `client` may trust a server that runs as the user `server`: its own user,
    /// or root.
    ///
    /// It also trusts the user who owns the socket's folder, if only root can have created that folder, as for a
    /// service.
    package static func isTrusted(server: uid_t, by client: uid_t, socket path: String) -> Bool {
        if server == client || server == 0 { return true }
        let folder = Folder.containing(path)
        var (status, parent) = (stat(), stat())
        guard lstat(folder, &status) == 0, stat("\(folder)/..", &parent) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == server && parent.st_uid == 0
            && parent.st_mode & 0o022 == 0
    }
}
