// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import Persistence
import Testing

/// Power goes at every step of a durable write, and what was not made durable is lost, in every combination.
@Suite(.timeLimit(.minutes(1)))
struct PowerLossTests {
    private static let path = "/state/museum/entrance.json"
    private static let old = FlashFaultTests.old
    private static let new = FlashFaultTests.new

    private static func flash(_ fileSystem: any FileSystem) -> FlashFile {
        FlashFile(
            path: path, profile: "museum", beacon: "entrance", kind: "iot-design-shop", fileSystem: fileSystem)
    }

    /// What the file may hold after a reboot.
    private static func found(_ medium: VolatileFileSystem) throws -> Set<FlashFile.Contents> {
        Set(try medium.outcomes.map { try flash(VolatileFileSystem($0)).load() })
    }

    /// A medium on which a file is, durably.
    private static func medium(_ image: FlashImage?, lie: VolatileFileSystem.Lie? = nil) throws -> VolatileFileSystem {
        let honest = VolatileFileSystem()
        if let image { try flash(honest).store(image) }
        return VolatileFileSystem(try #require(honest.outcomes.first), lie: lie)
    }

    /// What may be found after power went after each number of calls, with whether the write was acknowledged.
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
    func theFileIsAlwaysOneWriteOrTheNext(replacing old: FlashImage?) throws {
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

    /// The test above is worth something: on a medium that skips either wait, it would fail.
    @Test(arguments: VolatileFileSystem.Lie.allCases)
    func aMediumThatDoesNotWaitIsNoticed(_ lie: VolatileFileSystem.Lie) throws {
        let after = FlashFile.Contents.image(Self.new)
        let steps = try Self.walk(replacing: Self.old, lie: lie)
        #expect(steps.contains { $0.isAcknowledged && $0.found != [after] })
        let isHalf = steps.contains { step in
            step.found.contains { if case .damaged = $0 { true } else { false } }
        }
        #expect(isHalf == (lie == .synchronize))
    }

    /// A central that is told of a failure cannot know which of both it will find, but never meets half of one.
    @Test
    func aWriteThatFailedAndThenLostPowerIsWhole() throws {
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
        for calls in 0...3 {
            let medium = try Self.medium(Self.old)
            medium.cutPower(after: calls)
            let isErased = (try? Self.flash(medium).erase()) != nil
            let possible: Set<FlashFile.Contents> = isErased ? [.absent] : [.image(Self.old), .absent]
            #expect(try Self.found(medium).isSubset(of: possible))
            #expect(isErased == (calls == 3))
        }
    }

    @Test
    func aDamagedFileThatIsSetAsideIsNeverLost() throws {
        for calls in 0...4 {
            let medium = VolatileFileSystem([Self.path: Array("not JSON".utf8)])
            medium.cutPower(after: calls)
            _ = try? Self.flash(medium).setAside()
            for files in medium.outcomes { #expect(files.values.contains(Array("not JSON".utf8))) }
        }
    }
}
