// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Testing

@Suite struct KnownDataTests {
    @Test(
        arguments: [
            (
                "1eff4c001219003d9967e0d67bf55617939043e48fd6762144da3e35160300",
                "Apple: Find My, separated from its owner"
            ),
            ("07ff4c0012020003", "Apple: Find My, near its owner"), ("0bff4c001006331e2bb8a4c2", "Apple: nearby info"),
            ("05ff4c00f000", nil),
            ("0aff4c001005031cabcdef", "Apple: nearby info"),
            ("1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5", nil),
            ("06162cfe012345", "Fast Pair"), ("0bff06000300800102030405", "Microsoft: Swift Pair"),
            ("0b16f6ff000f00f1ff018000", "Matter commissioning"),
            ("17166ffd0d3b4f65584c582160571dd19010d41c2660ee34", "Exposure Notification"),
            ("0f166afe0206010f6404616263646566", "Kontakt.io: plain"), ("0516aafe4001", "Google Find Hub"),
            ("020106", nil),
        ] as [(String, String?)])
    func dataAroundAReceiverIsNamed(_ digits: String, _ expected: String?) throws {
        let data = AdvertisingData(verbatim: try Hexadecimal.bytes(digits))
        #expect(data.structures.compactMap(\.recognized).first == expected)
    }
}
