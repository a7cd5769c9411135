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

    /// Adds a name. It replaces a socket that no process listens on any more, but no other file.
    /// - Returns: Whether the name was added; if not, `errno` is set.
    package func add(_ path: String) -> Bool {
        names.withLock { names in
            guard let name = names.first else {
                errno = ENOENT
                return false
            }
            if SocketFile.isAbandoned(path) { unlink(path) }
            guard link(name, path) == 0 else { return false }
            names.append(path)
            return true
        }
    }

    /// Removes a name.
    package func remove(_ path: String) {
        names.withLock { names in
            guard let index = names.firstIndex(of: path) else { return }
            unlink(path)
            names.remove(at: index)
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
    package func exchange(for wanted: [String]) -> [Warning] {
        let present = names.withLock(\.self)
        guard !present.isEmpty else { return [] }
        var warnings: [Warning] = []
        for path in wanted where !present.contains(path) {
            if let obstacle = SocketFile.obstacle(at: path) {
                warnings.append(Self.warning(path, obstacle.clause))
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

    /// The supplementary groups of a peer, followed by zeros (unix(7), SO_PEERGROUPS). The peers that are served have fewer: the
    /// option fails for one that has more.
    private struct Groups: Sendable {
        private static let option = NIOBSDSocket.Option(rawValue: 59)
        private let numbers = InlineArray<4096, gid_t>(repeating: 0)

        func contains(_ group: gid_t) -> Bool {
            // Zeros may be none of its groups.
            group != 0 && numbers.indices.contains { numbers[$0] == group }
        }

        static func reading(_ channel: any Channel) -> EventLoopFuture<Groups>? {
            (channel as? any SocketOptionProvider)?.unsafeGetSocketOption(level: .socket, name: option)
        }
    }

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

    /// Whether the peer of a channel runs as the same user, or as root, or as a member of a group.
    package static func isOwnerOrRootOrMember(
        of group: gid_t
    ) -> @Sendable (_ channel: any Channel) -> EventLoopFuture<Bool> {
        { channel in
            guard let credentials = reading(channel), let groups = Groups.reading(channel) else {
                return channel.eventLoop.makeSucceededFuture(false)
            }
            let isNamed = credentials.map { $0.user == geteuid() || $0.user == 0 || $0.group == group }
            return isNamed.and(groups.map { $0.contains(group) }.recover { _ in false }).map { $0 || $1 }
                .recover { _ in false }
        }
    }
}

/// The files of control sockets.
package enum SocketFile {
    /// Why a path cannot be used for a new socket.
    package enum Obstacle: Hashable, Sendable {
        /// A process listens there, or may do so: its number, if the socket accepts connections.
        case process(pid_t?)
        /// Another file than a socket.
        case file

        /// As a clause.
        package var clause: String {
            switch self {
            case .process(let number?): "it is in use by process \(number)"
            case .process(nil): "it is in use"
            case .file: "a file that is no socket has this path"
            }
        }
    }

    /// The longest path of a socket, in bytes.
    package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Removes the sockets of runs that were killed.
    package static func removeAbandoned(_ paths: [String]) {
        for path in paths where isAbandoned(path) { unlink(path) }
    }

    /// Whether a socket is at a path, and no process listens on it.
    package static func isAbandoned(_ path: String) -> Bool {
        if case .failed(ECONNREFUSED) = connect(to: path) { isSocket(path) } else { false }
    }

    /// Why a path cannot be used for a new socket; `nil` if nothing is there, or only the socket of a process that has ended.
    package static func obstacle(at path: String) -> Obstacle? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .file }
        return switch connect(to: path) {
        case .failed(ECONNREFUSED), .failed(ENOENT): nil
        // Such as EAGAIN: the backlog of the socket is full.
        case .failed: .process(nil)
        case .connected(let process): .process(process)
        }
    }

    /// Whether a socket is at a path, and not a link to one.
    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    private enum Attempt {
        /// The number of the process that listens.
        case connected(pid_t)
        /// The system's error number.
        case failed(Int32)
    }

    private static func connect(to path: String) -> Attempt {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count <= longestPath else { return .failed(ENAMETOOLONG) }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return .failed(errno) }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        guard result == 0 else { return .failed(errno) }
        var credentials = PeerCredentials()
        var size = socklen_t(MemoryLayout<PeerCredentials>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
        return .connected(credentials.process)
    }
}
