// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Testing

@Suite struct NearMissTests {
    private static let uuid = "3d1f7a606a0b4c3f9d0e51a27c44e980"

    @Test(arguments: [
        ("0201061bff4c000215\(uuid)00010002bb4e", "an iBeacon of 26 bytes"),
        ("02010619ff4c000215\(uuid)00010002", "an iBeacon of 24 bytes, without its measured power"),
        ("02010615ff4c000215\(uuid)", "an iBeacon of 20 bytes, cut after its UUID"),
        ("0201061aff59000215\(uuid)00010002c5", "an iBeacon of company 0x0059"),
        ("0201061afffeff0215\(uuid)00010002c5", "an iBeacon of company 0xfffe"),
        (
            "0201061aff004c0215\(uuid)00010002c5",
            "an iBeacon of company 0x4c00, Apple's 0x004C with its bytes exchanged"
        ),
        ("0201061aff4c000216\(uuid)00010002c5", "an iBeacon with the length byte 0x16 instead of 0x15"),
        ("0201061aff1801beac\(uuid)00010002c5", "an AltBeacon of 25 bytes"),
        (
            "1e02011a1aff4c000215\(uuid)00010002c5",
            "advertising data with its length 0x1e in front, as the HCI command has it"
        ),
        ("0201060403aafe01", "a list of 16-bit UUIDs of 3 bytes, which is no multiple of 2"),
        ("020106000405", "2 bytes after the end of the data, which receivers ignore"),
        ("0201060c16aafe00ee0011223344556677", "an Eddystone-UID of 9 bytes"),
        ("0201060916feaa10ee02676765", "Eddystone data whose service UUID has its bytes exchanged"),
        ("0201060716aafe40414243", ""), ("02010606161c18024142", "data of service 0x181C, which BTHome version 1 uses"),
        ("0316d2fc", "BTHome data of 0 bytes"), ("0416d2fce1", "BTHome data of version 7"),
        ("0416d2fc48", "BTHome data whose device information 0x48 has reserved bits"),
        ("0616d2fc42b218", "BTHome data that is cut in its address"),
        ("0b16d2fc41ba0db07aeef600", "an encrypted BTHome frame of 8 bytes"),
        ("0201061aff4c000215\(uuid)00010002c5", ""), ("02010600000000", ""), ("", ""),
    ])
    func classicMistakesAreNamed(_ digits: String, _ expected: String) throws {
        let data = AdvertisingData(verbatim: try Hexadecimal.bytes(digits))
        let misses = data.nearMisses
        #expect((misses.first?.text ?? "") == expected)
        #expect(misses.allSatisfy { !$0.hint.isEmpty })
    }

    @Test func exchangedServiceIsNamed() {
        let data = AdvertisingData([.serviceData16(0xAAFE, [0x10, 0xEE, 2, 0x61])])
        #expect(data.nearMisses.map(\.text) == ["Eddystone data whose service UUID has its bytes exchanged"])
    }
}
