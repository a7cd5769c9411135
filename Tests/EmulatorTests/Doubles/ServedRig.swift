// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Glibc
import Logging
import ServiceLifecycle

/// Serves an emulator at paths during a function, and shuts down as a run does.
func serving(_ rig: Rig, at paths: String..., body: () async throws -> Void) async throws {
    try await serving(try await ControlServer(rig.emulator, claiming: paths), body: body)
}

/// Runs a server during a function, and shuts down as a run does.
func serving(_ server: ControlServer, body: () async throws -> Void) async throws {
    let group = ServiceGroup(services: [server], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let running = Task { try await group.run() }
    do {
        try await body()
    } catch {
        await group.triggerGracefulShutdown()
        _ = await running.result
        throw error
    }
    await group.triggerGracefulShutdown()
    try await running.value
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
