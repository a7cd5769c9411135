// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Testing

@testable import Devices

@Suite struct SensorCipherTests {
    /// An encrypted frame of a sensor or of the tests of its decoder, with its key, its sender and its values.
    struct Vector: Sendable, CustomTestStringConvertible {
        let format: String
        let service: UInt16
        let digits: String
        let key: String
        let sender: String
        let values: [String: Double]

        var testDescription: String { format + " " + digits }

        var structure: AdvertisingStructure {
            get throws { .serviceData16(service, try Hexadecimal.bytes(digits)) }
        }
    }

    static let vectors = [
        // xiaomi-ble, ble_monitor; the last one is version 3.
        Vector(
            format: "mibeacon", service: 0xFE95, digits: "58585b0550f4830238c1a495ef58763c26000097e2abb5",
            key: "e9ea895fac7cca6d30532432a516f3a8", sender: "A4:C1:38:02:83:F4",
            values: ["humidity": 46.7, "product": 0x055B, "frameCounter": 0x50]),
        Vector(
            format: "mibeacon", service: 0xFE95, digits: "5830b603d28b98c54124f8c3491476757e00000099",
            key: "b853075158487ca39a5b5ea9", sender: "F8:24:41:C5:98:8B", values: ["button": 256, "press": 3]),
        Vector(
            format: "pvvx", service: 0x181A, digits: "11d603fbfa7b6dfb1e26fd", key: "b9ea895fac7eea6d30532432a516f3a3",
            sender: "A4:C1:38:8D:18:B2", values: ["temperature": 23.45, "humidity": 41.73, "battery": 61, "packet": 17]),
        // bthome.io/encryption.
        Vector(
            format: "bthome", service: 0xFCD2, digits: "41a47266c95f730011223378237214",
            key: "231d39c1d7cc1ab1aee224cd096db932", sender: "54:48:E6:8F:80:A5",
            values: ["temperature": 25.06, "humidity": 50.55]),
    ]

    @Test(arguments: vectors)
    func valuesAreReadWithTheKey(_ vector: Vector) throws {
        let structure = try vector.structure
        let frame = try #require(BeaconFrame(structure))
        #expect(frame.format == vector.format + "-encrypted")
        #expect(frame.structure == structure)
        let encrypted = try #require(frame.content as? any EncryptedBeacon)
        let sender = try #require(BluetoothAddress(vector.sender))
        let opened = try #require(encrypted.opened(with: try BindKey(vector.key, readsShort: true), from: sender))
        #expect(opened.format == vector.format)
        for (key, expected) in vector.values {
            let value = try #require(opened.fields.first { $0.key == key }?.value, "\(key)")
            switch value {
            case .integer(let integer): #expect(Double(integer) == expected, "\(key)")
            case .number(let number): #expect(abs(number - expected) < 0.0001, "\(key)")
            default: Issue.record("\(key): \(value)")
            }
        }
    }

    /// Another key, and where the frame has no address another sender. The code of old MiBeacon frames is not verified: what is read
    /// with another key is no frame in most cases.
    @Test(arguments: vectors.filter { $0.key.count == 32 })
    func valuesAreNotReadOtherwise(_ vector: Vector) throws {
        let encrypted = try #require(BeaconFrame(try vector.structure)?.content as? any EncryptedBeacon)
        let sender = try #require(BluetoothAddress(vector.sender))
        let other = try BindKey(String(vector.key.reversed()))
        #expect(encrypted.opened(with: other, from: sender) == nil)
        guard vector.format != "mibeacon" else { return }
        #expect(encrypted.opened(with: try BindKey(vector.key), from: .zero) == nil)
    }

    /// Each format that can be encrypted is read as it was sent, but for the keys that its frame does not have.
    @Test func whatIsEncryptedIsRead() throws {
        let key = try BindKey("e9ea895fac7cca6d30532432a516f3a8")
        let sender = try #require(BluetoothAddress("A4:C1:38:02:83:F4"))
        let formats = BeaconFormats.transmittable.compactMap { $0 as? any EncryptableBeacon.Type }
        #expect(formats.map { $0.formatName } == ["bthome", "pvvx", "atc1441", "mibeacon"])
        for format in formats { try Self.check(format, key, sender) }
    }

    /// A sensor before its first value sends its header only.
    @Test func frameWithoutValuesIsEncrypted() throws {
        let sender = try #require(BluetoothAddress("A4:C1:38:02:83:F4"))
        let key = try BindKey("e9ea895fac7cca6d30532432a516f3a8")
        for format in BeaconFormats.transmittable.compactMap({ $0 as? any EncryptableBeacon.Type }) {
            #expect(format.template.encrypted(with: key, from: sender, counter: 1).code.count == 4)
        }
    }

    private static func check<Frame: EncryptableBeacon>(_: Frame.Type, _ key: BindKey, _ sender: BluetoothAddress)
        throws
    {
        var frame = Frame.template
        for (name, text) in Frame.example { #expect(frame.set(name, to: text) == nil) }
        frame.address = sender
        let encrypted = frame.encrypted(with: key, from: sender, counter: 0x1234_5678)
        #expect(encrypted.code.count == 4)
        let read = try #require(BeaconFrame(encrypted.structure)?.content as? any EncryptedBeacon)
        let counter = try #require(read.fields.first { $0.key == "counter" }?.value)
        #expect(counter == .integer(0x1234_5678) || counter == .integer(0x78))
        let opened = try #require(read.opened(with: key, from: sender))
        let missing = Set(Frame.keysWithoutEncryption + ["address"])
        func values(_ fields: [BeaconField]) -> [String: BeaconField.Value] {
            Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.value) })
        }
        let readValues = values(opened.fields)
        for (key, value) in values(frame.fields) where !missing.contains(key) && key != "frameCounter" {
            let (sent, received) = (number(value), readValues[key].flatMap(number))
            // Encrypted frames of ATC1441 have halves of a degree and of a percent.
            let step = Frame.formatName == "atc1441" ? 0.25 : 0.0001
            #expect(
                sent.flatMap { sent in received.map { abs($0 - sent) <= step } } == true,
                "\(key) of \(Frame.formatName)")
        }
    }

    private static func number(_ value: BeaconField.Value) -> Double? {
        switch value {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    @Test(arguments: ["", "00", "e9ea895fac7cca6d30532432a516f3", "b853075158487ca39a5b5ea9", "zz"])
    func otherTextsAreNoKeys(_ text: String) {
        #expect(throws: ValueFault.self) { try BindKey(text) }
        #expect("\((try? BindKey("e9ea895fac7cca6d30532432a516f3a8")).map(String.init(describing:)) ?? "")" == "...")
    }
}
