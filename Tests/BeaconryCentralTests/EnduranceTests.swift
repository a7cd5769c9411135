// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A thousand rounds of finding, connecting, discovering, reading, writing and disconnecting leave nothing behind.
@Suite(.disabled(if: Sanitizer.isWatching, "a sanitizer needs memory of its own"), .timeLimit(.minutes(5)))
struct EnduranceTests {
    struct Failure: Error { let message: String }

    @Test func aThousandRoundsLeaveNothingBehind() async throws {
        // The first rounds make room that is used again.
        let usage = try await Self.harness("rounds", "1000", "1000").split(separator: "\n").map { line in
            line.split(separator: " ").compactMap { Int($0) }
        }
        try #require(usage.count == 2 && usage.allSatisfy { $0.count == 3 }, "\(usage)")
        let growth = zip(usage[0], usage[1]).map { $1 - $0 }
        // An object that stays of each round would be more.
        #expect(growth[0] <= 40_000, "octets of the heap")
        #expect(growth[1] <= 1_000_000, "resident octets")
        #expect(growth[2] <= 0, "descriptors")
    }

    /// Runs Tests/CentralHarness, which is beside the program that runs the tests.
    /// - Returns: what it prints.
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
        // A few lines fit into a pipe.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw Failure(message: text) }
        return text
    }
}
