// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator
import Persistence
import TestTraits
import Testing

/// Every step of a write with every fault: the file has its old or its new content, whole.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct FlashFaultTests {
    typealias Fault = FaultyFileSystem.Fault

    static let old = Samples.image(major: 0x1111)
    static let new = Samples.image(major: 0x2222)

    static func flash(_ folder: TemporaryFolder, _ fileSystem: any FileSystem = LocalFileSystem()) -> FlashFile {
        FlashFile(
            path: folder.file("entrance.json"), profile: "museum", beacon: "entrance", kind: "iot-design-shop",
            fileSystem: fileSystem)
    }

    /// The calls of a successful write.
    static func callsOfOneWrite(replacing image: FlashImage?) throws -> [FaultyFileSystem.Call] {
        let folder = try TemporaryFolder()
        let fileSystem = FaultyFileSystem()
        let flash = flash(folder, fileSystem)
        if let image { try flash.store(image) }
        fileSystem.disarm()
        try flash.store(new)
        return fileSystem.calls
    }

    @Test
    func writeFlushesTheBytesBeforeTheNameAndTheNameBeforeItReturns() throws {
        let calls = try Self.callsOfOneWrite(replacing: Self.old).filter { $0 != .read }
        #expect(calls == [.create, .write, .synchronize, .close, .rename, .synchronizeFolder])
    }

    @Test(arguments: Fault.allCases, [old, nil])
    func everyStepOfAWrite(_ fault: Fault, replacing old: FlashImage?) throws {
        let calls = try Self.callsOfOneWrite(replacing: old)
        var strikes = 0
        for step in calls.indices {
            let folder = try TemporaryFolder()
            if let old { try Self.flash(folder).store(old) }
            let fileSystem = FaultyFileSystem()
            fileSystem.arm(fault, at: step)
            let failure = Self.failure(of: Self.flash(folder, fileSystem))
            if fileSystem.hasStruck { strikes += 1 }

            let found = try Self.flash(folder).load()
            let before = old.map(FlashFile.Contents.image) ?? .absent
            let after = FlashFile.Contents.image(Self.new)
            switch (failure, fault.isCrash && fileSystem.hasStruck) {
            case (nil, _): #expect(found == after, "acknowledged, \(fault) at \(calls[step])")
            case (_, false): #expect(found == before, "refused, \(fault) at \(calls[step])")
            case (_, true): #expect(found == before || found == after, "\(fault) at \(calls[step])")
            }
            if !fault.isCrash { #expect(folder.names().filter { $0 != "entrance.json" } == []) }

            // Leftovers do not disturb the next write.
            try Self.flash(folder).store(Samples.image(major: 0x3333))
            #expect(try Self.flash(folder).load() == .image(Samples.image(major: 0x3333)))
            #expect(folder.names() == ["entrance.json"])
        }
        #expect(strikes == calls.filter(fault.concerns).count)
        #expect(strikes > 0)
    }

    /// Only a short write is repaired; all other faults are errors.
    @Test(arguments: Fault.allCases)
    func faultsAreReportedOrRepaired(_ fault: Fault) throws {
        let folder = try TemporaryFolder()
        try Self.flash(folder).store(Self.old)
        let calls = try Self.callsOfOneWrite(replacing: Self.old)
        let step = try #require(calls.firstIndex(where: fault.concerns))
        let fileSystem = FaultyFileSystem()
        fileSystem.arm(fault, at: step)
        let failure = Self.failure(of: Self.flash(folder, fileSystem))
        #expect((failure == nil) == (fault == .shortWrite))
    }

    private static func failure(of flash: FlashFile) -> SystemError? {
        do throws(SystemError) {
            try flash.store(new)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: Fault.allCases)
    func everyStepOfErasing(_ fault: Fault) throws {
        for step in 0..<4 {
            let folder = try TemporaryFolder()
            try Self.flash(folder).store(Self.old)
            let fileSystem = FaultyFileSystem()
            fileSystem.arm(fault, at: step)
            do {
                try Self.flash(folder, fileSystem).erase()
                #expect(try Self.flash(folder).load() == .absent)
            } catch {
                let found = try Self.flash(folder).load()
                #expect(found == .image(Self.old) || found == .absent)
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func everyStepOfSettingAside(_ fault: Fault) throws {
        for step in 0..<4 {
            let folder = try TemporaryFolder()
            try folder.write("not JSON", to: "entrance.json")
            let fileSystem = FaultyFileSystem()
            fileSystem.arm(fault, at: step)
            _ = try? Self.flash(folder, fileSystem).setAside()
            // The file exists with its content, under one of the names.
            #expect(folder.names().count == 1)
            #expect(try folder.text(#require(folder.names().first)) == "not JSON")
        }
    }
}
