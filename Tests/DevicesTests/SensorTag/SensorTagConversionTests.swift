// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import Devices

/// Data of real tags, decoded with the manufacturer's formulas and encoded again; they may differ by one unit.
@Suite struct SensorTagConversionTests {
    private static let calibration = BarometerCalibration.example.bytes

    private static func bytes(_ text: String) throws -> [UInt8] { try Hexadecimal.bytes(text) }

    private static func words(_ data: [UInt8]) -> [Int] {
        stride(from: 0, to: data.count, by: 2).map {
            Int(Int16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8))
        }
    }

    /// Whether corresponding 16-bit words differ by at most `steps`.
    private static func isNear(_ left: [UInt8], _ right: [UInt8], steps: Int = 1) -> Bool {
        left.count == right.count && zip(words(left), words(right)).allSatisfy { abs($0 - $1) <= steps }
    }

    @Test func calibrationEqualsThatOfARealTag() {
        #expect(Hexadecimal.string(Self.calibration) == "55b43d697db15e853e07a3ddd8fbfc06")
    }

    @Test(arguments: [("FBFCB40D", 27.406, 13.598), ("a3ff7c06", 12.969, 14.214)])
    func infraredThermometerMatchesARealTag(_ text: String, ambient: Double, object: Double) throws {
        let data = try Self.bytes(text)
        #expect(abs(SensorTagFormulas.ambient(data) - ambient) < 0.001)
        #expect(abs(SensorTagFormulas.object(data) - object) < 0.001)
        #expect(
            Self.isNear(
                InfraredThermometer.data(
                    object: SensorTagFormulas.object(data), ambient: SensorTagFormulas.ambient(data)), data))
        #expect(Self.isNear(InfraredThermometer.data(object: object, ambient: ambient), data))
    }

    @Test func infraredThermometerEncodesKnownTemperatures() {
        #expect(Hexadecimal.string(InfraredThermometer.data(object: 36.6, ambient: 25)) == "5901800c")
    }

    @Test func humidityMatchesARealTag() throws {
        let data = try Self.bytes("E06C5293")
        #expect(abs(SensorTagFormulas.humidityTemperature(data) - 27.882) < 0.001)
        #expect(abs(SensorTagFormulas.humidity(data) - 65.93) < 0.01)
        let encoded = HumiditySensor.data(
            temperature: SensorTagFormulas.humidityTemperature(data), humidity: SensorTagFormulas.humidity(data))
        // The two lowest bits are status bits.
        #expect(Self.isNear(encoded, data, steps: 4))
        #expect(Hexadecimal.string(HumiditySensor.data(temperature: 25, humidity: 50)) == "ac68b272")
    }

    @Test func accelerationMatchesARealTag() throws {
        let data = try Self.bytes("FF0342")
        let decoded = SensorTagFormulas.acceleration(data, perG: 64)
        #expect(zip(decoded, [-0.016, 0.047, 1.031]).allSatisfy { abs($0 - $1) < 0.001 })
        #expect(MotionSensors.acceleration(decoded, range: 2) == data)
        #expect(MotionSensors.acceleration([-0.016, 0.047, 1.031], range: 2) == data)
    }

    @Test(arguments: [(2.0, 64.0), (4, 32), (8, 16)])
    func accelerationIsScaledAndClampedToItsRange(_ range: Double, perG: Double) {
        #expect(MotionSensors.acceleration([1, -1, 0], range: range) == [UInt8(perG), 0 &- UInt8(perG), 0])
        #expect(MotionSensors.acceleration([100, -100, .nan], range: range) == [0x7F, 0x80, 0])
    }

    @Test func magnetismMatchesARealTag() throws {
        let data = try Self.bytes("EBFAA002B0F8")
        let decoded = SensorTagFormulas.magnetism(data)
        #expect(zip(decoded, [-39.70, 20.51, -57.13]).allSatisfy { abs($0 - $1) < 0.01 })
        #expect(MotionSensors.magnetism(decoded) == data)
        #expect(Hexadecimal.string(MotionSensors.magnetism([1000, -1000, 2e9])) == "ff7f0080ff7f")
    }

    @Test func rotationMatchesARealTag() throws {
        let data = try Self.bytes("E5FFB401FBFF")
        let decoded = SensorTagFormulas.rotation(data)
        #expect(zip(decoded, [-0.206, 3.326, -0.038]).allSatisfy { abs($0 - $1) < 0.001 })
        #expect(MotionSensors.rotation(decoded) == data)
        #expect(Hexadecimal.string(MotionSensors.rotation([250, -250, -.infinity])) == "ff7f00800080")
    }

    @Test func barometerMatchesARealTag() throws {
        let data = try Self.bytes("7F005799")
        #expect(abs(SensorTagFormulas.barometerTemperature(data, calibration: Self.calibration) - 26.659) < 0.001)
        #expect(abs(SensorTagFormulas.pressure(data, calibration: Self.calibration) - 100145) < 1)
        let raw = BarometerCalibration.example.temperatureRaw(26.659)
        #expect(abs(Int(raw) - 0x7F) <= 1)
        #expect(BarometerCalibration.example.pressureRaw(100_145, temperatureRaw: 0x7F) == 0x9957)
        #expect(BarometerCalibration.example.temperatureRaw(25) == Int16(bitPattern: 0xFE24))
        let encoded = BarometerCalibration.example.pressureRaw(101_325, temperatureRaw: Int16(bitPattern: 0xFE24))
        #expect(encoded == 0x9B88)
    }

    /// Over the whole range of the profile, a client decodes the encoded temperature within one unit.
    @Test func temperaturesSurviveTheRoundTrip() {
        for ambient in stride(from: -40.0, through: 85, by: 2.5) {
            for object in stride(from: -40.0, through: 125, by: 5.5) {
                let data = InfraredThermometer.data(object: object, ambient: ambient)
                #expect(abs(SensorTagFormulas.ambient(data) - ambient) <= 1.0 / 256)
                // The temperature difference of one voltage unit at this point.
                let raw = Int16(bitPattern: UInt16(data[0]) | UInt16(data[1]) << 8)
                let next = UInt16(bitPattern: raw + 1)
                let step =
                    SensorTagFormulas.object([UInt8(next & 0xFF), UInt8(next >> 8)] + data[2...])
                    - SensorTagFormulas.object(data)
                #expect(abs(SensorTagFormulas.object(data) - object) <= step, "\(object) °C at \(ambient) °C")
            }
            let humid = HumiditySensor.data(temperature: ambient, humidity: 45)
            #expect(abs(SensorTagFormulas.humidityTemperature(humid) - ambient) <= 4 * 175.72 / 65536)
        }
    }

    @Test func pressuresSurviveTheRoundTrip() {
        for temperature in stride(from: -40.0, through: 85, by: 5) {
            let raw = BarometerCalibration.example.temperatureRaw(temperature)
            for pressure in stride(from: 30_000.0, through: 110_000, by: 2500) {
                let measured = BarometerCalibration.example.pressureRaw(pressure, temperatureRaw: raw)
                func bytes(_ measured: UInt16) -> [UInt8] {
                    var writer = ByteWriter()
                    writer.writeLittleEndian(raw)
                    writer.writeLittleEndian(measured)
                    return writer.bytes
                }
                let decoded = SensorTagFormulas.pressure(bytes(measured), calibration: Self.calibration)
                let step = SensorTagFormulas.pressure(bytes(measured - 1), calibration: Self.calibration) - decoded
                #expect(abs(decoded - pressure) <= abs(step), "\(pressure) Pa at \(temperature) °C")
                // The tutorial's app calculates with 32-bit integers.
                #expect(decoded * 16384 < Double(Int32.max))
            }
            let decoded = SensorTagFormulas.barometerTemperature(
                [UInt8(truncatingIfNeeded: raw), UInt8(truncatingIfNeeded: raw >> 8)], calibration: Self.calibration)
            #expect(abs(decoded - temperature) <= 46165 / 16_777_216.0)
        }
    }

    @Test func numbersAreRoundedAndClamped() {
        #expect(Int8(clampedNearest: 127.4) == 127)
        #expect(Int8(clampedNearest: 127.5) == 127)
        #expect(Int8(clampedNearest: -1e300) == -128)
        #expect(UInt16(clampedNearest: -0.6) == 0)
        #expect(UInt16(clampedNearest: .infinity) == .max)
        #expect(UInt16(clampedNearest: .nan) == 0)
        #expect(Int16(clampedNearest: -2.5) == -3)
    }
}
