// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix

/// Who is at the other end of a Unix socket: the kernel's `struct ucred` (unix(7), SO_PEERCRED), which Glibc keeps from
/// Swift.
struct PeerCredentials {
    private(set) var process: pid_t = 0
    private(set) var user: uid_t = 0
    private(set) var group: gid_t = 0

    /// Who connected, or who listens, as the channel's end is; `nil` where the channel is no socket.
    static func of(_ channel: any Channel) async throws -> PeerCredentials? {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        return try await provider.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED)).get()
    }

    /// Who listens at a path; `nil` where nobody does: a socket that was left behind does not.
    static func listening(at path: String) async -> PeerCredentials? {
        guard access(path, F_OK) == 0 else { return nil }
        let channel = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(unixDomainSocketPath: path).get()
        guard let channel else { return nil }
        let credentials = try? await of(channel)
        try? await channel.close().get()
        return credentials ?? PeerCredentials()
    }

    /// Whether a server that runs as `server` may be believed by a client that runs as `client`: its own user and root.
    ///
    /// Root believes a service, too, that runs as the user who owns the socket's folder, if only root can have made that
    /// folder for it.
    static func isTrusted(server: uid_t, by client: uid_t, socket path: String) -> Bool {
        if server == client || server == 0 { return true }
        guard client == 0 else { return false }
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        var (status, parent) = (stat(), stat())
        guard lstat(folder, &status) == 0, stat("\(folder)/..", &parent) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == server && parent.st_uid == 0
            && parent.st_mode & 0o022 == 0
    }
}
