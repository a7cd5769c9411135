// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import TestSupport
import Testing

@Suite struct SensorFrameTests {
    /// A frame of a maker, or of the tests of its decoder, with the values that the decoder has.
    struct Vector: Sendable, CustomTestStringConvertible {
        let format: String
        let structure: AdvertisingStructure
        let values: [String: Double]

        var testDescription: String { format }

        init(_ format: String, manufacturer: UInt16, _ digits: String, _ values: [String: Double]) {
            self.init(format, .manufacturerSpecific(CompanyIdentifier(manufacturer), Self.bytes(digits)), values)
        }

        init(_ format: String, service: UInt16, _ digits: String, _ values: [String: Double]) {
            self.init(format, .serviceData16(service, Self.bytes(digits)), values)
        }

        /// The bytes begin with those of the company identifier.
        init(_ format: String, manufacturerData digits: String, _ values: [String: Double]) {
            let bytes = Self.bytes(digits)
            let company = CompanyIdentifier(UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
            self.init(format, .manufacturerSpecific(company, Array(bytes.dropFirst(2))), values)
        }

        private init(_ format: String, _ structure: AdvertisingStructure, _ values: [String: Double]) {
            (self.format, self.structure, self.values) = (format, structure, values)
        }

        private static func bytes(_ digits: String) -> [UInt8] {
            guard let bytes = try? Hexadecimal.bytes(digits) else { preconditionFailure("digits") }
            return bytes
        }
    }

    static let vectors = [
        Vector(
            "ruuvi-5", manufacturer: 0x0499, "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
            [
                "temperature": 24.3, "humidity": 53.49, "pressure": 100_044, "accelerationX": 4, "accelerationY": -4,
                "accelerationZ": 1036, "voltage": 2977, "powerInFrame": 4, "movements": 66, "sequence": 205,
            ]),
        Vector(
            "ruuvi-5", manufacturer: 0x0499, "057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
            ["temperature": 163.835, "humidity": 163.835, "pressure": 115_534, "voltage": 3646, "powerInFrame": 20]),
        Vector(
            "ruuvi-5", manufacturer: 0x0499, "058001000000008001800180010000000000CBB8334C884F",
            ["temperature": -163.835, "humidity": 0, "pressure": 50_000, "voltage": 1600, "powerInFrame": -40]),
        Vector(
            "ruuvi-6", manufacturer: 0x0499, "06170C5668C79E007000C90501D9FFCD004C884F",
            [
                "temperature": 29.5, "humidity": 55.3, "pressure": 101_102, "pm25": 11.2, "co2": 201, "voc": 10,
                "nox": 2,
                "illuminance": 13026.67, "sequence": 205,
            ]),
        Vector(
            "ruuvi-e1", manufacturer: 0x0499,
            "E1170C5668C79E0065007004BD11CA00C90A0213E0ACFFFFFFDECDEE01FFFFFFFFFFCBB8334C884F",
            [
                "pm1": 10.1, "pm25": 11.2, "pm4": 121.3, "pm10": 455.4, "voc": 20, "nox": 4, "illuminance": 13027,
                "sequence": 14_601_710, "calibrating": 1,
            ]),
        Vector(
            "atc1441", service: 0x181A, "a4c1380283f400a22f5f0bf819",
            ["temperature": 16.2, "humidity": 47, "battery": 95, "voltage": 3064, "packet": 25]),
        Vector(
            "pvvx", service: 0x181A, "f4830238c1a4a9066911b60b58f70d",
            [
                "temperature": 17.05, "humidity": 44.57, "voltage": 2998, "battery": 88, "packet": 247, "reed": 1,
                "output": 0,
            ]),
        Vector(
            "mibeacon", service: 0xFE95, "5020aa01a3bf2e3b342d580d1004b40095020a10013b",
            ["climateTemperature": 18, "climateHumidity": 66.1, "battery": 59]),
        Vector("mibeacon", service: 0xFE95, "7120980012f34f6b8d7cc40d041002c400", ["temperature": 19.6]),
        Vector(
            "govee-h5075", manufacturer: 0xEC88, "0003215d6400",
            ["temperature": 20.5, "humidity": 14.9, "battery": 100]),
        Vector(
            "govee-h5075", manufacturer: 0xEC88, "0081c2896400",
            ["temperature": -11.5, "humidity": 33.7, "battery": 100]),
        Vector(
            "thermopro", manufacturerData: "c2170127022c", ["temperature": 27.9, "humidity": 39, "batteryLevel": 2]),
        Vector(
            "inkbird", manufacturerData: "9c08f41000ba4e6408",
            ["temperature": 22.04, "humidity": 43.4, "battery": 100, "externalProbe": 0]),
        Vector(
            "switchbot-meter", service: 0xFD3D, "5400640098a6", ["temperature": 24, "humidity": 38, "battery": 100]),
        Vector(
            "minew-ht", service: 0xFFE1, "a1016315803200aabbccddeeff",
            ["temperature": 21.5, "humidity": 50, "battery": 99]),
        Vector(
            "minew-acc", service: 0xFFE1, "a10364ff8000000080aabbccddeeff",
            ["accelerationX": -0.5, "accelerationY": 0, "accelerationZ": 0.5, "battery": 100]),
        Vector("minew-info", service: 0xFFE1, "a10801aabbccddeeff504c5553", ["battery": 1]),
        Vector(
            "kbeacon", service: 0xFEAA, "21010f0e5b16531f95fffcffec03eb",
            [
                "voltage": 3675, "temperature": 22.324219, "humidity": 31.582031, "accelerationX": -4,
                "accelerationY": -20,
                "accelerationZ": 1003,
            ]),
        Vector(
            "teltonika-eye", manufacturer: 0x089A, "01B708B4120CCB0BFFC767",
            [
                "temperature": 22.28, "humidity": 18, "magnet": 0, "moving": 0, "movements": 3275, "pitch": 11,
                "roll": -57,
                "voltage": 3030,
            ]),
        Vector(
            "tilt", manufacturer: 0x004C, "0215a495bb10c5b14b44b5121370f02d74de004403f8c5",
            ["colour": 1, "temperature": 68, "gravity": 1.016]),
    ]

    @Test(arguments: vectors)
    func vectorsAreDecoded(_ vector: Vector) throws {
        let frames = AdvertisingData([vector.structure]).frames
        let frame = try #require(frames.first { $0.format == vector.format }, "\(frames.map(\.format))")
        for (key, expected) in vector.values {
            let field = try #require(frame.fields.first { $0.key == key }, "\(key) of \(frame.fields.map(\.key))")
            let value: Double
            switch field.value {
            case .integer(let integer): value = Double(integer)
            case .number(let number): value = number
            default: value = .nan
            }
            // A logarithm has no short decimals.
            #expect(abs(value - expected) < 0.006, "\(key)")
        }
        #expect(frame.structure == vector.structure)
    }

    /// A field that has the number for "not available" is absent.
    @Test func invalidNumbersAreNoValues() throws {
        let bytes = try Hexadecimal.bytes("058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF")
        let frame = try #require(BeaconFrame(.manufacturerSpecific(CompanyIdentifier(0x0499), bytes)))
        #expect(frame.format == "ruuvi-5")
        #expect(frame.fields.map(\.key) == ["address"])
    }

    /// Frames without an address have no bytes of one.
    @Test func addressIsOptionalInMiBeacon() throws {
        let bytes = try Hexadecimal.bytes("4020aa010104100200ff")
        let frame = try #require(BeaconFrame(.serviceData16(0xFE95, bytes)))
        #expect(frame.fields.map(\.key) == ["product", "frameCounter", "temperature"])
        #expect(frame.structure == .serviceData16(0xFE95, bytes))
    }

    /// Each format that is sent makes the frame of its vectors from its texts.
    @Test(arguments: vectors.map(\.format).uniqued)
    func textsMakeTheSameFrame(_ name: String) throws {
        guard let format = BeaconFormats.transmittable.first(where: { $0.formatName == name }) else {
            #expect(name == "ruuvi-e1")
            return
        }
        for vector in Self.vectors where vector.format == name {
            try Self.check(format, vector.structure)
        }
    }

    private static func check<Frame: TransmittableBeacon>(_ format: Frame.Type, _ structure: AdvertisingStructure)
        throws
    {
        let decoded = try #require(Frame(structure))
        var written = Frame.template
        for (key, text) in decoded.texts { #expect(written.set(key, to: text) == nil, "\(key): \(text)") }
        let read = try #require(Frame(written.structure))
        let values = { (frame: Frame) in frame.fields.filter { $0.key != "address" } }
        #expect(values(read) == values(decoded))
    }

    @Test func addressesAreFilledIn() throws {
        let address = try #require(BluetoothAddress("A4:C1:38:02:83:F4"))
        for format in BeaconFormats.transmittable {
            try Self.check(address, format)
        }
    }

    private static func check<Frame: TransmittableBeacon>(_ address: BluetoothAddress, _ format: Frame.Type) throws {
        var frame = Frame.template
        frame.address = address
        guard let read = Frame(frame.structure), let own = read.address else { return }
        #expect(own == address, "\(Frame.formatName)")
    }

    /// Any bytes are read without a trap, and frames are serialised to the same bytes.
    @Test func randomBytesAreReadAndPreserved() {
        var generator = SplitMix64(seed: 41)
        for vector in Self.vectors {
            for _ in 0..<2000 {
                var data = vector.structure.data
                for _ in 0...Int.random(in: 0...3, using: &generator) where !data.isEmpty {
                    data[Int.random(in: data.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) { data.removeLast(Int.random(in: 0...data.count, using: &generator)) }
                let structure = AdvertisingStructure(type: vector.structure.type, data: data)
                for frame in AdvertisingData([structure]).frames { #expect(frame.structure == structure) }
            }
        }
    }
}

extension [String] {
    /// Each once, in order.
    fileprivate var uniqued: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
