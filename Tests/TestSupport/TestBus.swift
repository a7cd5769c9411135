// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A `dbus-daemon` for one test.
public final class TestBus: Sendable {
    /// The address for clients.
    public let address: String
    private let processIdentifier: pid_t
    private let directory: URL
    private let ended: Task<Void, Never>

    /// Starts the daemon.
    public init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "beaconry-dbus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let (exits, exit) = AsyncStream.makeStream(of: Void.self)
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        process.arguments = [
            "--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:dir=\(directory.path)",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { _ in exit.finish() }
        try process.run()
        processIdentifier = process.processIdentifier
        ended = Task { for await _ in exits {} }
        address = try Self.firstLine(output.fileHandleForReading)
    }

    /// Kills the daemon, as a crash would.
    public func kill() async {
        _ = Glibc.kill(processIdentifier, SIGKILL)
        await ended.value
    }

    private func remove() async {
        await kill()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Runs a test with a daemon, which is removed afterwards.
    public static func with<Value>(_ body: (TestBus) async throws -> Value) async throws -> Value {
        let bus = try TestBus()
        do {
            let value = try await body(bus)
            await bus.remove()
            return value
        } catch {
            await bus.remove()
            throw error
        }
    }

    private static func firstLine(_ file: FileHandle) throws -> String {
        var text = ""
        while !text.contains("\n") {
            let data = file.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            text += String(decoding: data, as: UTF8.self)
        }
        return String(text.prefix { $0 != "\n" })
    }
}
