// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Radio
import Space
import TestTraits
import Testing

@testable import Emulator
@testable import Persistence

/// Changes of several beacons, all or none.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct BeaconChangeTests {
    private static let hall = """
        profile: hall
        beacons:
          - { id: shelf-1, device: iot-design-shop, ibeacon: { major: 1, minor: 1 } }
          - { id: shelf-2, device: iot-design-shop, ibeacon: { major: 1, minor: 2 } }
          - { id: shelf-3, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, minor: 3 } }
          - { id: door, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, minor: 4 } }
        """
    private static let park = """
        profile: park
        beacons:
          - { id: shelf-9, device: ibeacon, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, minor: 9 } }
        """

    /// The value of a setting of each beacon, in the order of the profiles.
    private static func values(_ key: String, _ rig: Rig) async -> [String?] {
        await rig.emulator.list().map { status in status.settings.first { $0.key == key }?.text }
    }

    @Test
    func allThatMatchAreChanged() async throws {
        try await withReadyRig(Self.hall) { rig in
            let change = BeaconChange(settings: ["minor": "3"])
            let changed = try await rig.emulator.change(.matching("shelf-[12-9]"), change)
            #expect(changed.map(\.identifier.name) == ["shelf-1", "shelf-2", "shelf-3"])
            #expect(changed.map(\.isChanged) == [true, true, false])
            #expect(await Self.values("minor", rig) == ["3", "3", "3", "4"])
            #expect(try await rig.advertisement("shelf-2", 2)?.frame?.minor == 3)
        }
    }

    @Test(
        arguments: [
            ("*", nil, ["shelf-1", "shelf-2", "shelf-3", "door", "shelf-9"]), ("shelf-?", "park", ["shelf-9"]),
            ("hall/*r", nil, ["door"]), ("park/*", "hall", []), ("shelf", nil, []),
        ] as [(String, String?, [String])])
    func patternIsOfTheIdOrOfProfileAndId(_ pattern: String, _ profile: String?, _ names: [String]) async throws {
        let rig = try Rig(Self.hall, Self.park, folder: TemporaryFolder())
        try await rig.event("ready")
        do throws(EmulatorError) {
            let shown = try await rig.emulator.show(.matching(pattern, profile: profile))
            #expect(shown.map(\.identifier.name) == names)
        } catch {
            #expect(names.isEmpty && error.code == .unknownBeacon)
        }
        try await rig.stop()
    }

    /// The profile has no beacons any more; those of the other one stay.
    @Test
    func beaconsOfAnotherProfileAreNotRemoved() async throws {
        let rig = try Rig(Self.hall, Self.park, folder: TemporaryFolder())
        try await rig.event("ready")
        #expect(try await rig.emulator.removeBeacons(.matching("*", profile: "park")).removed == ["shelf-9"])
        for (profile, code) in [("park", EmulatorError.Code.unknownBeacon), ("nothing", .unknownProfile)] {
            let error = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.removeBeacons(.matching("*", profile: profile))
            }
            #expect(error?.code == code)
        }
        #expect(await rig.emulator.list().count == 4)
        #expect(try await rig.emulator.list(of: "park").isEmpty)
        try await rig.stop()
    }

    /// Changes of one beacon wait for each other, so that none is lost.
    @Test
    func changesOfTheSameBeaconsAreOneAfterTheOther() async throws {
        try await withReadyRig(Self.hall) { rig in
            let emulator = rig.emulator
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...20 {
                    group.addTask {
                        let settings = ["major": "\(number)", "minor": "\(number)"]
                        let pattern = number % 2 == 0 ? "shelf-*" : "*"
                        let changed = try await emulator.change(.matching(pattern), BeaconChange(settings: settings))
                        for each in changed {
                            #expect(
                                each.settings.filter { settings.keys.contains($0.key) }.map(\.text)
                                    == ["\(number)", "\(number)"])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let shelves = Set(await Self.values("minor", rig).prefix(3))
            #expect(shelves.count == 1)
        }
    }

    /// Only the hardware of the configurable ones refuses the power; a plain one comes before and after them.
    @Test
    func valueThatOneRefusesChangesNone() async throws {
        try await withReadyRig(Self.hall) { rig in
            let before = await rig.emulator.list()
            let change = BeaconChange(settings: ["minor": "7", "tx-power": "3dBm"])
            for pattern in ["*", "[ds]*"] {
                let error = await #expect(throws: EmulatorError.self) {
                    try await rig.emulator.change(.matching(pattern), change)
                }
                #expect(error?.code == .refusedSetting && error?.description.contains("shelf-1") == true)
            }
            #expect(await rig.emulator.list() == before)
            try await rig.settle()
            #expect(rig.radio.advertisements("shelf-3").count == 1)
        }
    }

    /// There is no room for the second file: the first beacon has its former value, in its file as well.
    @Test
    func fileThatCannotBeWrittenChangesNone() async throws {
        try await withReadyRig(Self.hall) { rig in
            let state = StateFolder(rig.folder.file("state"))
            _ = try await rig.emulator.set("shelf-1", ["minor": "5", "tx-power": "-6"])
            // A folder where the new file would be.
            let file = state.flash(profile: "hall", beacon: "shelf-2", kind: "iot-design-shop").path + ".new"
            try rig.folder.makeFolder(String(file.dropFirst(rig.folder.path.count + 1)))
            let error = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.change(
                    .matching("*"), BeaconChange(settings: ["minor": "7", "tx-power": "default"], isEnabled: false))
            }
            #expect(error?.code == .inputOutput && error?.description.contains("shelf-2") == true)
            #expect(await Self.values("minor", rig) == ["5", "2", "3", "4"])
            #expect(await Self.values("tx-power", rig) == ["-6", "default", "default", "default"])
            #expect(await rig.emulator.list().filter(\.isEnabled).count == 4)
            let flash = state.flash(profile: "hall", beacon: "shelf-1", kind: "iot-design-shop")
            guard case .image(let image) = try flash.load() else {
                Issue.record("nothing is saved")
                return
            }
            #expect(image.values["minor"] == .integer(5))
            #expect(rig.radio.advertisements("shelf-1").count == 2)
        }
    }

    /// What is on the medium cannot get the name of the second file: the error names what was changed before.
    @Test
    func fileThatCannotBeReplacedIsNamed() async throws {
        try await withReadyRig(Self.hall) { rig in
            let state = StateFolder(rig.folder.file("state"))
            let file = state.flash(profile: "hall", beacon: "shelf-2", kind: "iot-design-shop").path
            try rig.folder.makeFolder(String(file.dropFirst(rig.folder.path.count + 1)))
            let error = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.change(.matching("*"), BeaconChange(settings: ["minor": "7"]))
            }
            #expect(error?.code == .inputOutput && error?.message.hasSuffix("changed before: shelf-1") == true)
            #expect(await Self.values("minor", rig) == ["7", "2", "3", "4"])
            let names = rig.folder.names("state/hall").filter { $0.hasSuffix(".new") }
            #expect(names.isEmpty)
        }
    }

    @Test
    func flatBatteryOfOneSwitchesNoneOn() async throws {
        try await withReadyRig(Self.hall) { rig in
            _ = try await rig.emulator.change(.matching("*"), BeaconChange(isEnabled: false))
            _ = try await rig.emulator.setBattery("door", .flat)
            let error = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.change(.matching("*"), BeaconChange(settings: ["minor": "7"], isEnabled: true))
            }
            #expect(error?.code == .conflict && error?.description.contains("door") == true)
            #expect(await rig.emulator.list().filter(\.isEnabled).isEmpty)
            #expect(await Self.values("minor", rig) == ["1", "2", "3", "4"])
            let full = try await rig.emulator.change(.matching("*"), BeaconChange(battery: .full, isEnabled: true))
            #expect(full.map(\.isEnabled) == [true, true, true, true])
        }
    }

    /// What the radio cannot do is refused before the settings are changed.
    @Test(
        arguments: [
            (BeaconChange(settings: ["minor": "7"], position: Position(x: 1, y: 1)), EmulatorError.Code.unsupported),
            (BeaconChange(settings: ["minor": "7"], muting: .on), .radio), (BeaconChange(), .badProfile),
        ])
    func changeThatIsRefusedInPartChangesNothing(_ change: BeaconChange, _ code: EmulatorError.Code) async throws {
        try await withReadyRig { rig in
            let error = await #expect(throws: EmulatorError.self) { try await rig.emulator.change("exit", change) }
            #expect(error?.code == code)
            #expect(await Self.values("minor", rig) == ["3", "4"])
        }
    }

    @Test
    func beaconsThatMatchAreRemovedAtOnce() async throws {
        try await withReadyRig(Self.hall) { rig in
            #expect(try await rig.emulator.removeBeacons(.matching("shelf-*")).removed.count == 3)
            #expect(await rig.emulator.list().map(\.identifier.name) == ["door"])
            try await rig.event("reloaded")
            let error = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.removeBeacons(.matching("shelf-*"))
            }
            #expect(error?.code == .unknownBeacon)
        }
    }
}
