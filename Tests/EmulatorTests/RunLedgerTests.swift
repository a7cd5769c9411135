// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// The ledgers of other runs are files that a test writes; the lock of a live run is held.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct RunLedgerTests {
    private static let key = "hci0"

    @Test
    func entriesAreInTheFileUntilTheLedgerIsClosed() throws {
        let folder = try TemporaryFolder()
        let ledger = try RunLedger(folder: folder.file("run"))
        #expect(folder.names("run").filter { $0.hasSuffix(".ledger") } == [])
        ledger.record(["1", "2"], under: Self.key)
        ledger.record(["7"], under: "hci1")
        let name = try #require(folder.names("run").first { $0.hasSuffix(".ledger") })
        let text = try #require(folder.text("run/\(name)"))
        let recorded = try JSONDecoder().decode([String: [String]].self, from: Data(text.utf8))
        #expect(recorded == ["hci0": ["1", "2"], "hci1": ["7"]])
        ledger.record([], under: "hci1")
        ledger.record([], under: Self.key)
        #expect(folder.names("run").filter { $0.hasSuffix(".ledger") } == [])
        ledger.record(["3"], under: Self.key)
        ledger.close()
        #expect(folder.names("run") == [])
    }

    @Test
    func leftoversOfADeadRunAreTakenOnce() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"hci0":["1","2"]}"#, to: "run-1.ledger")
        try folder.write("1\n", to: "run-1.ledger.lock")
        let ledger = try RunLedger(folder: folder.path)
        #expect(ledger.heldByOthers(under: Self.key) == [])
        #expect(ledger.takeLeftovers(under: Self.key) == ["1", "2"])
        #expect(ledger.takeLeftovers(under: Self.key) == [])
        ledger.close()
        #expect(folder.names() == [])
    }

    @Test
    func lockOfADeadRunWithoutEntriesIsRemoved() throws {
        let folder = try TemporaryFolder()
        try folder.write("1\n", to: "run-1.ledger.lock")
        let live = try FileLock(folder.file("run-2.ledger.lock"))
        let ledger = try RunLedger(folder: folder.path)
        #expect(!folder.names().contains("run-1.ledger.lock") && folder.names().contains("run-2.ledger.lock"))
        ledger.close()
        live.release()
        #expect(folder.names() == [])
    }

    @Test
    func entriesOfDeadRunsAreReadAndStay() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"hci0":["1","2"]}"#, to: "run-1.ledger")
        try folder.write(#"{"hci0":["3"],"hci1":["4"]}"#, to: "run-2.ledger")
        let live = try RunLedger(folder: folder.path)
        live.record(["5"], under: Self.key)
        for _ in 0..<2 {
            let found = RunLedger.abandonedEntries(in: [folder.path], since: 0)
            #expect(found.mapValues { $0.sorted() } == ["hci0": ["1", "2", "3"], "hci1": ["4"]])
        }
        // Those from before a time are left out.
        #expect(RunLedger.abandonedEntries(in: [folder.path], since: 1e12).isEmpty)
        live.close()
    }

    /// Root cleans up after services, whose ledgers are in another folder and stay theirs.
    @Test
    func ledgersOfOtherFoldersAreCleanedUp() throws {
        let (folder, services) = (try TemporaryFolder(), try TemporaryFolder())
        try services.write(#"{"hci0":["1"],"hci1":["5"]}"#, to: "run-7.ledger")
        let ledger = try RunLedger(folder: folder.path, besides: [services.path])
        #expect(ledger.leftovers(under: Self.key) == ["1"])
        #expect(ledger.takeLeftovers(under: Self.key) == ["1"])
        #expect(services.text("run-7.ledger") == #"{"hci1":["5"]}"#)
        #expect(ledger.takeLeftovers(under: "hci1") == ["5"])
        #expect(services.names() == [])
        ledger.close()
    }

    @Test
    func whatWasLeftOutlivesTheRun() throws {
        let folder = try TemporaryFolder()
        let first = try RunLedger(folder: folder.path)
        first.record(["4", "5"], under: Self.key)
        first.leave(["5"], under: Self.key)
        first.leave(["3"], under: Self.key)
        #expect(first.takeLeftovers(under: Self.key) == ["5", "3"])
        #expect(first.takeLeftovers(under: Self.key) == [])
        first.leave(["3"], under: Self.key)
        first.close()
        let second = try RunLedger(folder: folder.path)
        #expect(second.takeLeftovers(under: Self.key) == ["3"])
        second.close()
        #expect(folder.names() == [])
    }

    @Test
    func leftoversUnderAnotherKeyStay() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"hci0":["1"],"hci1":["5"]}"#, to: "run-1.ledger")
        let ledger = try RunLedger(folder: folder.path)
        #expect(ledger.takeLeftovers(under: Self.key) == ["1"])
        #expect(folder.text("run-1.ledger") == #"{"hci1":["5"]}"#)
        #expect(ledger.takeLeftovers(under: "hci1") == ["5"])
        ledger.close()
        #expect(folder.names() == [])
    }

    @Test
    func entriesOfALiveRunAreNotTaken() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"hci0":["1","2"]}"#, to: "run-1.ledger")
        let other = try FileLock(folder.file("run-1.ledger.lock"))
        let ledger = try RunLedger(folder: folder.path)
        #expect(ledger.takeLeftovers(under: Self.key) == [])
        #expect(ledger.heldByOthers(under: Self.key) == ["1", "2"])
        #expect(ledger.heldByOthers(under: "hci1") == [])
        // The other run ends, and the kernel releases its lock.
        other.release()
        #expect(ledger.heldByOthers(under: Self.key) == [])
        #expect(ledger.takeLeftovers(under: Self.key) == ["1", "2"])
        ledger.close()
        #expect(folder.names() == [])
    }

    @Test
    func ownEntriesAreNeitherLeftoversNorOthers() throws {
        let folder = try TemporaryFolder()
        let ledger = try RunLedger(folder: folder.path)
        ledger.record(["1"], under: Self.key)
        #expect(ledger.takeLeftovers(under: Self.key) == [])
        #expect(ledger.heldByOthers(under: Self.key) == [])
        ledger.close()
    }

    /// In containers, all runs may have the same process number.
    @Test
    func deadRunWithTheSameProcessNumberIsAnotherRun() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"hci0":["1"],"hci1":["5"]}"#, to: "run-\(getpid()).ledger")
        try folder.write("\(getpid())\n", to: "run-\(getpid()).ledger.lock")
        let ledger = try RunLedger(folder: folder.path)
        ledger.record(["9"], under: Self.key)
        #expect(ledger.takeLeftovers(under: Self.key) == ["1"])
        #expect(ledger.takeLeftovers(under: "hci1") == ["5"])
        #expect(ledger.takeLeftovers(under: Self.key) == [])
        ledger.close()
        #expect(folder.names() == [])
    }

    @Test
    func liveRunWithTheSameProcessNumberIsAnotherRun() throws {
        let folder = try TemporaryFolder()
        let first = try RunLedger(folder: folder.path)
        let second = try RunLedger(folder: folder.path)
        first.record(["1"], under: Self.key)
        second.record(["2"], under: Self.key)
        #expect(first.heldByOthers(under: Self.key) == ["2"])
        #expect(second.heldByOthers(under: Self.key) == ["1"])
        #expect(first.takeLeftovers(under: Self.key) == [])
        first.close()
        #expect(second.heldByOthers(under: Self.key) == [])
        second.close()
        #expect(folder.names() == [])
    }

    @Test
    func damagedLedgerIsIgnored() throws {
        let folder = try TemporaryFolder()
        try folder.write("garbage", to: "run-1.ledger")
        let ledger = try RunLedger(folder: folder.path)
        #expect(ledger.takeLeftovers(under: Self.key) == [])
        ledger.close()
    }

    @Test
    func folderThatCannotBeCreatedIsReported() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let error = #expect(throws: PersistenceError.self) { try RunLedger(folder: folder.file("file/run")) }
        #expect(error.map { EmulatorError($0).code } == .cannotCreate)
        #expect(error?.hint == "set XDG_RUNTIME_DIR to a folder that you own")
    }

    /// Another user's folder may contain links to files of this user.
    @Test
    func folderThatOthersCanWriteToIsRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("precious", to: "precious")
        let run = folder.file("run")
        try #require(mkdir(run, 0o777) == 0 && chmod(run, 0o777) == 0)
        try #require(symlink(folder.file("precious"), "\(run)/run-\(getpid()).ledger.lock") == 0)
        let error = #expect(throws: PersistenceError.self) { try RunLedger(folder: run) }
        #expect(error.map { EmulatorError($0).code } == .cannotCreate)
        #expect(error?.message == "cannot use \(run): other users have access to it (mode 777)")
        #expect(error?.hint.contains("XDG_RUNTIME_DIR") == true)
        #expect(folder.text("precious") == "precious")
    }
}
