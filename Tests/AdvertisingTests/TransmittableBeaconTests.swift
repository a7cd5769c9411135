// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Testing

@Suite struct TransmittableBeaconTests {
    /// Golden vectors of beacontools and of the AltBeacon library.
    @Test(
        arguments: [
            (
                "ibeacon",
                ["uuid": "41424344-4546-4748-4940-414243444546", "major": "1", "minor": "2", "measured-power": "-8"],
                "0201061aff4c0002154142434445464748494041424344454600010002f8"
            ),
            (
                "altbeacon",
                [
                    "id1": "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "id2": "1", "id3": "2", "measured-power": "-59",
                    "reserved": "9",
                ], "0201061bff1801beac2f234454cf6d4a0fadf2f4911ba9ffa600010002c509"
            ),
            (
                "eddystone-uid",
                ["namespace": "12345678901234678901", "instance": "000000000001", "power-at-0m": "-29dBm"],
                "0201060303aafe1716aafe00e3123456789012346789010000000000010000"
            ),
            (
                "eddystone-url", ["url": "http://google.com/", "power-at-0m": "-25"],
                "0201060303aafe0d16aafe10e702676f6f676c6500"
            ),
            (
                "eddystone-tlm",
                [
                    "battery-millivolts": "2840", "temperature": "19", "advertisements": "5223",
                    "uptime-tenths": "2802916",
                ], "0201060303aafe1116aafe20000b18130000001467002ac4e4"
            ),
            ("bthome", ["temperature": "25", "humidity": "50.55"], "0201060a16d2fc4002c40903bf13"),
        ] as [(String, [String: String], String)])
    func framesMatchGoldenVectors(_ name: String, _ texts: [String: String], _ expected: String) throws {
        let format = try #require(BeaconFormats.transmittable.first { $0.formatName == name })
        try Self.check(format, texts, expected)
    }

    private static func check<Frame: TransmittableBeacon>(
        _ format: Frame.Type, _ texts: [String: String], _ expected: String
    ) throws {
        var frame = Frame.template
        for (key, text) in texts { #expect(frame.set(key, to: text) == nil, "\(key)") }
        let data = frame.advertisingData(flags: .beacon)
        #expect(Hexadecimal.string(data.bytes) == expected)
        #expect(data.frames == [BeaconFrame(frame)])
        // The printed texts give the same frame.
        var copy = Frame.template
        for (key, text) in frame.texts { #expect(copy.set(key, to: text) == nil, "\(key): \(text)") }
        #expect(copy == frame)
    }

    /// The compiler finds the formats that can be sent by the types of the entries: none is left out.
    @Test func everyFormatThatCanBeSentIsTransmittable() {
        let sent = BeaconFormats.all.filter { $0 is any TransmittableBeacon.Type }
        #expect(BeaconFormats.transmittable.map { $0.formatName } == sent.map { $0.formatName })
    }

    /// A template is complete except for its required keys, and no key accepts an invalid text.
    @Test func everyKeyRefusesInvalidText() throws {
        #expect(!BeaconFormats.transmittable.isEmpty)
        func check<Frame: TransmittableBeacon>(_ format: Frame.Type) {
            #expect(Set(Frame.keys.map(\.name)).count == Frame.keys.count)
            #expect(Frame.requiredKeys == Frame.keys.filter(\.isRequired).map(\.name))
            for key in Frame.keys {
                // Some keys take any text.
                if case .text = key.shape { continue }
                var frame = Frame.template
                #expect(frame.set(key.name, to: "?") == key.fault("?"))
                #expect(key.fault("?").contains(key.meaning) || key.reason("?") != nil)
                #expect(frame == Frame.template)
            }
        }
        for format in BeaconFormats.transmittable { check(format) }
    }
}
