// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Foundation
import TestSupport
import Testing

@Suite struct FlashTests {
    private static let factory: [String: FlashValue] = [
        "uuid": .text("2173E519-9155-4862-AB64-7953AB146156"), "major": .integer(1), "minor": .integer(1),
        "power-code": .integer(2), "interval-ticks": .integer(160), "measured-power": .integer(-59),
    ]

    @Test func imageHasTheSettingsByName() {
        #expect(IoTDesignShopSettings().flash == FlashImage(Self.factory))
        var chosen = Self.factory
        chosen["last-valid-power-code"] = .integer(1)
        chosen["power-code"] = .integer(1)
        #expect(IoTDesignShopSettings(powerCode: 1).flash == FlashImage(chosen))
    }

    @Test func everySettingSurvives() throws {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<500 {
            var settings = IoTDesignShopSettings(
                uuid: try #require(UUID128(octets: generator.bytes(16))),
                powerCode: [nil, 0, 1, 2, 3].randomElement(using: &generator) ?? nil,
                measuredPower: MeasuredPower(.random(in: -128...127, using: &generator)))
            try settings.store(generator.bytes(4), in: Bench.majorMinor)
            try settings.store(generator.bytes(4), in: Bench.transmitSettings)
            #expect(try IoTDesignShopSettings(flash: settings.flash) == settings)
        }
    }

    @Test(arguments: factory.keys.sorted())
    func missingValueIsAFault(_ name: String) {
        var image = FlashImage(Self.factory)
        image.values[name] = nil
        #expect(throws: FlashFault(name: name)) { _ = try IoTDesignShopSettings(flash: image) }
    }

    @Test(
        arguments: [
            ("uuid", .integer(1)), ("uuid", .text("")), ("uuid", .text("2173E519")), ("major", .text("1")),
            ("major", .integer(-1)), ("major", .integer(65536)), ("minor", .integer(.max)), ("minor", .integer(.min)),
            ("power-code", .integer(65536)), ("power-code", .text("2")), ("interval-ticks", .integer(-1)),
            ("interval-ticks", .integer(65536)), ("measured-power", .integer(128)), ("measured-power", .integer(-129)),
            ("measured-power", .text("-59 dBm")), ("last-valid-power-code", .integer(3)),
            ("last-valid-power-code", .integer(-1)), ("last-valid-power-code", .text("2")),
        ] as [(String, FlashValue)])
    func damagedImageLeavesTheBeaconAsItWas(_ name: String, value: FlashValue) {
        var image = FlashImage(Self.factory)
        image.values["major"] = .integer(77)
        image.values[name] = value
        var beacon = Bench.beacon()
        #expect(throws: FlashFault(name: name)) { try beacon.restore(from: image) }
        #expect(beacon.settings == Bench.beacon().settings)
        #expect(beacon.advertisement == Bench.beacon().advertisement)
    }

    @Test func unknownValuesAreLeftAlone() throws {
        var image = FlashImage(Self.factory)
        image.values["colour"] = .text("blue")
        image.values["major"] = .integer(65535)
        var beacon = Bench.beacon()
        try beacon.restore(from: image)
        #expect(beacon.settings.contains(.major(65535)))
    }

    @Test func impossibleSettingsComeBack() throws {
        var image = FlashImage(Self.factory)
        image.values["power-code"] = .integer(65535)
        image.values["interval-ticks"] = .integer(0)
        var beacon = Bench.beacon()
        try beacon.restore(from: image)
        #expect(beacon.read(Bench.transmitSettings, offset: 0) == .value([0xFF, 0xFF, 0, 0]))
        #expect(beacon.handle(.poweredOn).warningCodes == ["interval-clamped"])
    }

    @Test func valuesAreJSONNumbersAndStrings() throws {
        let values: [String: FlashValue] = ["a": .integer(-59), "b": .text("x"), "c": .text("1")]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(values)
        #expect(String(decoding: json, as: UTF8.self) == #"{"a":-59,"b":"x","c":"1"}"#)
        #expect(try JSONDecoder().decode([String: FlashValue].self, from: json) == values)
    }

    @Test(arguments: ["1.5", "true", "null", "[1]", "{}", "18446744073709551615"])
    func otherJSONIsRefused(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FlashValue].self, from: Data("[\(text)]".utf8))
        }
    }
}
