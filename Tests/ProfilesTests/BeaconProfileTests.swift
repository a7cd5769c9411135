// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Testing

@Suite struct BeaconProfileTests {
    private static func profile(_ keys: String) throws -> Profile {
        try Profile(parsing: "profile: p\nbeacons:\n  - { id: a, device: beacon, \(keys) }\n", file: "p.yaml")
    }

    private static func faults(_ keys: String) -> [String] {
        do throws(ProfileFaults) {
            _ = try Profile(parsing: "profile: p\nbeacons:\n  - { id: a, device: beacon, \(keys) }\n", file: "p.yaml")
            return []
        } catch {
            return error.faults.map { "\($0.field): \($0.message)" }
        }
    }

    @Test(
        arguments: [
            (
                "format: ibeacon, uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, minor: 1",
                "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000000001c5"
            ),
            (
                "format: altbeacon, id1: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6, id2: 1, id3: 2, reserved: 9",
                "0201061bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c509"
            ),
            (
                "format: eddystone-uid, namespace: \"12345678901234678901\", instance: \"000000000001\", power-at-0m: -29",
                "0201060303aafe1716aafe00e3123456789012346789010000000000010000"
            ),
            (
                "format: eddystone-url, url: \"http://google.com/\", power-at-0m: -25dBm, "
                    + "telemetry: { every: 5, temperature: 20 }",
                "0201060303aafe0d16aafe10e702676f6f676c6500"
            ),
            ("format: bthome, temperature: 25, humidity: 50.55, name: Sensor", "0201060a16d2fc4002c40903bf13"),
            ("format: bthome, flags: none, interval: 1s, pdu: ADV_IND, tx-power: 4dBm, button: 1", "0616d2fc403a01"),
        ])
    func everyFormatIsReadAndWritten(_ keys: String, _ bytes: String) throws {
        let profile = try Self.profile(keys)
        let advertisement = try #require(profile.beacons[0].device.firstAdvertisement)
        #expect(Hexadecimal.string(advertisement.advertisingData.bytes) == bytes)
        let written = try Profile(parsing: ProfileWriter.text(of: profile), file: "p.yaml")
        #expect(written.beacons == profile.beacons)
    }

    @Test(
        arguments: [
            (
                "format: bacon",
                "beacons[0].format: there is no format \"bacon\" to send; formats are ibeacon, altbeacon"
            ),
            ("format: eddystone-eid", "beacons[0].format: there is no format \"eddystone-eid\" to send"),
            ("name: a", "beacons[0]: \"format\" is missing"),
            ("format: altbeacon", "beacons[0]: \"id1\" is missing"),
            ("format: altbeacon, id1: x", "beacons[0].id1: \"x\" is not a UUID; write 32 hexadecimal digits"),
            (
                "format: bthome, temperature: 4000",
                "beacons[0].temperature: \"4000\" is not a number from -3276.8 to 3276.7"
            ),
            (
                "format: bthome, telemetry: { every: 3 }",
                "beacons[0]: there is no key \"telemetry\" here"
            ),
            ("format: bthome, pdu: ADV_NONCONN_IND, name: a", "beacons[0].pdu: ADV_NONCONN_IND has no scan response"),
            (
                "format: bthome, temperature: 1, humidity: 1, pressure: 1, illuminance: 1, voltage: 1, battery: 1, "
                    + "motion: 1, button: 1, device-type: 1",
                "beacons[0].format: the advertising data takes 34 bytes, and a PDU carries 31"
            ),
        ])
    func mistakesAreReported(_ keys: String, _ start: String) {
        let faults = Self.faults(keys)
        #expect(faults.contains { $0.hasPrefix(start) }, "\(faults)")
    }
}
