// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Space
import Testing

@testable import Profiles

/// Variables, merge keys, included files, defaults and counts.
@Suite struct ProfileExpansionTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    private func profile(
        _ text: String, files: [String: String] = [:], environment: [String: String]? = [:]
    ) throws(ProfileFaults) -> Profile {
        let variables: ProfileEnvironment? = environment.map { values in { @Sendable name in values[name] } }
        let sources = ProfileSources(
            files: { path throws(ValueFault) in
                guard let text = files[path] else { throw ValueFault("there is no file \"\(path)\"") }
                return text
            }, environment: variables)
        return try Profile(parsing: text, file: "shop/p.yaml", sources: sources)
    }

    private func faults(
        _ text: String, files: [String: String] = [:], environment: [String: String]? = [:]
    ) -> [String] {
        do throws(ProfileFaults) {
            _ = try profile(text, files: files, environment: environment)
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    private func frames(_ profile: Profile) -> [String] {
        profile.beacons.map { beacon in
            let frame = beacon.device.frame
            return "\(beacon.id) \(frame?.major ?? 0) \(frame?.minor ?? 0)"
        }
    }

    /// The name that a beacon advertises.
    private func name(_ beacon: BeaconDefinition) -> String? {
        var status = DeviceWriter()
        beacon.device.write(to: &status)
        return status.lines.first { $0.hasPrefix("name: ") }.map {
            String($0.dropFirst("name: ".count)).replacing("\"", with: "")
        }
    }

    // MARK: - Count

    @Test func entryWithCountIsRepeated() throws {
        let profile = try profile(
            """
            profile: p
            beacons:
              - { id: shelf, device: ibeacon, count: 3, name: "S{n:2}", ibeacon: { uuid: \(Self.uuid), minor: 11..13 } }
              - { id: "row{n}x", device: ibeacon, count: 2, ibeacon: { uuid: \(Self.uuid), major: 10..5, minor: "{n}" } }
            """)
        #expect(frames(profile) == ["shelf-1 0 11", "shelf-2 0 12", "shelf-3 0 13", "row1x 10 1", "row2x 5 2"])
        #expect(name(profile.beacons[2]) == "S03")
    }

    @Test func positionsOfCopiesAreOnALineOrAGrid() throws {
        let entry = "{ device: ibeacon, count: 5, ibeacon: { uuid: \(Self.uuid) }"
        let profile = try profile(
            """
            profile: p
            beacons:
              - \(entry), id: line, position: [0..10, 4] }
              - \(entry), id: grid, grid: { columns: 2, spacing: 1.5m, origin: [10, 20] } }
            """)
        let places = profile.beacons.map { beacon in
            let position = beacon.movement?.motion.position(at: .zero)
            return [position?.x, position?.y]
        }
        #expect(places[0..<5] == [[0, 4], [2.5, 4], [5, 4], [7.5, 4], [10, 4]])
        #expect(places[5...] == [[10, 20], [11.5, 20], [10, 21.5], [11.5, 21.5], [10, 23]])
    }

    @Test func twoHundredBeaconsNeedSixLines() throws {
        let text = """
            profile: warehouse
            defaults: { device: ibeacon, ibeacon: { uuid: \(Self.uuid), major: 1 } }
            beacons:
              - { id: shelf, count: 200, ibeacon: { minor: 1..200 }, grid: { columns: 20, spacing: 2m } }
            """
        let profile = try profile(text)
        #expect(text.split(separator: "\n").count <= 6)
        #expect(profile.beacons.count == 200)
        #expect(frames(profile).last == "shelf-200 1 200")
    }

    @Test(arguments: [
        ("count: 0", "a number from 1 to 10000 is expected here"),
        ("count: 3, interval: 100ms..500ms", "100ms..500ms"),
        ("count: 3, ibeacon: { minor: 1..4 }", "1..4 has 4 values, and the count is 3; write 1..3"),
        ("count: 2, ibeacon: { minor: 70000 }", "70000"),
        ("count: 2, grid: { columns: 2, spacing: 0 }", "spacing, in metres, is expected"),
        ("count: 2, grid: { rows: 2 }", "there is no key \"rows\" here"),
    ])
    func faultOfCopiesIsReportedOnce(keys: String, message: String) {
        let text = """
            profile: p
            defaults: { device: ibeacon, ibeacon: { uuid: \(Self.uuid) } }
            beacons: [{ id: a, \(keys) }]
            """
        let faults = faults(text).filter { $0.contains(message) }
        #expect(faults.count == 1, "\(self.faults(text))")
        #expect(faults.first?.hasPrefix("shop/p.yaml:3:") == true)
    }

    @Test func rangesOfHugeNumbersAreRefused() {
        let range = "-9223372036854775808..9223372036854775807"
        let text = "profile: p\nbeacons: [{ id: a, device: ibeacon, count: 2, interval: \(range) }]"
        #expect(!faults(text).isEmpty)
    }

    // MARK: - Defaults

    @Test func ownKeysReplaceDefaults() throws {
        let profile = try profile(
            """
            profile: p
            defaults: { device: ibeacon, interval: 200ms, position: [1, 1], ibeacon: { uuid: \(Self.uuid), major: 7 } }
            beacons:
              - { id: a }
              - { id: b, interval: 1s, orbit: { centre: [0, 0], radius: 2, period: 10s }, ibeacon: { minor: 2 } }
              - { id: c, device: iot-design-shop, ibeacon: { major: 8 } }
            """)
        #expect(frames(profile) == ["a 7 0", "b 7 2", "c 8 1"])
        #expect(profile.beacons.map(\.device.advertising.interval.count) == [320, 1600, 320])
    }

    @Test func defaultThatOneBeaconUsesIsNoFaultOfAnother() throws {
        let text = """
            profile: p
            defaults: { interval: 200ms, level: 50 }
            beacons:
              - { id: a, device: battery }
              - { id: b, device: ibeacon, ibeacon: { uuid: \(Self.uuid) } }
            """
        #expect(try profile(text).beacons.count == 2)
    }

    @Test func defaultThatNoBeaconUsesIsAFault() {
        let text = """
            profile: p
            defaults: { intervall: 200ms }
            beacons:
              - { id: a, device: ibeacon, ibeacon: { uuid: \(Self.uuid) } }
              - { id: b, device: ibeacon, ibeacon: { uuid: \(Self.uuid) } }
            """
        let faults = faults(text)
        #expect(faults.count == 1)
        let message = "shop/p.yaml:2:13: defaults: there is no key \"intervall\" here"
        #expect(faults.first?.contains(message) == true, "\(faults)")
    }

    // MARK: - Merge keys

    @Test func mergeKeysAddKeys() throws {
        let profile = try profile(
            """
            profile: p
            x-shelf: &shelf { device: ibeacon, interval: 200ms, ibeacon: { uuid: \(Self.uuid), minor: 1 } }
            x-slow: &slow { interval: 1s, name: Slow }
            beacons:
              - { id: a, <<: *shelf }
              - { id: b, <<: [*slow, *shelf], name: Mine }
            """)
        #expect(profile.beacons.map(\.device.advertising.interval.count) == [320, 1600])
        #expect(profile.beacons.map(name) == [nil, "Mine"])
    }

    @Test func mergeOfAWordIsAFault() {
        let faults = faults("profile: p\nbeacons: [{ <<: shelf }]")
        #expect(faults.contains { $0.contains("a mapping, or a list of mappings") })
    }

    // MARK: - Environment

    @Test func variablesAreReplaced() throws {
        let text = """
            profile: p
            beacons:
              - id: "${PLACE}-door"
                device: ibeacon
                name: "$${x} ${EMPTY:-none}"
                ibeacon: { uuid: \(Self.uuid), major: "${N:-3}" }
            """
        let profile = try profile(text, environment: ["PLACE": "north", "EMPTY": ""])
        #expect(frames(profile) == ["north-door 3 0"])
        #expect(name(profile.beacons[0]) == "${x} none")
    }

    @Test(arguments: [
        ("${PLACE}", "the environment variable PLACE is not set; set it, or write ${PLACE:-default}"),
        ("${PLACE", "has no \"}\""), ("${1}", "\"1\" is not the name of a variable"), ("${}", "\"\" is not the name"),
    ])
    func wrongVariableIsAFault(text: String, message: String) {
        let faults = faults("profile: p\nbeacons: [{ id: \"\(text)\", device: ibeacon }]")
        #expect(faults.contains { $0.contains(message) && $0.hasPrefix("shop/p.yaml:2:17") }, "\(faults)")
    }

    @Test func variablesAreRefusedWhereThereAreNone() {
        let faults = faults("profile: \"${HOME}\"\nbeacons: []", environment: nil)
        #expect(faults.contains { $0.contains("environment variables are not available here") })
    }

    // MARK: - Included files

    @Test func includedFilesAddBeaconsWallsRoomsAndDefaults() throws {
        let files = [
            "parts/common.yaml": """
            profile: ignored
            defaults: { device: ibeacon, interval: 1s, ibeacon: { uuid: \(Self.uuid), major: 4 } }
            include: doors.yaml
            """,
            "parts/doors.yaml": "beacons: [{ id: door }]\nwalls: [{ from: [0, 0], to: [1, 0], loss: 6dB }]\n"
                + "floors: [{ id: ground, from: 0m }]\nrooms: [{ id: a, floor: ground, outline: [[0, 0], [1, 0], [1, 1]] }]",
        ]
        let profile = try profile(
            "profile: p\ninclude: [parts/common.yaml]\ndefaults: { interval: 200ms }\nbeacons: [{ id: own }]\n"
                + "rooms: [{ id: b, floor: ground, outline: [[1, 0], [2, 0], [1, 1]] }]",
            files: files)
        #expect(profile.name == "p")
        #expect(frames(profile) == ["door 4 0", "own 4 0"])
        #expect(profile.beacons.map(\.device.advertising.interval.count) == [320, 320])
        #expect(profile.surroundings.walls.count == 1)
        #expect(profile.surroundings.building?.rooms.map(\.id) == ["a", "b"])
    }

    @Test func faultsHaveTheIncludedFile() {
        let entry = "{ id: door, device: ibeacon, colour: red, ibeacon: { uuid: \(Self.uuid) } }"
        let files = ["parts/a.yaml": "beacons:\n  - \(entry)"]
        let faults = faults("profile: p\ninclude: parts/a.yaml", files: files)
        #expect(faults.count == 1)
        let message = "shop/parts/a.yaml:2:34: beacons[0]: there is no key \"colour\" here"
        #expect(faults.first?.hasPrefix(message) == true, "\(faults)")
    }

    @Test func tracksAreBesideTheIncludedFile() throws {
        let files = [
            "parts/a.yaml": "beacons: [{ id: door, device: ibeacon, track: way.csv, ibeacon: { uuid: \(Self.uuid) } }]",
            "parts/way.csv": "t,who,x,y\n0,door,3,4\n",
        ]
        let position = try profile("profile: p\ninclude: parts/a.yaml", files: files).beacons[0].movement?
            .motion.position(at: .zero)
        #expect(position?.x == 3)
    }

    @Test(arguments: [
        (["a.yaml": "include: b.yaml", "b.yaml": "include: a.yaml"], "\"a.yaml\" includes itself"),
        ([:], "there is no file \"a.yaml\""), (["a.yaml": "- 1"], "a mapping of keys and values is expected here"),
        (["a.yaml": "beacons: ["], "shop/a.yaml:"),
    ])
    func wrongInclusionIsAFault(files: [String: String], message: String) {
        let faults = faults("profile: p\ninclude: a.yaml\nbeacons: []", files: files)
        #expect(faults.contains { $0.contains(message) }, "\(faults)")
    }

    // MARK: - Editing

    @Test func editorChangesOnlyEntriesOfTheirOwn() throws {
        let text = """
            profile: p
            defaults: { device: ibeacon, ibeacon: { uuid: \(Self.uuid) } }
            beacons:
              - { id: shelf, count: 2 }
              - { id: door }
            """
        var editor = ProfileEditor(text, file: "p.yaml")
        try editor.setMeasuredPower(MeasuredPower(-70), of: ["door"])
        #expect(editor.text.contains("{ ibeacon: { measured-power: -70 }, id: door }"))
        #expect(throws: ProfileFaults.self) { try editor.setMeasuredPower(MeasuredPower(-70), of: ["shelf-2"]) }
    }
}
