// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

@Suite struct BeaconFrameTests {
    /// The frame of the example of a format that can be sent.
    private static func example<Frame: TransmittableBeacon>(of _: Frame.Type) -> BeaconFrame {
        var frame = Frame.template
        for (key, text) in Frame.example { #expect(frame.set(key, to: text) == nil, "\(Frame.formatName): \(key)") }
        return BeaconFrame(frame)
    }

    @Test func everyFormatIsRecognised() throws {
        var frames = EddystoneTests.vectors.compactMap(\.frame)
        frames.append(BeaconFrame(try IBeaconVector.all[0].frame()))
        frames.append(BeaconFrame(try AltBeaconTests.frame()))
        frames.append(try #require(BeaconFrame(try BTHomeTests.structure("4002c40903bf13"))))
        frames.append(try #require(BeaconFrame(try BTHomeTests.structure("41e445f3c962cf0000000000cf7c0e30"))))
        for (service, digits) in [
            (0x181A, "11d603fbfa7b6dfb1e26fd"), (0x181A, "11d603fbfa7b6dfb"),
            (0xFE95, "58585b0550f4830238c1a495ef58763c26000097e2abb5"),
        ] as [(UInt16, String)] {
            frames.append(try #require(BeaconFrame(.serviceData16(service, try Hexadecimal.bytes(digits)))))
        }
        for vector in SensorFrameTests.vectors where vector.format == "ruuvi-e1" {
            frames.append(try #require(BeaconFrame(vector.structure)))
        }
        for format in BeaconFormats.transmittable where !frames.contains(where: { $0.format == format.formatName }) {
            frames.append(Self.example(of: format))
        }
        #expect(Set(frames.map(\.format)) == Set(BeaconFormats.names))
        // The frame of a hydrometer is an iBeacon, too.
        let tilt = try #require(frames.firstIndex { $0.format == "tilt" })
        #expect(AdvertisingData([frames[tilt].structure]).frames.map(\.format) == ["ibeacon", "tilt"])
        frames.remove(at: tilt)
        for frame in frames { #expect(BeaconFrame(frame.structure) == frame) }
        let data = AdvertisingData([.flags(.beacon)] + frames.map(\.structure) + [.localName("a", isComplete: true)])
        #expect(data.frames == frames)
        #expect(data.iBeacons == [try IBeaconVector.all[0].frame()])
    }

    @Test(
        arguments: [
            ("ibeacon", ["ibeacon"]), ("altbeacon", ["altbeacon"]), ("eddystone-uid", ["eddystone-uid"]),
            ("eddystone-etlm", ["eddystone-etlm"]), ("bthome", ["bthome"]),
            ("eddystone", ["eddystone-uid", "eddystone-url", "eddystone-tlm", "eddystone-etlm", "eddystone-eid"]),
            ("", []), ("iBeacon", []), ("eddystone-", []),
        ] as [(String, [String])])
    func formatsHaveNames(_ name: String, _ formats: [String]) {
        #expect(BeaconFormats.named(name).map { $0.formatName } == formats)
    }

    /// The structure of a frame is the structure that it was decoded from.
    @Test func structuresOfFramesArePreserved() throws {
        var generator = SplitMix64(seed: 6)
        var found: [String: Int] = [:]
        for round in 0..<20_000 {
            let starts: [[UInt8]] = [[0x00], [0x10], [0x20, 0], [0x20, 1], [0x30]]
            let start = starts[round % starts.count]
            let data = start + generator.bytes(Int.random(in: 0...21, using: &generator))
            let structure = AdvertisingStructure.serviceData16(Eddystone.service, data)
            guard let frame = BeaconFrame(structure) else { continue }
            found[frame.format, default: 0] += 1
            #expect(frame.structure == structure)
        }
        #expect(found.count == 5)
    }
}
