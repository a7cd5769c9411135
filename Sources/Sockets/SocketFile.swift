// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Glibc
package import NIOCore
import NIOPosix
import Synchronization

// The control socket below its requests: names in the file system, and credentials of the peer.

/// The names of one control socket in the file system: hard links of one socket file.
package final class SocketNames: Sendable {
    private let names: Mutex<[String]>

    /// The names.
    package var all: [String] { names.withLock(\.self) }

    /// The name of a socket that is bound to this path.
    package init(_ path: String) { names = Mutex([path]) }

    /// Adds a name. It replaces the socket of a run that has ended, but no other file.
    /// - Returns: Whether the name was added; if not, `errno` is set.
    package func add(_ path: String) -> Bool {
        names.withLock { names in
            if Self.isSocket(path) { unlink(path) }
            guard let name = names.first, link(name, path) == 0 else { return false }
            names.append(path)
            return true
        }
    }

    /// Removes all names.
    package func removeAll() {
        names.withLock { names in
            for name in names { unlink(name) }
            names = []
        }
    }

    /// Replaces the names. If one of them cannot be added, the old names stay, too.
    /// - Returns: A warning for each name that cannot be added.
    package func exchange(for wanted: [String]) async -> [Warning] {
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

    /// Whether a socket is at a path, and not a link to one.
    static func isSocket(_ path: String) -> Bool {
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

/// The process at the other end of a Unix socket: the kernel's `struct ucred` (unix(7), SO_PEERCRED), which the Glibc
/// module does not have.
package struct PeerCredentials: Sendable {
    package private(set) var process: pid_t = 0
    package private(set) var user: uid_t = 0
    package private(set) var group: gid_t = 0

    /// The peer of a channel; `nil` if the channel is not a socket.
    package static func of(_ channel: any Channel) async throws -> PeerCredentials? {
        try await reading(channel)?.get()
    }

    /// The peer of a channel, on its event loop at once; `nil` if the channel is not a socket.
    package static func reading(_ channel: any Channel) -> EventLoopFuture<PeerCredentials>? {
        (channel as? any SocketOptionProvider)?
            .unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED))
    }

    /// Whether the peer of a channel runs as the same user, or as root.
    package static func isOwnerOrRoot(_ channel: any Channel) -> EventLoopFuture<Bool> {
        guard let reading = reading(channel) else { return channel.eventLoop.makeSucceededFuture(false) }
        return reading.map { $0.user == geteuid() || $0.user == 0 }.recover { _ in false }
    }

    /// The process that listens at a path; `nil` if there is none, as for the socket of a run that has ended.
    package static func listening(at path: String) async -> PeerCredentials? {
        guard access(path, F_OK) == 0 else { return nil }
        let channel = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(unixDomainSocketPath: path).get()
        guard let channel else { return nil }
        let credentials = try? await of(channel)
        try? await channel.close().get()
        return credentials ?? PeerCredentials()
    }
}

/// The files of control sockets.
package enum SocketFile {
    /// Removes the sockets of runs that were killed.
    package static func removeAbandoned(_ paths: [String]) {
        for path in paths where isAbandoned(path) { unlink(path) }
    }

    /// Whether a socket is at a path, and no process listens on it.
    package static func isAbandoned(_ path: String) -> Bool {
        guard SocketNames.isSocket(path) else { return false }
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) } != 0
                && errno == ECONNREFUSED
        }
    }
}
