// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

/// A profile with one mistake, whose place is marked with `¦`, and the message.
struct ProfileMistake: CustomTestStringConvertible, Sendable {
    let profile: String
    let field: String
    let message: String

    var testDescription: String { "\(field.isEmpty ? "profile" : field): \(message)" }

    init(_ profile: String, field: String, _ message: String) {
        self.profile = profile
        self.field = field
        self.message = message
    }

    /// The keys of a kind of beacon, in the order in which they are read.
    static func keys(of kind: String) -> String {
        var keys = ["id", "device"]
        for setting in DeviceRegistry.kind(named: kind)?.declarations ?? [] {
            let key = setting.group ?? setting.key
            if !keys.contains(key) { keys.append(key) }
        }
        return (keys + ["label", "position", "path", "track", "orbit", "pairing", "schedule"]).joined(separator: ", ")
    }

    /// A mistake in the keys of a plain iBeacon whose frame is valid.
    static func plain(_ keys: String, field: String, _ message: String) -> ProfileMistake {
        beacon("device: ibeacon\nibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }\n" + keys, field, message)
    }

    /// A mistake in the frame of a plain iBeacon.
    static func frame(_ frame: String, field: String, _ message: String) -> ProfileMistake {
        beacon("device: ibeacon\nibeacon: " + frame, field, message)
    }

    /// A mistake in the keys of an IoT Design Shop beacon.
    static func configurable(_ keys: String, field: String, _ message: String) -> ProfileMistake {
        beacon("device: iot-design-shop\n" + keys, field, message)
    }

    /// A mistake in the keys of a raw advertiser.
    static func raw(_ keys: String, field: String, _ message: String) -> ProfileMistake {
        beacon("device: raw\n" + keys, field, message)
    }

    private static func beacon(_ keys: String, _ field: String, _ message: String) -> ProfileMistake {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        return ProfileMistake("profile: p\nbeacons:\n  - id: a\n" + lines, field: field, message)
    }

    private static let one = "  - { id: a, device: iot-design-shop }\n"
    private static let nameRule = #"is not a name: write 1 to 64 letters, digits, ".", "-" or "_""#
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let long = String(repeating: "a", count: 65)

    // MARK: - The file's own keys

    static let file = [
        ProfileMistake(
            "¦beacons:\n" + one, field: "",
            "\"profile\" is missing; write profile: shop, a name for all of its beacons"),
        ProfileMistake("¦profile: p\n", field: "", "\"beacons\" is missing"),
        ProfileMistake("profile: p\nbeacons: ¦5\n", field: "beacons", "a list of at least one beacon is expected here"),
        ProfileMistake("profile: p\nbeacons:¦\n", field: "beacons", "a list of at least one beacon is expected here"),
        ProfileMistake(
            "profile: p\nbeacons:\n  ¦id: a\n", field: "beacons", "a list of at least one beacon is expected here"),
        ProfileMistake("profile: ¦a b\nbeacons:\n" + one, field: "profile", "\"a b\" \(nameRule)"),
        ProfileMistake("profile: ¦.hidden\nbeacons:\n" + one, field: "profile", "\".hidden\" \(nameRule)"),
        ProfileMistake("profile: ¦../up\nbeacons:\n" + one, field: "profile", "\"../up\" \(nameRule)"),
        ProfileMistake("profile: ¦\"\"\nbeacons:\n" + one, field: "profile", "\"\" \(nameRule)"),
        ProfileMistake("profile: ¦größe\nbeacons:\n" + one, field: "profile", "\"größe\" \(nameRule)"),
        ProfileMistake("profile: ¦\(long)\nbeacons:\n" + one, field: "profile", "\"\(long)\" \(nameRule)"),
        ProfileMistake("profile: ¦[p]\nbeacons:\n" + one, field: "profile", "a single value is expected here"),
        ProfileMistake(
            "profile: p\n¦beacon: 1\nbeacons:\n" + one, field: "",
            "there is no key \"beacon\" here; did you mean \"beacons\"? keys are profile, beacons, receivers, "
                + "physics, walls, floors, rooms, map, power-on"),
        ProfileMistake("profile: p\nbeacons:\n" + one + "¦[a, b]: 1\n", field: "", "a key is a word"),
        ProfileMistake("¦just words\n", field: "", "a mapping of keys and values is expected here"),
        ProfileMistake("¦- profile: p\n", field: "", "a mapping of keys and values is expected here"),
        ProfileMistake("---\n¦", field: "", "a mapping of keys and values is expected here"),
    ]

    // MARK: - Identity of a beacon

    static let identity = [
        ProfileMistake(
            "profile: p\nbeacons:\n  - ¦a\n", field: "beacons[0]", "a mapping of keys and values is expected here"),
        ProfileMistake(
            "profile: p\nbeacons:\n" + one + "  - ¦[a]\n", field: "beacons[1]",
            "a mapping of keys and values is expected here"),
        ProfileMistake(
            "profile: p\nbeacons:\n  - ¦device: iot-design-shop\n", field: "beacons[0]",
            "\"id\" is missing; write id: entrance"),
        ProfileMistake(
            "profile: p\nbeacons:\n  - ¦id: a\n", field: "beacons[0]",
            "\"device\" is missing; write device: ibeacon; devices are \(DeviceRegistry.names.joined(separator: ", "))"),
        ProfileMistake(
            "profile: p\nbeacons:\n  - ¦id: a\n    type: ibeacon\n", field: "beacons[0]",
            "\"device\" is missing; write device: ibeacon instead of type: ibeacon"),
        ProfileMistake(
            "profile: p\nbeacons:\n  - ¦id: a\n    type: altbeacon\n", field: "beacons[0]",
            "\"device\" is missing; write device: beacon, with format: altbeacon"),
        frame(
            "{ uuid: \(uuid), minor: ¦1..5 }", field: "beacons[0].ibeacon.minor",
            "\"1..5\" is not a whole number from 0 to 65535; for 5 beacons write 1..5, and count: 5 beside id"),
        frame(
            "{ uuid: \(uuid), minor: ¦1-5 }", field: "beacons[0].ibeacon.minor",
            "\"1-5\" is not a whole number from 0 to 65535; for 5 beacons write 1..5, and count: 5 beside id"),
        frame(
            "{ uuid: \(uuid), minor: ¦5-1 }", field: "beacons[0].ibeacon.minor",
            "\"5-1\" is not a whole number from 0 to 65535"),
        raw(
            "advertising-data: ¦020106f\n", field: "beacons[0].advertising-data",
            "\"020106f\" has 7 hexadecimal digits; write two for each byte, such as 020106"),
        ProfileMistake(
            "profile: p\nbeacons:\n  - id: a\n    device: ¦toaster\n", field: "beacons[0].device",
            "there is no device \"toaster\"; devices are \(DeviceRegistry.names.joined(separator: ", "))"),
        ProfileMistake(
            "profile: p\nbeacons:\n  - id: ¦a/b\n    device: iot-design-shop\n", field: "beacons[0].id",
            "\"a/b\" \(nameRule)"),
        ProfileMistake(
            "profile: p\nbeacons:\n  - id: ¦{ a: b }\n    device: iot-design-shop\n", field: "beacons[0].id",
            "a single value is expected here"),
        ProfileMistake(
            "profile: p\nbeacons:\n" + one + "  - id: ¦a\n    device: iot-design-shop\n", field: "beacons[1].id",
            "beacons[0] has the id \"a\" already; give every beacon its own id"),
        ProfileMistake(
            "profile: p\nbeacons:\n" + one + "  - { id: b, device: iot-design-shop }\n"
                + "  - { id: ¦b, device: iot-design-shop }\n", field: "beacons[2].id",
            "beacons[1] has the id \"b\" already; give every beacon its own id"),
    ]

    // MARK: - The frame

    static let frames = [
        ProfileMistake(
            "profile: p\nbeacons:\n  - ¦id: a\n    device: ibeacon\n", field: "beacons[0]", "\"ibeacon\" is missing"),
        frame("¦{ major: 1 }", field: "beacons[0].ibeacon", "\"uuid\" is missing"),
        frame("¦\(uuid)", field: "beacons[0].ibeacon", "a mapping of keys and values is expected here"),
        frame(
            "{ uuid: ¦E2C56DB5 }", field: "beacons[0].ibeacon.uuid",
            "\"E2C56DB5\" is not a UUID; write 32 hexadecimal digits as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"),
        frame(
            "{ uuid: \(uuid), major: ¦65536 }", field: "beacons[0].ibeacon.major",
            "\"65536\" is not a whole number from 0 to 65535"),
        frame(
            "{ uuid: \(uuid), minor: ¦-1 }", field: "beacons[0].ibeacon.minor",
            "\"-1\" is not a whole number from 0 to 65535"),
        frame(
            "{ uuid: \(uuid), minor: ¦1.5 }", field: "beacons[0].ibeacon.minor",
            "\"1.5\" is not a whole number from 0 to 65535"),
        frame(
            "{ uuid: \(uuid), major: ¦0x1G }", field: "beacons[0].ibeacon.major",
            "\"0x1G\" is not a whole number from 0 to 65535"),
        frame(
            "\n  uuid: \(uuid)\n  major:¦\n  minor: 1\n", field: "beacons[0].ibeacon.major",
            "\"\" is not a whole number from 0 to 65535"),
        frame(
            "{ uuid: \(uuid), measured-power: ¦-129 }", field: "beacons[0].ibeacon.measured-power",
            "\"-129\" is not a power in whole dBm from -128 to 127"),
        frame(
            "{ uuid: \(uuid), measured-power: ¦-59.5 }", field: "beacons[0].ibeacon.measured-power",
            "\"-59.5\" is not a power in whole dBm from -128 to 127"),
        frame(
            "{ uuid: \(uuid), measured-power: ¦-59 mW }", field: "beacons[0].ibeacon.measured-power",
            "\"-59 mW\" is not a power in whole dBm from -128 to 127"),
        frame(
            "{ uuid: \(uuid), ¦mayor: 1 }", field: "beacons[0].ibeacon",
            "there is no key \"mayor\" here; did you mean \"major\"? keys are uuid, major, minor, measured-power"),
        configurable(
            "ibeacon: { uuid: ¦2173E519, major: 1 }\n", field: "beacons[0].ibeacon.uuid",
            "\"2173E519\" is not a UUID; write 32 hexadecimal digits as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"),
        configurable(
            "ibeacon: ¦[]\n", field: "beacons[0].ibeacon", "a mapping of keys and values is expected here"),
    ]

    // MARK: - The radio's values

    private static let intervalRule = "is not an interval; write 100ms or 160ticks"
    private static let intervalLimit = "is out of range: radios send every 20ms to 10240ms"

    static let radio = [
        plain(
            "interval: ¦100\n", field: "beacons[0].interval",
            "\"100\" has no unit: ms, s, or ticks of 0.625 ms; write interval: 100ms"),
        plain("interval: ¦-5ms\n", field: "beacons[0].interval", "\"-5ms\" \(intervalRule)"),
        plain("interval: ¦often\n", field: "beacons[0].interval", "\"often\" \(intervalRule)"),
        plain("interval: ¦100us\n", field: "beacons[0].interval", "\"100us\" \(intervalRule)"),
        plain("interval: ¦19ms\n", field: "beacons[0].interval", "19ms \(intervalLimit)"),
        plain("interval: ¦11s\n", field: "beacons[0].interval", "11s \(intervalLimit)"),
        plain("interval: ¦31ticks\n", field: "beacons[0].interval", "31ticks \(intervalLimit)"),
        plain("interval: ¦16385 ticks\n", field: "beacons[0].interval", "16385 ticks \(intervalLimit)"),
        plain(
            "interval: ¦999999999s\n", field: "beacons[0].interval", "999999999s is too long for an interval"),
        configurable(
            "interval: ¦65536ticks\n", field: "beacons[0].interval",
            "65536ticks is out of range: the beacon stores 0 to 65535 ticks"),
        plain(
            "tx-power: ¦21dBm\n", field: "beacons[0].tx-power", "\"21dBm\" is not a power from -127dBm to 20dBm"),
        plain(
            "tx-power: ¦loud\n", field: "beacons[0].tx-power",
            "\"loud\" is not a power in whole dBm from -128 to 127"),
        configurable(
            "tx-power: ¦4dBm\n", field: "beacons[0].tx-power",
            "the beacon has no 4dBm; write 0dBm, -6dBm or -23dBm"),
        plain(
            "address: ¦C0:FF:EE:00:00\n", field: "beacons[0].address",
            "\"C0:FF:EE:00:00\" is not an address; write six bytes as C0:FF:EE:00:00:01"),
        configurable(
            "address: ¦[C0]\n", field: "beacons[0].address", "a single value is expected here"),
        plain(
            "pdu: ¦ADV_EXT_IND\n", field: "beacons[0].pdu",
            "there is no PDU type \"ADV_EXT_IND\"; types are ADV_IND, ADV_SCAN_IND, ADV_NONCONN_IND"),
        plain(
            "name: N\npdu: ¦ADV_NONCONN_IND\n", field: "beacons[0].pdu",
            "ADV_NONCONN_IND has no scan response to carry name and services; write ADV_SCAN_IND or ADV_IND, or leave "
                + "pdu out"),
        plain(
            "flags: ¦256\n", field: "beacons[0].flags", "\"256\" is not a byte of flags; write 0x06, or none"),
        plain(
            "flags: ¦0xZZ\n", field: "beacons[0].flags", "\"0xZZ\" is not a byte of flags; write 0x06, or none"),
    ]

    // MARK: - Names, services and behaviour

    static let others = [
        plain("name: ¦\"\"\n", field: "beacons[0].name", "a name has 1 to 248 bytes"),
        plain(
            "name: ¦\(String(repeating: "ü", count: 125))\n", field: "beacons[0].name", "a name has 1 to 248 bytes"),
        plain("services: ¦\(uuid)\n", field: "beacons[0].services", "a list is expected here; write [\(uuid)]"),
        plain("position: ¦2m\n", field: "beacons[0].position", "a list is expected here, such as [2, 0]"),
        plain("position: ¦{ x: 1 }\n", field: "beacons[0].position", "a list is expected here, such as [2, 0]"),
        plain(
            "services: [\(uuid), ¦180F]\n", field: "beacons[0].services[1]",
            "\"180F\" is not a UUID; write 32 hexadecimal digits as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"),
        plain(
            "services: ¦[\(uuid), \(uuid)]\n", field: "beacons[0].services",
            "2 services of 16 bytes do not fit into the 31 bytes of a scan response; name one"),
        configurable(
            "on-bad-interval: ¦ignore\n", field: "beacons[0].on-bad-interval", "\"ignore\" is not one of clamp, fail"),
        configurable(
            "advertise-while-connected: ¦yes\n", field: "beacons[0].advertise-while-connected",
            "\"yes\" is not one of true, false"),
        configurable(
            "measured-power-by-tx-power: ¦-59\n", field: "beacons[0].measured-power-by-tx-power",
            "a mapping of keys and values is expected here"),
        configurable(
            "measured-power-by-tx-power: { ¦4dBm: -50 }\n", field: "beacons[0].measured-power-by-tx-power.4dBm",
            "the beacon has no 4dBm; write 0dBm, -6dBm or -23dBm"),
        configurable(
            "measured-power-by-tx-power: { 0dBm: ¦-590 }\n", field: "beacons[0].measured-power-by-tx-power.0dBm",
            "\"-590\" is not a power in whole dBm from -128 to 127"),
        configurable(
            "¦pdu: ADV_IND\n", field: "beacons[0]",
            "there is no key \"pdu\" here; keys are \(keys(of: "iot-design-shop"))"),
        plain(
            "¦on-bad-interval: fail\n", field: "beacons[0]",
            "there is no key \"on-bad-interval\" here; keys are \(keys(of: "ibeacon"))"),
        ProfileMistake(
            "profile: p\nbeacons:\n  - ¦id: a\n    device: raw\n", field: "beacons[0]",
            "\"advertising-data\" is missing"),
        raw(
            "advertising-data: ¦0201 0\n", field: "beacons[0].advertising-data",
            "\"0201 0\" has 5 hexadecimal digits; write two for each byte, such as 020106"),
        raw(
            "advertising-data: ¦hello\n", field: "beacons[0].advertising-data",
            "\"hello\" is not hexadecimal; write two digits for each byte, such as 020106"),
        raw(
            "advertising-data: 020106\nscan-response: ¦\(String(repeating: "00", count: 32))\n",
            field: "beacons[0].scan-response", "32 bytes are more than the 31 that a PDU carries"),
        raw(
            "advertising-data: 020106\nscan-response: 020a00\npdu: ¦ADV_NONCONN_IND\n", field: "beacons[0].pdu",
            "ADV_NONCONN_IND has no scan response; write ADV_SCAN_IND or ADV_IND, or leave pdu out"),
        raw(
            "advertising-data: 020106\ninterval: ¦19ms\n", field: "beacons[0].interval", "19ms \(intervalLimit)"),
        raw(
            "advertising-data: 020106\n¦ibeacon: {}\n", field: "beacons[0]",
            "there is no key \"ibeacon\" here; keys are \(keys(of: "raw"))"),
        plain(
            "name: Grüße { und¦: Küsse }\n", field: "",
            "this is not YAML: this value contains a colon; put the whole value in quotes, such as "
                + "\"Shop: door\""),
    ]
}
