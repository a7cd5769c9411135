// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import TestTraits
import Testing

@testable import Emulator

/// Commands of devices, which are checked by the declarations of the devices.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct DeviceCommandTests {
    private static let profile = """
        profile: lab
        beacons:
          - { id: bob, device: ancs-accessory }
          - { id: level, device: battery }
        """

    @Test(
        arguments: [
            (DeviceCommand("act"), .badProfile, "act needs an action; give positive or negative"),
            (
                DeviceCommand("act", ["action": "perhaps", "notification": "1"]), .badProfile,
                "act needs an action; give positive or negative"
            ),
            (
                DeviceCommand("act", ["action": "positive", "notification": "4294967296"]), .badProfile,
                "act needs a notification's number; give the one of an event of this session, from 0 to 4294967295"
            ),
            (
                DeviceCommand("act", ["action": "positive", "notification": "1", "actions": "2"]), .badProfile,
                "act has no argument \"actions\"; did you mean \"action\"? arguments are action, notification"
            ),
            (
                DeviceCommand("act", ["action": "negative", "notification": "1"]), .refusedSetting,
                "bob: no phone is connected"
            ),
            (DeviceCommand("sing"), .refusedSetting, "bob: there is no command \"sing\"; this device has act"),
        ] as [(DeviceCommand, EmulatorError.Code, String)])
    func commandIsChecked(_ command: DeviceCommand, _ code: EmulatorError.Code, _ sentence: String) async throws {
        try await withReadyRig(Self.profile) { rig in
            let error = await #expect(throws: EmulatorError.self) { try await rig.emulator.perform(command, on: "bob") }
            #expect(error?.code == code)
            #expect(error?.description == sentence)
            #expect(error?.exitCode == 65)
        }
    }

    @Test
    func deviceWithoutCommandsRefuses() async throws {
        try await withReadyRig(Self.profile) { rig in
            let error = await #expect(throws: EmulatorError.self) {
                try await rig.emulator.perform(DeviceCommand("act"), on: "level")
            }
            #expect(error?.description == "level: this device takes no commands")
        }
    }
}
