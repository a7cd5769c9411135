// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Foundation
import TestTraits
import Testing

@testable import Emulator

/// Captures into files that are slow, stalled or full.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct CaptureFileTests {
    private static let record = [UInt8](repeating: 0x55, count: 1 << 16)

    /// As in the program: a closed pipe is an error of the write.
    init() { signal(SIGPIPE, SIG_IGN) }

    /// A FIFO that only the test reads.
    private final class Reader: Sendable {
        let descriptor: Int32

        init(_ path: String) throws {
            try #require(mkfifo(path, 0o600) == 0)
            descriptor = open(path, O_RDONLY | O_NONBLOCK)
            try #require(descriptor >= 0)
        }

        /// Reads the available bytes.
        func drain() -> Int {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            return max(0, read(descriptor, &buffer, buffer.count))
        }

        deinit { close(descriptor) }
    }

    @Test
    func fileWithoutRecordsIsDiscardedBeforeItsHeaderIsWritten() throws {
        let folder = try TemporaryFolder()
        for round in 0..<200 {
            let path = folder.file("\(round).btsnoop")
            let capture = try CaptureFile(path)
            capture.append([UInt8](repeating: 0x55, count: 16))
            capture.discard()
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test
    func fileWithRecordsIsNotDiscarded() throws {
        let folder = try TemporaryFolder()
        let capture = try CaptureFile(folder.file("c.btsnoop"))
        capture.append([UInt8](repeating: 0x55, count: 17))
        capture.discard()
        #expect(access(folder.file("c.btsnoop"), F_OK) == 0)
    }

    @Test
    func queueForAStalledReaderIsBounded() async throws {
        let folder = try TemporaryFolder()
        let reader = try Reader(folder.file("fifo"))
        let capture = try CaptureFile(folder.file("fifo"), patience: .init(stalled: .milliseconds(100)))
        let warnings = EventLog<Warning>()
        capture.onIncomplete { warnings.append($0) }
        let accepted = CaptureFile.capacity / Self.record.count
        for _ in 0..<(2 * accepted) { capture.append(Self.record) }
        #expect(warnings.entries.map(\.code) == ["capture-incomplete"])
        let error = await #expect(throws: EmulatorError.self) { try await capture.finish() }
        #expect(error?.exitCode == 74)
        let counts = error?.message.split(separator: " ").compactMap { Int($0) } ?? []
        // The pipe holds one record at most; all the others are missing.
        #expect(counts.first.map { 2 * accepted - 1...2 * accepted ~= $0 } == true, "\(error?.message ?? "no error")")
        withExtendedLifetime(reader) {}
    }

    @Test
    func slowReaderReceivesAllRecords() async throws {
        let folder = try TemporaryFolder()
        let reader = try Reader(folder.file("fifo"))
        let capture = try CaptureFile(folder.file("fifo"), patience: .init(stalled: .seconds(50), slow: .seconds(50)))
        for _ in 0..<10 { capture.append(Self.record) }
        let total = 10 * Self.record.count
        let reading = Task {
            var count = 0
            while count < total, !Task.isCancelled {
                count += reader.drain()
                try? await Task.sleep(for: .milliseconds(1))
            }
            return count
        }
        try await capture.finish()
        #expect(await reading.value == total)
    }

    @Test
    func fullDiskIsReportedAtOnceAndAtTheEnd() async throws {
        let capture = try CaptureFile("/dev/full")
        let warnings = EventLog<Warning>()
        capture.onIncomplete { warnings.append($0) }
        capture.append([1, 2, 3])
        let warning = try await warnings.entry { _ in true }
        #expect(warning.message.contains("No space left on device"))
        capture.append([4])
        let error = await #expect(throws: EmulatorError.self) { try await capture.finish() }
        #expect(error?.message.contains("2 records are missing: cannot write /dev/full: No space left") == true)
        #expect(warnings.entries.count == 1)
    }

    @Test
    func fileIsPrivateAndTruncatedFirst() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "x", count: 10_000), to: "run.btsnoop")
        try #require(chmod(folder.file("run.btsnoop"), 0o644) == 0)
        let capture = try CaptureFile(folder.file("run.btsnoop"))
        capture.append(Array("records".utf8))
        try await capture.finish()
        #expect(folder.text("run.btsnoop") == "records")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("run.btsnoop"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test
    func linkIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        try folder.write("precious", to: "target")
        try #require(symlink(folder.file("target"), folder.file("run.btsnoop")) == 0)
        let error = #expect(throws: EmulatorError.self) { try CaptureFile(folder.file("run.btsnoop")) }
        #expect(error?.code == .cannotCreate)
        #expect(error?.message.hasSuffix("it is a symbolic link, and links are not followed here") == true)
        #expect(folder.text("target") == "precious")
    }

    /// As with a shell's `>(…)`.
    @Test(arguments: ["/dev/fd/", "/proc/self/fd/"])
    func openFileIsWrittenTo(_ prefix: String) async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let capture = try CaptureFile("\(prefix)\(ends[1])")
        capture.append([1, 2, 3])
        try await capture.finish()
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(read(ends[0], &buffer, buffer.count) == 3)
        #expect(throws: EmulatorError.self) { try CaptureFile("\(prefix)99999") }
    }
}
