// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Testing

@Suite struct ProfileEditorTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    /// The first beacon of a profile, before and after the edit.
    static let edits = [
        (
            "ibeacon: { uuid: \(uuid), measured-power: -59 }   # door",
            "ibeacon: { uuid: \(uuid), measured-power: -72 }   # door"
        ),
        (
            "ibeacon: { uuid: \(uuid), measured-power:   \"-59 dBm\" , minor: 1}",
            "ibeacon: { uuid: \(uuid), measured-power:   -72 , minor: 1}"
        ),
        ("ibeacon: {  uuid: \(uuid) }", "ibeacon: {  measured-power: -72, uuid: \(uuid) }"),
        (
            "ibeacon:\n      # whose\n      uuid: \(uuid)\n      measured-power: -59 dBm # old\n      minor: 2",
            "ibeacon:\n      # whose\n      uuid: \(uuid)\n      measured-power: -72 # old\n      minor: 2"
        ),
        ("ibeacon:\n        uuid: \(uuid)", "ibeacon:\n        measured-power: -72\n        uuid: \(uuid)"),
        ("name: Grüße; ibeacon: { measured-power: -1 }", nil),
        (
            "name: Größe\n    ibeacon: { uuid: \(uuid), measured-power: '-59' }",
            "name: Größe\n    ibeacon: { uuid: \(uuid), measured-power: -72 }"
        ),
    ]

    private static func profile(_ beacon: String, end: String = "\n") -> String {
        "# Küche\nprofile: p\nbeacons:\n  - id: a\n    device: ibeacon\n    \(beacon)\(end)  - {id: b, device: iot-design-shop}\n"
    }

    @Test(arguments: edits, ["\n", "\r\n"])
    func onlyTheValueChanges(_ edit: (before: String, after: String?), _ end: String) throws {
        var editor = ProfileEditor(Self.profile(edit.before, end: end), file: "p.yaml")
        guard let after = edit.after else {
            #expect(throws: ProfileFaults.self) { try editor.setMeasuredPower(MeasuredPower(-72), of: ["a"]) }
            #expect(editor.text == Self.profile(edit.before, end: end))
            return
        }
        try editor.setMeasuredPower(MeasuredPower(-72), of: ["a"])
        #expect(editor.text == Self.profile(after, end: end))
    }

    @Test func beaconWithoutAFrameGetsOne() throws {
        var editor = ProfileEditor(
            "\u{FEFF}profile: p\nbeacons:\n- {id: a, device: iot-design-shop}\n- id: b\n  device: iot-design-shop",
            file: "p.yaml")
        try editor.setMeasuredPower(MeasuredPower(-72), of: ["a", "b"])
        #expect(
            editor.text
                == "\u{FEFF}profile: p\nbeacons:\n- {ibeacon: { measured-power: -72 }, id: a, device: iot-design-shop}\n"
                + "- ibeacon: { measured-power: -72 }\n  id: b\n  device: iot-design-shop")
    }

    @Test(
        arguments: [
            ("profile: p\nbeacons:\n- {id: b, device: iot-design-shop}\n", "there is no beacon a"),
            (
                "profile: p\nbeacons:\n- {id: a, device: raw, advertising-data: 0201061aff4c000215\(hex) }\n",
                "cannot be changed in place"
            ),
            ("profile: p\nbeacons:\n- {id: a, device: raw, advertising-data: 020106 }\n", "cannot be changed in place"),
            (
                "profile: p\nbeacons:\n- { id: a, device: iot-design-shop, tx-power: 0dBm, ibeacon: { major: 1 }, "
                    + "measured-power-by-tx-power: { 0dBm: -59 } }\n",
                "edit the file: measured-power-by-tx-power determines it"
            ),
            // One anchor has the power of both beacons.
            (
                "profile: p\nbeacons:\n- {id: a, device: iot-design-shop, ibeacon: { measured-power: &p -59 }}\n"
                    + "- {id: b, device: iot-design-shop, ibeacon: { measured-power: *p }}\n",
                "cannot be changed in place"
            ),
        ])
    func textThatCannotBeEditedIsUnchanged(_ text: String, _ message: String) throws {
        var editor = ProfileEditor(text, file: "p.yaml")
        #expect {
            try editor.setMeasuredPower(MeasuredPower(-72), of: ["a"])
        } throws: { error in
            "\((error as? ProfileFaults)?.faults ?? [])".contains(message)
        }
        #expect(editor.text == text)
    }

    private static let hex = "e2c56db5dffb48d2b060d0f5a71096e000010002c5"
}
