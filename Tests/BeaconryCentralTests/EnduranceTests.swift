// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import TestTraits
import Testing

/// A thousand rounds of finding, connecting, discovering, reading, writing and disconnecting leave no memory behind.
@Suite(.disabled(if: Sanitizer.isWatching, "a sanitizer needs additional memory"), .realTime, .timeLimit(.minutes(10)))
struct EnduranceTests {
    struct Failure: Error { let message: String }

    @Test func thousandRoundsDoNotLeak() async throws {
        let usage = try await Self.harness("rounds", "800", "800", "800").split(separator: "\n").map { line in
            line.split(separator: " ").compactMap { Int($0) }
        }
        try #require(usage.count == 3 && usage.allSatisfy { $0.count == 3 }, "\(usage)")
        // The first rounds allocate memory that is used again, and a burst on a busy machine enlarges it once. A leak
        // of one object in each round grows each time, by more than this.
        let growth = (0..<3).map { min(usage[1][$0] - usage[0][$0], usage[2][$0] - usage[1][$0]) }
        #expect(growth[0] <= 32_000, "bytes of the heap: \(usage)")
        #expect(growth[1] <= 1_000_000, "resident bytes: \(usage)")
        #expect(growth[2] <= 0, "descriptors: \(usage)")
    }

    /// Runs Tests/CentralHarness, which is built beside the test program.
    /// - Returns: its output.
    private static func harness(_ arguments: String...) async throws -> String {
        let running = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folders = [running, Bundle.main.executablePath, CommandLine.arguments.first].compactMap(\.self)
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let said = ProcessInfo.processInfo.environment["BEACONRY_CENTRAL_HARNESS"]
        let candidates = [said].compactMap(\.self) + folders.map { "\($0)/central-harness" }
        guard let program = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw Failure(message: "central-harness is not at \(candidates); set BEACONRY_CENTRAL_HARNESS")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        // The few lines fit into the pipe.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw Failure(message: text) }
        return text
    }
}
