// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Files that are read and written, and files that are refused.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct LocalFileSystemTests {
    private static let limit = LocalFileSystem.maximumFileSize
    private let files = LocalFileSystem()

    private func failure(_ body: () throws(SystemError) -> Void) -> SystemError? {
        do throws(SystemError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test
    func fileOfTheLimitIsReadWhole() throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "x", count: Self.limit - 1) + "y"
        try folder.write(text, to: "a")
        #expect(try files.read(folder.file("a")) == Array(text.utf8))
    }

    @Test
    func largerFileIsRefusedWithItsSizeAndTheLimit() throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "x", count: Self.limit + 1), to: "a")
        let error = try #require(failure { () throws(SystemError) in _ = try files.read(folder.file("a")) })
        #expect(error.isTooLarge)
        #expect(
            error.description
                == "cannot read \(folder.file("a")): its size is 1048577 bytes, and the limit is 1048576 bytes")
    }

    /// A limit of the system is not bad data.
    @Test
    func fileSizeLimitOfTheSystemIsNotTooLargeData() {
        #expect(!SystemError(.fileTooLarge, attempt: "write").isTooLarge)
    }

    /// Content that could not be read again is not written, and the file stays as it was.
    @Test
    func largerContentIsNotWritten() throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "a")
        let bytes = [UInt8](repeating: 0x20, count: Self.limit + 1)
        let error = failure { () throws(SystemError) in try files.replace(folder.file("a"), with: bytes) }
        #expect(error?.isTooLarge == true)
        #expect(folder.text("a") == "old")
        #expect(folder.names() == ["a"])
    }

    /// Without O_NONBLOCK, opening the file would never return.
    @Test
    func fifoIsRefusedAtOnce() throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder.file("a"), 0o600) == 0)
        let reading = try #require(failure { () throws(SystemError) in _ = try files.read(folder.file("a")) })
        #expect(reading.description == "cannot read \(folder.file("a")): it is a FIFO, not a regular file")
        #expect(!reading.isTooLarge)
        let creating = failure { () throws(SystemError) in _ = try files.create(folder.file("a")) }
        #expect(creating?.code == .noSuchAddressOrDevice)
    }

    @Test(arguments: [("/dev/zero", "a device"), ("/", "a folder")])
    func otherFilesThanRegularOnesAreNotRead(_ path: String, _ kind: String) throws {
        let error = try #require(failure { () throws(SystemError) in _ = try files.read(path) })
        #expect(error.reason == "it is \(kind), not a regular file")
    }

    @Test
    func fileWithoutASizeIsRead() throws {
        #expect(try files.read("/proc/self/status")?.isEmpty == false)
    }

    @Test
    func linkIsReadButNotWrittenThrough() throws {
        let folder = try TemporaryFolder()
        try folder.write("of somebody", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("target"))
        #expect(try files.read(folder.file("link")) == Array("of somebody".utf8))
        let error = try #require(failure { () throws(SystemError) in _ = try files.create(folder.file("link")) })
        #expect(
            error.description
                == "cannot create \(folder.file("link")): it is a symbolic link, and links are not followed here")
        #expect(folder.text("target") == "of somebody")
    }
}
