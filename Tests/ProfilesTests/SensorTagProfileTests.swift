// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Testing

@Suite struct SensorTagProfileTests {
    private static func tag(_ keys: String) throws -> SensorTag.Configuration {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        let text = "profile: p\nbeacons:\n  - id: a\n    device: sensortag\n" + lines
        let device = try #require(try Profile(parsing: text, file: "p.yaml").beacons.first).device
        guard let configuration = (device as? SensorTag)?.configuration else {
            throw Surprise()
        }
        #expect(device.kind == "sensortag")
        #expect(device.advertising == configuration.advertising)
        return configuration
    }

    private struct Surprise: Error {}

    @Test func allKeysAreOptional() throws {
        let tag = try Self.tag("")
        #expect(tag == SensorTag.Configuration())
        #expect(tag.firmware == .version14)
        #expect(tag.advertisingPolicy == .always)
        #expect(tag.hasImageService)
        #expect(tag.environment[.pressure] == .fixed(1013.25))
    }

    @Test func defaultPairingIsThatOfTheHardware() throws {
        func pairing(_ line: String) throws -> PairingSettings? {
            let text = "profile: p\nbeacons:\n  - id: a\n    device: sensortag\n\(line)"
            return try Profile(parsing: text, file: "p.yaml").beacons.first?.pairing
        }
        let hardware = try #require(try pairing(""))
        #expect(hardware.inputOutput == .display && hardware.passkey == 0 && hardware.requiresAuthentication)
        #expect(hardware.isBonding && !hardware.asksOnConnection && hardware.secureConnections == .off)
        #expect(try pairing("    pairing: { io: none }\n") == PairingSettings())
    }

    @Test func allKeysAreRead() throws {
        let tag = try Self.tag(
            """
            firmware: 1.5
            address: B4:99:4C:64:30:FF
            temperature: { object: 36.6, ambient: -5 }
            humidity: 99.5
            acceleration: { x: -8, y: 0.5, z: 8 }
            magnetism: { x: 1, y: 2, z: 3 }
            rotation: { x: -250, y: 0, z: 250 }
            pressure: 300
            keys: left+right
            advertising: side-key
            image-service: false
            position: [1, 2]
            """)
        #expect(tag.firmware == .version15)
        #expect(tag.advertising.address == BluetoothAddress("B4:99:4C:64:30:FF"))
        #expect(tag.advertisingPolicy == .sideKey)
        #expect(!tag.hasImageService)
        let expected: [SensorTagQuantity: Double] = [
            .objectTemperature: 36.6, .ambientTemperature: -5, .humidity: 99.5, .accelerationX: -8,
            .accelerationY: 0.5, .accelerationZ: 8, .magnetismX: 1, .magnetismY: 2, .magnetismZ: 3, .rotationX: -250,
            .rotationY: 0, .rotationZ: 250, .pressure: 300, .keys: 3,
        ]
        #expect(expected.count == SensorTagQuantity.allCases.count)
        for (quantity, value) in expected { #expect(tag.environment[quantity] == .fixed(value), "\(quantity)") }
    }

    @Test(arguments: zip(["1.3", "1.4", "1.5"], [false, true, true]))
    func imageServiceDependsOnTheFirmware(_ firmware: String, hasImageService: Bool) throws {
        #expect(try Self.tag("firmware: \"\(firmware)\"").hasImageService == hasImageService)
        #expect(try Self.tag("firmware: \(firmware)\nimage-service: true").hasImageService)
    }

    private static let keyRule = "is not none, left, right or side, or several of them such as left+right"

    @Test(arguments: [
        ("firmware: ¦1.6", "firmware", "there is no firmware \"1.6\"; versions are 1.3, 1.4, 1.5"),
        ("temperature: ¦22", "temperature", "a mapping of keys and values is expected here"),
        (
            "temperature: { ¦surface: 22 }", "temperature",
            "there is no key \"surface\" here; keys are object, ambient"
        ),
        (
            "temperature: { object: ¦-41 }", "temperature.object",
            "\"-41\" is not a number from -40 to 125 (°C)"
        ),
        (
            "temperature:\n  ambient: ¦85.5", "temperature.ambient",
            "\"85.5\" is not a number from -40 to 85 (°C)"
        ),
        ("humidity: ¦101", "humidity", "\"101\" is not a number from 0 to 100 (%)"),
        ("humidity: ¦damp", "humidity", "\"damp\" is not a number from 0 to 100 (%)"),
        ("humidity: ¦0x10", "humidity", "\"0x10\" is not a number from 0 to 100 (%)"),
        ("humidity: ¦nan", "humidity", "\"nan\" is not a number from 0 to 100 (%)"),
        ("acceleration: { x: ¦2.1 }", "acceleration.x", "\"2.1\" is not a number from -2 to 2 (g)"),
        (
            "firmware: 1.5\nacceleration: { z: ¦-9 }", "acceleration.z",
            "\"-9\" is not a number from -8 to 8 (g)"
        ),
        ("acceleration: { ¦w: 1 }", "acceleration", "there is no key \"w\" here; keys are x, y, z"),
        ("magnetism: { y: ¦1001 }", "magnetism.y", "\"1001\" is not a number from -1000 to 1000 (µT)"),
        ("rotation: { z: ¦-250.5 }", "rotation.z", "\"-250.5\" is not a number from -250 to 250 (°/s)"),
        ("rotation: ¦[1, 2, 3]", "rotation", "a mapping of keys and values is expected here"),
        ("pressure: ¦101325", "pressure", "\"101325\" is not a number from 300 to 1100 (hPa)"),
        ("keys: ¦middle", "keys", "\"middle\" \(keyRule)"),
        ("keys: ¦left, right", "keys", "\"left, right\" \(keyRule)"),
        ("advertising: ¦never", "advertising", "\"never\" is not one of always, side-key"),
        ("image-service: ¦maybe", "image-service", "\"maybe\" is not one of true, false"),
        (
            "address: ¦B4:99", "address",
            "\"B4:99\" is not an address; write six bytes as C0:FF:EE:00:00:01"
        ),
        (
            "¦interval: 100ms", "",
            "there is no key \"interval\" here; keys are \(ProfileMistake.keys(of: "sensortag"))"
        ),
    ])
    func mistakeIsReported(_ keys: String, field: String, message: String) throws {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        let marked = MarkedText("profile: p\nbeacons:\n  - id: a\n    device: sensortag\n" + lines)
        let place = try #require(marked.places.first)
        let error = #expect(throws: ProfileFaults.self) { try Profile(parsing: marked.text, file: "p.yaml") }
        let path = field.isEmpty ? "beacons[0]" : "beacons[0].\(field)"
        let expected = ProfileFault(
            file: "p.yaml", line: place.line, column: place.column, field: path, message: message)
        #expect(error?.faults == [expected])
    }
}
