// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc
import Synchronization

/// The names of one control socket in the file system: a socket file is found by each of its links.
final class SocketNames: Sendable {
    private let names: Mutex<[String]>

    /// The names of a socket that is bound to this path.
    init(_ path: String) { names = Mutex([path]) }

    /// Adds a name, in the place of a socket that was left behind there; another file stays.
    /// - Returns: whether it is there now; if not, `errno` says why.
    func add(_ path: String) -> Bool {
        names.withLock { names in
            if Self.isSocket(path) { unlink(path) }
            guard let name = names.first, link(name, path) == 0 else { return false }
            names.append(path)
            return true
        }
    }

    /// Removes all names.
    func removeAll() {
        names.withLock { names in
            for name in names { unlink(name) }
            names = []
        }
    }

    /// Exchanges the names for others. When one cannot be had, the old ones stay beside the rest.
    /// - Returns: a warning for each that cannot.
    func exchange(for wanted: [String]) async -> [Warning] {
        let present = names.withLock(\.self)
        guard !present.isEmpty else { return [] }
        var warnings: [Warning] = []
        for path in wanted where !present.contains(path) {
            if let owner = await PeerCredentials.listening(at: path) {
                warnings.append(Self.warning(path, "it is in use by process \(owner.process)"))
            } else if !add(path) {
                warnings.append(Self.warning(path, String(cString: strerror(errno))))
            }
        }
        guard warnings.isEmpty else { return warnings }
        names.withLock { names in
            for name in names where !wanted.contains(name) { unlink(name) }
            names.removeAll { !wanted.contains($0) }
        }
        return []
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    private static func warning(_ path: String, _ reason: String) -> Warning {
        Warning(
            code: "control-socket-kept",
            message: "this run cannot be reached at \(path) (\(reason)); it still is at the old control socket",
            hint: "stop the other run, then reload, or use --control with the old socket's path")
    }
}
