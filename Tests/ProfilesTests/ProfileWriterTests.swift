// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Testing

@Suite struct ProfileWriterTests {
    private static let frame = "ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 65535 }"
    private static let service = "2173E519-9155-4862-AB64-7953AB146156"

    static let beacons = [
        "device: ibeacon, \(frame)",
        "device: ibeacon, \(frame), flags: none, interval: 152.5ms, tx-power: -7dBm, address: C0:FF:EE:00:00:01",
        "device: ibeacon, \(frame), flags: 0x1a, pdu: ADV_IND, services: [\(service)], name: \"a: \\\"b\\\" # c\\n\\u00fc\"",
        "device: iot-design-shop",
        "device: iot-design-shop, \(frame), interval: 0ticks, tx-power: -23dBm, name: \"yes\", on-bad-interval: fail",
        "device: iot-design-shop, advertise-while-connected: true, position: [1, -2.5], "
            + "measured-power-by-tx-power: { 0dBm: -59, -6dBm: -65 }",
        "device: raw, advertising-data: 020106, position: [0.0000123, -0.00005]",
        "device: raw, advertising-data: \"\", pdu: ADV_IND",
        "device: raw, advertising-data: \"\", pdu: ADV_IND, pairing: {}",
        "device: iot-design-shop, pairing: { io: display, passkey: 000042, bonding: false, mitm: true, "
            + "secure-connections: required, minimum-key-size: 16, private-address: true, request: true }",
        "device: iot-design-shop, pairing: { io: keyboard-display, comparison: reject }",
        "device: raw, advertising-data: \"00\", scan-response: \"0509 31:32\", interval: 10240ms, tx-power: 4dBm, "
            + "address: C0:FF:EE:00:00:02, position: [0, 0, 3]",
        "device: battery",
        "device: battery, level: 80.5, presentation: true, tx-power: 4dBm, address: C0:FF:EE:00:00:02",
        "device: battery, book-compatible: true, name: \"a \\\"b\\\"\", interval: 1s, level: { drain: { from: 9, every: 20ms } }",
        "device: gatt",
        "device: gatt, flags: none, pdu: ADV_SCAN_IND, advertise: { manufacturer-data: { company: 65535, data: \"\" } }",
        gatt(
            "advertise: { services: [], service-data: [{ uuid: 180F, value-of: n }, { uuid: \(service), data: 0a }] }",
            ""),
        gatt(
            "name: n, appearance: 833, centrals: 8, interval: 20ms, tx-power: -4dBm, advertise: { tx-power: true }", ""),
        gatt(
            "advertise: { services: [12345678], solicited-services: [1805, 1806] }",
            "stored: true, value: 0a, length: 1"),
        gatt("", "permissions: { read: encrypted, subscribe: authenticated }, type: text, value: \"a: 'b' \\u00fc\""),
        gatt("", "type: int24 be, scale: -0.25, value: 1.75, range: [-2, 5.5], range-error: 0x80, restarts: [n]"),
        gatt("", "type: uint64, value: 18446744073709551615, notify: 1500ms, read-delay: 1ms, write-delay: 60s"),
        gatt("", "deviations: [no-client-configuration, notify-before-response]"),
        gatt(
            "",
            "type: sfloat, decimals: 2, value: 3.14, notify: never, read-error: 0x85, write-error: { code: 1, time: 9 }"
        ),
        gatt("", "type: float, value: nan, echo: n, read-error: { code: 0xff, until-written: true }"),
        gatt(
            "", "type: float32 be, value: 0.1, description: text, presentation: { format: 1, unit: 9, description: 7 }"),
        gatt("", "type: boolean, value: true, descriptors: [{ uuid: 2908, value: 0102, permissions: encrypted }]"),
        gatt(
            "",
            "fields: [{ name: a, type: uint8, value: 7, range: [1, 9] }, { name: b, type: text, value: \"7\" }], length: { max: 9 }"
        ),
        changing("type: uint8, counter: { start: 3, step: -2, every: 100ms, min: 1, max: 9, wrap: false }"),
        changing(
            "type: float64, waveform: { shape: square, min: -1.5, max: 1e9, period: 1h, phase: 0.125, every: 10ms }"),
        changing("type: int32, random-walk: { seed: 18446744073709551615, step: 0.5, min: -9, max: 9, every: 1000h }"),
        changing("type: int8, trace: { points: [[0s, -1], [0.001s, 1.5], [1000h, 2]], repeat: true }"),
        changing("clock: current-time"), changing("clock: unix, type: uint32 be"),
        "device: sensortag",
        "device: sensortag, firmware: 1.5, temperature: { object: 36.6 }, acceleration: { x: -7.25 }, keys: left+side, "
            + "humidity: { waveform: { shape: sine, min: 40, max: 60, period: 10s } }, "
            + "rotation: { x: { counter: { every: 1s, max: 200 } } }, advertising: side-key, image-service: false, address: B4:99:4C:64:30:FF, position: [1, 2]",
    ]

    /// A peripheral with one characteristic that has all properties.
    private static func gatt(_ keys: String, _ value: String) -> String {
        let all = "name: n, uuid: 2A19, properties: [read, write, write-without-response, notify, indicate]"
        return declared(keys, all + (value.isEmpty ? "" : ", ") + value)
    }

    private static func changing(_ value: String) -> String {
        declared("", "uuid: \(service), properties: [read, notify], \(value)")
    }

    private static func declared(_ keys: String, _ characteristic: String) -> String {
        "device: gatt, \(keys.isEmpty ? "" : keys + ", ")services: [{ uuid: 180F, characteristics: [{ \(characteristic) }] }]"
    }

    @Test func profileWithoutBeaconsIsReadAgain() throws {
        let profile = try Profile(parsing: "profile: p\nbeacons: []\n", file: "p.yaml")
        #expect(profile.beacons.isEmpty)
        let text = ProfileWriter.text(of: profile)
        #expect(text == "profile: p\nbeacons: []\n")
    }

    @Test(arguments: beacons)
    func writtenProfileIsReadAsTheSame(_ beacon: String) throws {
        let profile = try Profile(parsing: "profile: p\nbeacons:\n  - { id: a, \(beacon) }\n", file: "p.yaml")
        let text = ProfileWriter.text(of: profile, remarks: ["a": ["received 3 times\nid: b", "at -59 dBm"]])
        let copy = try Profile(parsing: text, file: "copy.yaml")
        #expect(copy.name == "p")
        #expect(copy.beacons == profile.beacons)
        #expect(text.contains("  # at -59 dBm\n  - id: a\n"))
    }
}
