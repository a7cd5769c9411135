// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

@Suite struct BTHomeTests {
    static func structure(_ data: String) throws -> AdvertisingStructure {
        .serviceData16(BTHome.service, try Hexadecimal.bytes(data))
    }

    /// The example of bthome.io: 25.00 °C and 50.55 %.
    @Test func publishedExampleIsDecoded() throws {
        let text = "0201060b094449592d73656e736f720a16d2fc4002c40903bf13"
        let data = try AdvertisingData(parsing: try Hexadecimal.bytes(text))
        let frame = try #require(data.structures.lazy.compactMap(BTHome.init).first)
        #expect(frame["temperature"]?.value == 25)
        #expect(frame["humidity"]?.value == 50.55)
        #expect(frame["battery"] == nil)
        #expect(!frame.isTriggered)
        #expect(frame.fields.compactMap(\.text) == ["temperature 25 °C", "humidity 50.55 %"])
        #expect(data.frames == [BeaconFrame(frame)])
    }

    @Test func publishedExampleIsEncoded() throws {
        var frame = BTHome.template
        #expect(frame.set("humidity", to: "50.55") == nil)
        #expect(frame.set("temperature", to: "25") == nil)
        let data = frame.advertisingData(flags: .beacon)
        #expect(Hexadecimal.string(data.bytes) == "0201060a16d2fc4002c40903bf13", "objects are sorted by ID")
        #expect(frame.texts.map(\.text) == ["25", "50.55"])
    }

    /// Values from the table of objects at bthome.io.
    @Test(
        arguments: [
            ("packet-id", "9", "0009"), ("battery", "97", "0161"), ("temperature", "-17.85", "0207f9"),
            ("humidity", "100", "031027"), ("pressure", "1008.83", "04138a01"),
            ("illuminance", "13460.67", "05138a14"), ("voltage", "3.074", "0c020c"), ("motion", "1", "2101"),
            ("window", "1", "2d01"), ("button", "2", "3a02"), ("device-type", "1", "f00100"),
        ])
    func objectsHaveTheBytesOfTheSpecification(_ key: String, _ text: String, _ bytes: String) throws {
        var frame = BTHome.template
        #expect(frame.set(key, to: text) == nil)
        #expect(frame.structure == (try Self.structure("40" + bytes)))
        #expect(BTHome(frame.structure) == frame)
        #expect(frame.texts.map(\.key) == [key] && frame.texts.map(\.text) == [text])
    }

    @Test(arguments: [("motion", "true", "2101"), ("window", "false", "2d00")])
    func statesAreTrueOrFalse(_ key: String, _ text: String, _ bytes: String) throws {
        var frame = BTHome.template
        #expect(frame.set(key, to: text) == nil)
        #expect(frame.structure == (try Self.structure("40" + bytes)))
        #expect(frame.set("button", to: text) != nil, "a button has no states")
    }

    @Test func triggerIsABitOfTheDeviceInformation() throws {
        var frame = BTHome.template
        #expect(frame.set("button", to: "1") == nil && frame.set("trigger", to: "true") == nil)
        #expect(frame.structure == (try Self.structure("443a01")))
        #expect(frame.texts.map(\.key) == ["button", "trigger"])
        #expect(frame.set("trigger", to: "1") != nil)
        #expect(frame.set("trigger", to: "false") == nil)
        #expect(frame.structure == (try Self.structure("403a01")))
    }

    @Test(arguments: [
        ("temperature", "3276.8"), ("battery", "-1"), ("button", "256"), ("humidity", "nan"), ("motion", ""),
    ])
    func valuesOutOfRangeAreRefused(_ key: String, _ text: String) {
        var frame = BTHome.template
        #expect(frame.set(key, to: text) != nil)
        #expect(frame == BTHome.template)
    }

    @Test(arguments: ["", "41", "20", "4102c409"])
    func encryptedAndOtherVersionsAreNotDecoded(_ data: String) throws {
        #expect(BTHome(try Self.structure(data)) == nil)
    }

    @Test func unknownObjectsArePreserved() throws {
        let structure = try Self.structure("44016177010203")
        let frame = try #require(BTHome(structure))
        #expect(frame.isTriggered)
        #expect(frame["battery"]?.value == 97)
        #expect(frame.undecoded == [0x77, 1, 2, 3])
        #expect(frame.structure == structure)
    }

    /// Frames of random bytes are serialized to the same bytes.
    @Test func randomFramesArePreserved() {
        var generator = SplitMix64(seed: 8)
        for _ in 0..<5000 {
            let count = Int.random(in: 0...20, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) % 0x40 }
            let structure = AdvertisingStructure.serviceData16(BTHome.service, [0x40] + bytes)
            #expect(BTHome(structure)?.structure == structure)
        }
    }
}
