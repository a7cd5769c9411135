// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import Foundation
import Persistence
import Profiles
import Radio
import TestTraits
import Testing

@testable import BeaconryTools

/// Profiles that ran last, in place of those that cannot be read.
@Suite(.serialized, .realTime, .timeLimit(.minutes(10)))
struct LastGoodProfilesTests {
    /// A way in which a profile names a file: the key, the names, and the file's content.
    private struct Reference: CustomTestStringConvertible {
        let key: String
        let text: String
        let files: [String: String]
        var testDescription: String { key }
    }

    private static let references = [
        Reference(
            key: "include", text: "include: rooms/all.yaml",
            files: [
                "rooms/all.yaml": "include: [one.yaml, ../two.yaml]", "rooms/one.yaml": entry("one"),
                "two.yaml": entry("two"),
            ]),
        Reference(
            key: "track of CSV", text: "beacons: [\(beacon("walker", "track: rooms/walk.csv"))]",
            files: ["rooms/walk.csv": "t,x,y\n0,0,0\n10,5,0\n"]),
        Reference(
            key: "file of an included profile", text: "include: rooms/one.yaml",
            files: [
                "rooms/one.yaml": "beacons: [\(beacon("walker", "track: walk.csv"))]\n",
                "rooms/walk.csv": "t,x,y\n0,0,0\n10,5,0\n",
            ]),
        Reference(
            key: "trace of a characteristic",
            text: """
                beacons:
                  - id: pot
                    device: gatt
                    services:
                      - uuid: 181A
                        characteristics:
                          - { name: moisture, uuid: 2A6F, properties: [read], type: uint16, trace: { file: rooms/pot.csv } }
                """,
            files: ["rooms/pot.csv": "0,1\n5,2\n"]),
        Reference(
            key: "key of a sensor",
            text:
                "beacons: [{ id: a, device: beacon, format: bthome, address: C0:FF:EE:00:00:01, bind-key-file: rooms/key.txt }]",
            files: ["rooms/key.txt": "231d39c1d7cc1ab1aee224cd096db932\n"]),
        Reference(
            key: "track of GPX",
            text: "beacons: [\(beacon("walker", "track: { file: walk.gpx, anchor: { lat: 0, lon: 0 } }"))]",
            files: [
                "walk.gpx": """
                <gpx><trk><trkseg><trkpt lat="0" lon="0"><time>2026-01-01T00:00:00Z</time></trkpt>
                <trkpt lat="0.0001" lon="0"><time>2026-01-01T00:00:10Z</time></trkpt></trkseg></trk></gpx>
                """
            ]),
    ]

    /// The smallest PNG: one pixel.
    private static let pixel =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        ?? Data()

    private static func beacon(_ id: String, _ more: String) -> String {
        let frame = "ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7 }"
        return "{ id: \(id), device: ibeacon, \(frame)\(more.isEmpty ? "" : ", " + more) }"
    }

    private static func entry(_ id: String) -> String { "beacons: [\(beacon(id, ""))]\n" }

    private static func write(_ reference: Reference, to folder: TemporaryFolder) throws -> String {
        try FileManager.default.createDirectory(
            atPath: folder.file("rooms"), withIntermediateDirectories: true)
        for (name, text) in reference.files { _ = try folder.write(text, to: name) }
        return try folder.write("profile: museum\n\(reference.text)\n", to: "museum.yaml")
    }

    /// The profile that runs in place of one that cannot be read.
    private static func substitute(_ path: String, _ state: StateFolder) throws -> (text: String, message: String) {
        let last = LastGoodProfiles(of: [path], only: [], in: state)
        let faults = try #require(throws: ProfileFaults.self) { try last.load(noting: WatchedFiles()) }
        let (profiles, warning) = try #require(last.substitute(for: faults))
        #expect(warning.code == "profile-is-last-good")
        return (ProfileWriter.text(of: try #require(profiles.first)), warning.message)
    }

    private static func keep(_ path: String, _ state: StateFolder) throws -> String {
        let last = LastGoodProfiles(of: [path], only: [], in: state)
        let profiles = try last.load(noting: WatchedFiles())
        #expect(last.keep() == nil)
        return ProfileWriter.text(of: try #require(profiles.first))
    }

    /// Every file that a profile names is kept: each of them may be the one that is missing or broken.
    @Test(arguments: references.indices)
    func filesThatAProfileNamesAreKept(_ index: Int) throws {
        let reference = Self.references[index]
        let folder = try TemporaryFolder()
        let path = try Self.write(reference, to: folder)
        let state = StateFolder(folder.file("state"))
        let text = try Self.keep(path, state)
        for name in reference.files.keys.sorted() {
            let content = try #require(folder.text(of: name))
            try FileManager.default.removeItem(atPath: folder.file(name))
            let found = try Self.substitute(path, state)
            #expect(found.text == text && found.message.contains(name.split(separator: "/").last ?? ""))
            _ = try folder.write(content, to: name)
        }
        for name in reference.files.keys + ["museum.yaml"] {
            try FileManager.default.removeItem(atPath: folder.file(name))
        }
        #expect(try Self.substitute(path, state).text == text)
    }

    /// A picture is longer than one file of the copy.
    @Test func pictureIsKept() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "profile: museum\nmap: { image: plan.png, width: 3m }\nbeacons: []\n", to: "museum.yaml")
        let bytes = Self.pixel + Data(repeating: 7, count: 2_000_000)
        try bytes.write(to: URL(fileURLWithPath: folder.file("plan.png")))
        let state = StateFolder(folder.file("state"))
        _ = try Self.keep(path, state)
        try FileManager.default.removeItem(atPath: folder.file("plan.png"))
        let last = LastGoodProfiles(of: [path], only: [], in: state)
        let faults = try #require(throws: ProfileFaults.self) { try last.load(noting: WatchedFiles()) }
        let (profiles, _) = try #require(last.substitute(for: faults))
        #expect(profiles.first?.surroundings.plan?.picture.bytes == Array(bytes))
    }

    /// Files are read at these places of the sources only. Each is a kind above; another one needs a kind there, and goes through
    /// `ProfileSources.files`, where it is kept. ContentHash.swift passes the files of all others on.
    @Test func everyPlaceThatReadsAFileIsTested() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        var places: Set<String> = []
        for module in ["Profiles", "Devices"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: module), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                let reads =
                    text.contains(/try (sources\.|reader\.|self\.)?files\(/) || text.contains("LocalFileSystem")
                    || text.contains("contentsOfFile") || text.contains("fopen(")
                if reads { places.insert(file.lastPathComponent) }
            }
        }
        #expect(
            places == [
                "Beacon.swift", "ContentHash.swift", "ProfileExpansion.swift", "ProfileReader.swift",
                "QuantityReader.swift", "TrackFile.swift",
            ])
    }

    @Test func variablesAreKept() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "profile: museum\n\(Self.entry("\"room-${LAST_GOOD_ROOM}-${LAST_GOOD_UNSET:-x}\""))",
            to: "museum.yaml")
        let state = StateFolder(folder.file("state"))
        setenv("LAST_GOOD_ROOM", "3", 1)
        defer { unsetenv("LAST_GOOD_ROOM") }
        let text = try Self.keep(path, state)
        #expect(text.contains("room-3-x"))
        unsetenv("LAST_GOOD_ROOM")
        setenv("LAST_GOOD_UNSET", "y", 1)
        defer { unsetenv("LAST_GOOD_UNSET") }
        let found = try Self.substitute(path, state)
        #expect(found.text == text && found.message.contains("LAST_GOOD_ROOM is not set"))
    }

    @Test(arguments: ["profile: [", "profile: museum\nbeacons: [{ id: a, device: nothing }]", "", "profile: museum"])
    func faultsAreReplaced(_ broken: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("profile: museum\n\(Self.entry("door"))", to: "museum.yaml")
        let state = StateFolder(folder.file("state"))
        let text = try Self.keep(path, state)
        _ = try folder.write(broken, to: "museum.yaml")
        #expect(try Self.substitute(path, state).text == text)
    }

    @Test func withoutAProfileThatRanBeforeTheFaultsAreTheError() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("profile: [", to: "museum.yaml")
        let last = LastGoodProfiles(of: [path], only: [], in: StateFolder(folder.file("state")))
        let faults = try #require(throws: ProfileFaults.self) { try last.load(noting: WatchedFiles()) }
        #expect(last.substitute(for: faults) == nil)
    }

    /// A profile that the radio refuses is no better than one that cannot be read; one that has been on the air is.
    @Test func refusedProfileIsReplacedUntilOneHasRun() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("profile: museum\n\(Self.entry("door"))", to: "museum.yaml")
        let state = StateFolder(folder.file("state"))
        let text = try Self.keep(path, state)
        _ = try folder.write("profile: museum\nbeacons: []\n", to: "museum.yaml")
        let last = LastGoodProfiles(of: [path], only: [], in: state)
        let refusal = EmulatorError(RadioError(.cannotCarry, "2 of 3 beacons fit", hint: "run fewer"))
        #expect(refusal.isOfProfiles)
        let (profiles, warning) = try #require(last.substitute(for: refusal))
        #expect(ProfileWriter.text(of: try #require(profiles.first)) == text)
        #expect(warning.message.hasSuffix(": 2 of 3 beacons fit; run fewer"))
        #expect(warning.hint.contains("beaconry ctl reload --profile museum"))
        _ = last.keep()
        #expect(last.substitute(for: refusal) == nil)
    }

    @Test func stateFolderThatWasRemovedIsMadeAgain() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("profile: museum\n\(Self.entry("door"))", to: "museum.yaml")
        let state = StateFolder(folder.file("state"))
        let last = LastGoodProfiles(of: [path], only: [], in: state)
        _ = try last.load(noting: WatchedFiles())
        try FileManager.default.removeItem(atPath: folder.file("state"))
        #expect(last.keep() == nil)
        _ = try folder.write("profile: [", to: "museum.yaml")
        #expect(try Self.substitute(path, state).text.contains("door"))
    }

    @Test func stateFolderThatCannotBeUsedIsAWarning() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("profile: museum\n\(Self.entry("door"))", to: "museum.yaml")
        let state = StateFolder(try folder.write("", to: "state"))
        let last = LastGoodProfiles(of: [path], only: [], in: state)
        _ = try last.load(noting: WatchedFiles())
        #expect(last.keep()?.code == "profile-not-kept")
    }

    /// What was read for a reload that the radio refused does not replace what runs.
    @Test func profilesOfTheLatestReadingAreKept() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("profile: museum\n\(Self.entry("door"))", to: "museum.yaml")
        let state = StateFolder(folder.file("state"))
        _ = try Self.keep(path, state)
        _ = try folder.write("profile: museum\n\(Self.entry("gate"))", to: "museum.yaml")
        do {
            let last = LastGoodProfiles(of: [path], only: [], in: state)
            _ = try last.load(noting: WatchedFiles())
        }
        _ = try folder.write("profile: [", to: "museum.yaml")
        #expect(try Self.substitute(path, state).text.contains("door"))
    }
}
