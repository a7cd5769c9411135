// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
import Glibc
import HummingbirdCore
import NIOCore
import Persistence
package import RunAPI
import Sockets

/// The Unix sockets of a run, which serve its operations over HTTP to the user who runs it, and to root (docs/control.md).
package final class ControlSocket: Sendable {
    private let names: SocketNames
    private let server: APIServer

    /// Serves a run at sockets.
    /// - Parameters:
    ///   - paths: The paths of the sockets, at least one: names of one socket.
    ///   - path: The path of a profile's socket, by the profile's name. With it, the sockets follow a reload that adds,
    ///     renames or removes profiles.
    ///   - record: Called with the paths of all sockets, when they are created and when a reload has changed them.
    ///   - group: The number of a group whose members may use the sockets, too; `nil` for none.
    /// - Throws: `EmulatorError` `.cannotCreate` if a socket cannot be created or is in use; then none is created.
    package convenience init(
        _ run: RunContext, claiming paths: [String], path: (@Sendable (String) -> String)? = nil,
        record: @escaping @Sendable ([String]) -> Void = { _ in }, group: UInt32? = nil
    ) async throws(EmulatorError) {
        try await self.init(run, claiming: paths, path: path, record: record, group: group, limits: .local)
    }

    init(
        _ run: RunContext, claiming paths: [String], path: (@Sendable (String) -> String)? = nil,
        record: @escaping @Sendable ([String]) -> Void = { _ in }, group: UInt32? = nil, limits: APILimits
    ) async throws(EmulatorError) {
        guard let first = paths.first else {
            throw EmulatorError(
                .cannotCreate, "there is no control socket to create", hint: "name one (--control PATH)")
        }
        for path in paths { try Self.requireFree(path) }
        let nest = try SocketNest(beside: first)
        defer { nest.remove() }
        let responder = APIResponder(
            run: run, requestGuard: RequestGuard(hosts: nil, token: nil), streams: Places(limits.streams))
        do throws(APIServer.Failure) {
            server = try await APIServer(
                at: .unixDomainSocket(path: nest.path), responder, limits,
                admission: group.map(PeerCredentials.isOwnerOrRootOrMember) ?? PeerCredentials.isOwnerOrRoot
            ) { Self.protect(nest.path, for: first, group) }
        } catch {
            throw error.error(creating: "cannot create the control socket \(first)", hint: Self.otherSocket)
        }
        names = SocketNames(nest.path)
        for path in paths {
            guard names.add(path) else {
                let reason = String(cString: strerror(errno))
                await close()
                throw EmulatorError(
                    .cannotCreate, "cannot create the control socket \(path): \(reason)", hint: Self.otherSocket)
            }
        }
        names.remove(nest.path)
        record(names.all)
        guard let path else { return }
        // The emulator stores this closure, so it must not capture the emulator.
        await run.emulator.observeReloads { [names, events = run.emulator.events] profiles in
            for warning in names.exchange(for: profiles.map(path)) { events.post(.warning(warning)) }
            record(names.all)
        }
    }

    /// Removes the sockets: clients that are connected stay, and another run may have the paths.
    package func withdraw() { names.removeAll() }

    /// Removes the sockets, and ends the server.
    package func close() async {
        withdraw()
        await server.close()
    }

    fileprivate static let otherSocket = "choose another control socket (--control PATH)"

    /// Creates the folder of a socket, and checks that no process listens on its path.
    private static func requireFree(_ path: String) throws(EmulatorError) {
        guard path.utf8.count <= SocketFile.longestPath else {
            throw EmulatorError(
                .cannotCreate,
                "cannot create the control socket \(path): its path has more than \(SocketFile.longestPath) bytes",
                hint: otherSocket)
        }
        do throws(SystemError) {
            try Folder.create(Folder.containing(path))
        } catch {
            throw EmulatorError(.cannotCreate, "\(error)", hint: otherSocket)
        }
        switch SocketFile.obstacle(at: path) {
        case nil: return
        case .file?:
            throw EmulatorError(
                .cannotCreate, "cannot create the control socket \(path): \(SocketFile.Obstacle.file.clause)",
                hint: otherSocket)
        case .process(let number):
            let process = number.map { " by process \($0)" } ?? ""
            throw EmulatorError(
                .cannotCreate, "the control socket \(path) is in use\(process)",
                hint: "stop that run (beaconry ctl stop --control \(path)), or choose another socket (--control PATH)")
        }
    }

    /// Gives a socket its mode, and its group. If that is impossible, the socket is removed.
    ///
    /// Until then only this user reaches it, because of the folder that it is in.
    ///
    /// A socket that has the group already, because it is the group of the process, keeps it without chown: the filter
    /// of system calls of a service may refuse chown.
    /// - Parameter name: The path of the socket for messages.
    private static func protect(_ path: String, for name: String, _ group: gid_t?) -> EmulatorError? {
        chmod(path, 0o600)
        guard let group else { return nil }
        var status = stat()
        let belongs = stat(path, &status) == 0 && status.st_gid == group
        if belongs || chown(path, uid_t.max, group) == 0, chmod(path, 0o660) == 0 { return nil }
        let reason = String(cString: strerror(errno))
        unlink(path)
        let owner = SocketGroup(group)
        return EmulatorError(
            .cannotCreate, "the control socket \(name) cannot belong to the group \(owner.name): \(reason)",
            hint: owner.hasThisProcess
                ? "make \(owner.name) the first group of the process (Group= of a service), or leave --control-group out"
                : "run as a member of the group \(owner.name), or leave --control-group out")
    }
}

/// A folder for this user alone, in which a socket is bound: so the socket has its mode and its group before another user reaches it.
private struct SocketNest {
    private static let template = ".XXXXXX"
    private let folder: String

    /// The path of the socket.
    var path: String { "\(folder)/s" }

    /// - Parameter socket: the path that the socket gets.
    /// - Throws: `EmulatorError` `.cannotCreate`.
    init(beside socket: String) throws(EmulatorError) {
        var template = Array("\(Folder.containing(socket))/\(Self.template)".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw EmulatorError(
                .cannotCreate, "cannot create the control socket \(socket): \(String(cString: strerror(errno)))",
                hint: ControlSocket.otherSocket)
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard path.utf8.count > SocketFile.longestPath else { return }
        remove()
        let excess = path.utf8.count - SocketFile.longestPath
        throw EmulatorError(
            .cannotCreate,
            "cannot create the control socket \(socket): the path of its folder is \(excess) bytes too long",
            hint: ControlSocket.otherSocket)
    }

    func remove() {
        unlink(path)
        rmdir(folder)
    }
}
