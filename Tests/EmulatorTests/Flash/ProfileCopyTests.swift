// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Persistence
import TestTraits
import Testing

/// The copy of profiles that ran last, on a medium that loses its power at every step of a write.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct ProfileCopyTests {
    private static let run = ["/etc/beaconry/profile.yaml"]
    private static let first = ProfileCopy(
        files: ["/etc/beaconry/profile.yaml": "profile: museum"], variables: ["ROOM": "3"])
    private static let second = ProfileCopy(
        files: ["/etc/beaconry/profile.yaml": "include: rooms.yaml", "/etc/beaconry/rooms.yaml": "beacons: []"],
        variables: ["ROOM": "4", "FLOOR": nil])

    private static func file(_ fileSystem: any FileSystem, of run: [String] = run) -> ProfileCopyFile {
        ProfileCopyFile(folder: "/state/.last-good/museum", of: run, fileSystem: fileSystem)
    }

    @Test func whatWasStoredIsRead() throws {
        let medium = VolatileFileSystem()
        #expect(try Self.file(medium).load() == nil)
        for copy in [Self.first, Self.second, Self.first] {
            try Self.file(medium).store(copy, at: "now")
            let kept = try Self.file(medium).load()
            #expect(kept?.copy == copy && kept?.time == "now")
        }
        #expect(try Self.file(medium, of: Self.run + ["--only door"]).load() == nil, "that is another run")
    }

    /// A start of the machine does not write to the medium if nothing has changed.
    @Test func equalCopyIsNotWritten() throws {
        let medium = VolatileFileSystem()
        try Self.file(medium).store(Self.second, at: "yesterday")
        let before = medium.outcomes
        try Self.file(medium).store(Self.second, at: "today")
        #expect(medium.outcomes == before)
        #expect(try Self.file(medium).load()?.time == "yesterday")
    }

    @Test(arguments: [first, nil])
    func powerLossLeavesTheFormerOrTheNewCopy(after former: ProfileCopy?) throws {
        func medium() throws -> VolatileFileSystem {
            let honest = VolatileFileSystem()
            guard let former else { return honest }
            try Self.file(honest).store(former, at: "")
            // The removal of files is not flushed, and must not be.
            try honest.synchronizeFolder("/state")
            return VolatileFileSystem(try #require(honest.outcomes.first))
        }
        let whole = try medium()
        whole.cutPower(after: .max)
        try Self.file(whole).store(Self.second, at: "")
        var found: Set<ProfileCopy?> = []
        for calls in 0...whole.callCount {
            let medium = try medium()
            medium.cutPower(after: calls)
            let isAcknowledged = (try? Self.file(medium).store(Self.second, at: "")) != nil
            for outcome in medium.outcomes {
                let copy = try Self.file(VolatileFileSystem(outcome)).load()?.copy
                #expect(copy == Self.second || !isAcknowledged && copy == former, "after \(calls) calls")
                found.insert(copy)
            }
        }
        #expect(found == [former, Self.second])
    }

    /// Tests the test above: on a medium that does not flush, a manifest may name files that are not there.
    @Test(arguments: VolatileFileSystem.Lie.allCases)
    func mediumThatDoesNotFlushIsNoticed(_ lie: VolatileFileSystem.Lie) throws {
        let medium = VolatileFileSystem(lie: lie)
        try Self.file(medium).store(Self.second, at: "")
        let isWhole = medium.outcomes.allSatisfy { outcome in
            (try? Self.file(VolatileFileSystem(outcome)).load())??.copy == Self.second
        }
        #expect(!isWhole)
    }

    @Test(arguments: ["manifest.json", "a-1-rooms.yaml"])
    func damagedCopyIsNamed(_ name: String) throws {
        let folder = try TemporaryFolder()
        let file = ProfileCopyFile(folder: folder.path, of: Self.run)
        try file.store(Self.second, at: "")
        #expect(folder.names().sorted() == ["a-0-profile.yaml", "a-1-rooms.yaml", "manifest.json"])
        try LocalFileSystem().replace(folder.file(name), with: [0xFF])
        let error = #expect(throws: PersistenceError.self) { try file.load() }
        #expect(error?.message.contains("cannot use the copy in \(folder.path)") == true)
        // The next one replaces it, with what a killed process has left.
        try LocalFileSystem().replace(folder.file("b-7-left"), with: [])
        try file.store(Self.first, at: "")
        #expect(try file.load()?.copy == Self.first)
        #expect(folder.names().count == 2)
    }

    /// Runs that share a state folder have a copy each, and one of them alone writes it.
    @Test func eachRunHasItsCopy() throws {
        let folder = try TemporaryFolder()
        let state = StateFolder(folder.file("state"))
        let (one, lock) = try state.lockCopy(of: ["/a/profile.yaml"])
        let (other, second) = try state.lockCopy(of: ["/b/profile.yaml"])
        #expect(one.folder != other.folder)
        let error = #expect(throws: PersistenceError.self) { try state.lockCopy(of: ["/a/profile.yaml"]) }
        #expect(error?.message.hasPrefix("the kept profiles of /a/profile.yaml are in use by process") == true)
        lock.release()
        second.release()
        _ = try state.lockCopy(of: ["/a/profile.yaml"])
    }
}
