// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import Persistence
import TestTraits
import Testing

/// A power loss at every step of a write, with every combination of lost changes.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct PowerLossTests {
    private static let path = "/state/museum/entrance.json"
    private static let old = FlashFaultTests.old
    private static let new = FlashFaultTests.new

    private static func flash(_ fileSystem: any FileSystem) -> FlashFile {
        FlashFile(
            path: path, profile: "museum", beacon: "entrance", kind: "iot-design-shop", fileSystem: fileSystem)
    }

    /// The possible contents of the file after a reboot.
    private static func found(_ medium: VolatileFileSystem) throws -> Set<FlashFile.Contents> {
        Set(try medium.outcomes.map { try flash(VolatileFileSystem($0)).load() })
    }

    /// A medium with a saved file.
    private static func medium(_ image: FlashImage?, lie: VolatileFileSystem.Lie? = nil) throws -> VolatileFileSystem {
        let honest = VolatileFileSystem()
        if let image { try flash(honest).store(image) }
        return VolatileFileSystem(try #require(honest.outcomes.first), lie: lie)
    }

    /// For a power loss after each number of calls: whether the write was acknowledged, and the possible contents.
    private static func walk(
        replacing old: FlashImage?, lie: VolatileFileSystem.Lie? = nil
    ) throws -> [(isAcknowledged: Bool, found: Set<FlashFile.Contents>)] {
        let whole = try medium(old)
        whole.cutPower(after: .max)
        try flash(whole).store(new)
        return try (0...whole.callCount).map { calls in
            let medium = try medium(old, lie: lie)
            medium.cutPower(after: calls)
            let isAcknowledged = (try? flash(medium).store(new)) != nil
            return (isAcknowledged, try found(medium))
        }
    }

    @Test(arguments: [old, nil])
    func fileHoldsTheOldOrTheNewContent(replacing old: FlashImage?) throws {
        let before = old.map(FlashFile.Contents.image) ?? .absent
        let after = FlashFile.Contents.image(Self.new)
        let steps = try Self.walk(replacing: old)
        for step in steps {
            #expect(step.found.isSubset(of: step.isAcknowledged ? [after] : [before, after]))
            #expect(!step.found.isEmpty)
        }
        #expect(steps.first?.found == [before])
        #expect(steps.last?.isAcknowledged == true)
        #expect(steps.contains { $0.found == [before, after] })
    }

    /// Tests the test above: it fails on a medium that skips either flush.
    @Test(arguments: VolatileFileSystem.Lie.allCases)
    func mediumThatDoesNotFlushIsNoticed(_ lie: VolatileFileSystem.Lie) throws {
        let after = FlashFile.Contents.image(Self.new)
        let steps = try Self.walk(replacing: Self.old, lie: lie)
        #expect(steps.contains { $0.isAcknowledged && $0.found != [after] })
        let isHalf = steps.contains { step in
            step.found.contains { if case .damaged = $0 { true } else { false } }
        }
        #expect(isHalf == (lie == .synchronize))
    }

    /// After an error a central may find the old or the new value, but never a mixture.
    @Test
    func failedWriteFollowedByPowerLossIsWhole() throws {
        let medium = try Self.medium(Self.old)
        let fileSystem = FaultyFileSystem(medium)
        let calls = try FlashFaultTests.callsOfOneWrite(replacing: Self.old)
        fileSystem.arm(.failedFolderSync, at: try #require(calls.firstIndex(of: .synchronizeFolder)))
        #expect(throws: SystemError.self) { try Self.flash(fileSystem).store(Self.new) }
        #expect(try Self.found(medium).isSubset(of: [.image(Self.old), .image(Self.new)]))
        #expect(try Self.flash(medium).load() == .image(Self.old))
    }

    @Test
    func erasedSettingsStayErased() throws {
        // The file is read, renamed, looked for again and removed; then the folder is flushed.
        for calls in 0...5 {
            let medium = try Self.medium(Self.old)
            medium.cutPower(after: calls)
            let isErased = (try? Self.flash(medium).erase()) != nil
            let possible: Set<FlashFile.Contents> = isErased ? [.absent] : [.image(Self.old), .absent]
            #expect(try Self.found(medium).isSubset(of: possible))
            #expect(isErased == (calls == 5))
        }
    }

    @Test
    func damagedFileThatIsSetAsideIsNeverLost() throws {
        for calls in 0...4 {
            let medium = VolatileFileSystem([Self.path: Array("not JSON".utf8)])
            medium.cutPower(after: calls)
            _ = try? Self.flash(medium).setAside()
            for files in medium.outcomes { #expect(files.values.contains(Array("not JSON".utf8))) }
        }
    }
}
