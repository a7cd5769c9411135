// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Foundation
import Radio
import SystemPackage
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Bond files, and the vault that uses them.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct BondFileTests {
    static let peer = RemoteAddress(BluetoothAddress(octets: [0xC0, 0xFF, 0xEE, 0, 0, 2]) ?? .zero, isRandom: true)

    static let secrets = StoredSecrets(
        own: ["irk": "00112233445566778899aabbccddeeff"],
        bonds: [
            StoredBond(
                peer: PairedPeer(
                    address: peer, isBonded: true, isAuthenticated: true, usesSecureConnections: false, keySize: 16),
                fields: ["key": "ff", "name": "ä\n\""]),
            StoredBond(
                peer: PairedPeer(
                    address: RemoteAddress(BluetoothAddress(octets: [0, 1, 2, 3, 4, 5]) ?? .zero, isRandom: false),
                    isBonded: true),
                fields: [:]),
        ])

    private static func file(
        _ folder: TemporaryFolder, _ fileSystem: any FileSystem = LocalFileSystem()
    ) -> BondFile {
        StateFolder(folder.path, fileSystem: fileSystem).bonds(profile: "museum", beacon: "entrance")
    }

    private static func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try Folder.create(folder.file("museum"))
        return folder
    }

    @Test
    func savedBondsAreLoaded() throws {
        let folder = try Self.makeFolder()
        let file = Self.file(folder)
        #expect(try file.load() == .absent)
        try file.store(Self.secrets)
        #expect(try Self.file(folder).load() == .secrets(Self.secrets))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600, "only the owner can read the keys")
        try file.store(StoredSecrets())
        #expect(try file.load() == .secrets(StoredSecrets()))
        #expect(try file.erase())
        #expect(try !file.erase())
    }

    /// A reset also finds a beacon that has only saved bonds.
    @Test
    func beaconWithBondsHasState() throws {
        let folder = try Self.makeFolder()
        try Self.file(folder).store(Self.secrets)
        #expect(StateFolder(folder.path).beacons(of: "museum") == ["entrance"])
    }

    @Test(arguments: [
        ("", "it is not a file of bonds"), ("[]", "it is not a file of bonds"),
        (#"{"v":2,"profile":"museum","beacon":"entrance","own":{},"bonds":[]}"#, "it is of version 2, not 1"),
        (#"{"v":1,"profile":"museum","beacon":"entrance","own":{}}"#, "it is not a file of bonds"),
        (
            #"{"v":1,"profile":"museum","beacon":"entrance","own":{},"bonds":[{"peer":"C0:FF","random":true,"keys":{}}]}"#,
            "\"C0:FF\" is not an address"
        ),
        (
            #"{"v":1,"profile":"museum","beacon":"entrance","own":{},"bonds":[{"peer":1,"random":true,"keys":{}}]}"#,
            "it is not a file of bonds"
        ),
    ])
    func otherContentIsReportedAsDamaged(_ text: String, _ reason: String) throws {
        let folder = try Self.makeFolder()
        let file = Self.file(folder)
        try Data(text.utf8).write(to: URL(filePath: file.path))
        #expect(try file.load() == .damaged(reason: reason))
    }

    @Test
    func everyPrefixIsReportedAsDamaged() throws {
        let folder = try Self.makeFolder()
        let file = Self.file(folder)
        try file.store(Self.secrets)
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        // The last byte is a line end.
        for length in 0..<bytes.count - 1 {
            try bytes.prefix(length).write(to: URL(filePath: file.path))
            guard case .damaged = try file.load() else {
                Issue.record("\(length) bytes of \(bytes.count) were accepted")
                continue
            }
        }
    }

    // MARK: - The vault

    @Test
    func vaultSavesInTheFile() throws {
        let folder = try Self.makeFolder()
        let beacon = BeaconIdentifier("entrance")
        let events = EventLog<EventRecord>()
        let vault = BondVault { events.append(EventRecord(.beacon($0, $1))) }
        try vault.open(beacon, Self.file(folder), resets: false)
        #expect(vault.secrets(of: beacon) == StoredSecrets())
        #expect(vault.save(Self.secrets, of: beacon))
        #expect(events.entries.map(\.event) == ["bonds-saved"])
        let later = BondVault { events.append(EventRecord(.beacon($0, $1))) }
        try later.open(beacon, Self.file(folder), resets: false)
        #expect(later.secrets(of: beacon) == Self.secrets)
        let reset = BondVault { events.append(EventRecord(.beacon($0, $1))) }
        try reset.open(beacon, Self.file(folder), resets: true)
        #expect(reset.secrets(of: beacon) == StoredSecrets())
        #expect(events.entries.map(\.event) == ["bonds-saved", "bonds-reset"])
        #expect(try Self.file(folder).load() == .absent)
    }

    @Test
    func fullMediumKeepsTheSavedBonds() throws {
        let folder = try Self.makeFolder()
        let beacon = BeaconIdentifier("entrance")
        try Self.file(folder).store(Self.secrets)
        let events = EventLog<EventRecord>()
        let vault = BondVault { events.append(EventRecord(.beacon($0, $1))) }
        try vault.open(beacon, Self.file(folder, FullFileSystem()), resets: false)
        #expect(!vault.save(StoredSecrets(), of: beacon))
        #expect(vault.secrets(of: beacon) == Self.secrets)
        #expect(try Self.file(folder).load() == .secrets(Self.secrets))
        #expect(events.entries.map(\.code) == ["bond-not-kept"])
    }

    @Test
    func damagedFileIsSetAside() throws {
        let folder = try Self.makeFolder()
        let beacon = BeaconIdentifier("entrance")
        let file = Self.file(folder)
        try Data("garbage".utf8).write(to: URL(filePath: file.path))
        let events = EventLog<EventRecord>()
        let vault = BondVault { events.append(EventRecord(.beacon($0, $1))) }
        try vault.open(beacon, file, resets: false)
        #expect(vault.secrets(of: beacon) == StoredSecrets())
        #expect(events.entries.map(\.code) == ["bonds-damaged"])
        #expect(try String(contentsOfFile: file.path + ".damaged-1", encoding: .utf8) == "garbage")
    }

    /// With another beacon's keys, the phones of that beacon could use this one.
    @Test
    func fileOfAnotherBeaconIsReportedAsDamaged() throws {
        let folder = try Self.makeFolder()
        try Self.file(folder).store(Self.secrets)
        let (state, names) = (StateFolder(folder.path), ("entrance.bonds", "exit.bonds"))
        try FileManager.default.copyItem(
            atPath: folder.file("museum/\(names.0)"), toPath: folder.file("museum/\(names.1)"))
        #expect(
            try state.bonds(profile: "museum", beacon: "exit").load()
                == .damaged(reason: "it is of \"museum/entrance\", not \"museum/exit\""))
    }

    /// The first MiB alone would be a valid file.
    @Test
    func largeFileIsSetAsideWhole() throws {
        let folder = try Self.makeFolder()
        let file = Self.file(folder)
        try file.store(Self.secrets)
        let text = try String(contentsOfFile: file.path, encoding: .utf8) + String(repeating: " ", count: 1 << 20)
        try Data(text.utf8).write(to: URL(filePath: file.path))
        let size = text.utf8.count
        #expect(
            try file.load() == .damaged(reason: "its size is \(size) bytes, and the limit is 1048576 bytes"))
        #expect(try file.setAside() == file.path + ".damaged-1")
        #expect(try String(contentsOfFile: file.path + ".damaged-1", encoding: .utf8) == text)
    }
}

/// A file system without room for new files.
private struct FullFileSystem: FileSystem {
    private let real = LocalFileSystem()

    func create(_ path: String, isPrivate: Bool) throws(SystemError) -> FileDescriptor {
        throw SystemError(.noSpace, attempt: "create \(path)")
    }
    func write(_ bytes: ArraySlice<UInt8>, to descriptor: FileDescriptor) throws(SystemError) -> Int {
        try real.write(bytes, to: descriptor)
    }
    func synchronize(_ descriptor: FileDescriptor) throws(SystemError) { try real.synchronize(descriptor) }
    func close(_ descriptor: FileDescriptor) { real.close(descriptor) }
    func rename(_ path: String, to newPath: String) throws(SystemError) { try real.rename(path, to: newPath) }
    func synchronizeFolder(_ path: String) throws(SystemError) { try real.synchronizeFolder(path) }
    func remove(_ path: String) throws(SystemError) { try real.remove(path) }
    func read(_ path: String) throws(SystemError) -> [UInt8]? { try real.read(path) }
}
