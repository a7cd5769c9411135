// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Glibc
import RunAPI
import RunServer

extension ControlSocket {
    /// The sockets of an emulator.
    convenience init(
        _ emulator: Emulator, claiming paths: [String], path: (@Sendable (String) -> String)? = nil
    ) async throws(EmulatorError) {
        try await self.init(RunContext(emulator, version: "1"), claiming: paths, path: path)
    }
}

extension Rig {
    /// Performs an operation on the run.
    @discardableResult
    func perform<Performed: Operation>(_ operation: Performed) async throws(EmulatorError) -> Performed.Reply {
        try await operation.perform(on: RunContext(emulator, version: "1"))
    }
}

/// Serves an emulator at paths during a function.
func serving(_ rig: Rig, at paths: String..., body: () async throws -> Void) async throws {
    try await serving(try await ControlSocket(rig.emulator, claiming: paths), body: body)
}

/// Ends a server after a function.
func serving(_ server: ControlSocket, body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch {
        await server.close()
        throw error
    }
    await server.close()
}

/// A socket that another process listens on, or has abandoned.
final class OtherSocket: Sendable {
    private let descriptor: Int32

    init(at path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(result == 0 && listen(descriptor, 8) == 0, "cannot listen at \(path)")
    }

    /// Ends without removing the socket file, as a killed process does.
    func abandon() { close(descriptor) }
}
