// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
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
        "device: raw, advertising-data: \"00\", scan-response: \"0509 31:32\", interval: 10240ms, tx-power: 4dBm, "
            + "address: C0:FF:EE:00:00:02, position: [0, 0, 3]",
    ]

    @Test(arguments: beacons)
    func whatIsWrittenIsReadAsTheSame(_ beacon: String) throws {
        let profile = try Profile(parsing: "profile: p\nbeacons:\n  - { id: a, \(beacon) }\n", file: "p.yaml")
        let text = ProfileWriter.text(of: profile, remarks: ["a": ["heard 3 times\nid: b", "at -59 dBm"]])
        let copy = try Profile(parsing: text, file: "copy.yaml")
        #expect(copy.name == "p")
        #expect(copy.beacons == profile.beacons)
        #expect(text.contains("  # at -59 dBm\n  - id: a\n"))
    }
}
