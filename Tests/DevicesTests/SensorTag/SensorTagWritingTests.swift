// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Testing

@Suite struct SensorTagWritingTests {
    private static let singleBytes =
        SensorTagSensor.allCases.map(\.configuration) + [
            SensorTagSensor.accelerometer.period, SensorTagSensor.magnetometer.period, SensorTagWire.testConfiguration,
            SensorTagWire.disconnectRequest, .bit16(0x2A02),
        ]

    @Test(arguments: singleBytes)
    func writesOfOneByteRequireThisLength(_ uuid: BluetoothUUID) {
        var bench = SensorTagBench.connected()
        #expect(bench.write([], to: uuid) == .rejected(.invalidAttributeValueLength))
        #expect(bench.write([1, 0], to: uuid) == .rejected(.invalidAttributeValueLength))
        #expect(bench.write([1], to: uuid, offset: 1) == .rejected(.attributeNotLong))
        #expect(bench.write([0, 1], to: uuid, offset: 1) == .rejected(.attributeNotLong))
        #expect(bench.write([100], to: uuid) == .done)
    }

    @Test(arguments: [
        (SensorTagWire.connectionParametersRequest, 8), (SensorTagWire.imageIdentity, 8),
        (SensorTagWire.imageBlock, 18), (.bit16(0x2A03), 6),
    ])
    func longerWritesRequireTheirLength(_ uuid: BluetoothUUID, length: Int) {
        var bench = SensorTagBench.connected()
        for wrong in [0, length - 1, length + 1] {
            let answer = bench.write([UInt8](repeating: 0, count: wrong), to: uuid)
            #expect(answer == .rejected(.invalidAttributeValueLength))
        }
        #expect(bench.write([UInt8](repeating: 1, count: length), to: uuid) == .done)
        #expect(bench.read(uuid) == .error(.readNotPermitted))
    }

    @Test(
        arguments: SensorTagSensor.allCases.map(\.data) + [
            SensorTagWire.calibration, SensorTagWire.keys, SensorTagWire.testData, SensorTagWire.connectionParameters,
            .bit16(0x2A00), .bit16(0x2A29), .bit16(0x2A19),
        ])
    func otherValuesCannotBeWritten(_ uuid: BluetoothUUID) {
        var bench = SensorTagBench.connected()
        #expect(bench.write([0], to: uuid) == .rejected(.writeNotPermitted))
    }

    @Test(arguments: SensorTagSensor.allCases)
    func invalidConfigurationIsStoredWithoutEffect(_ sensor: SensorTagSensor) {
        var bench = SensorTagBench.connected()
        for value in [5, 0x80, 0xFF] as [UInt8] {
            bench.write([value], to: sensor.configuration)
            #expect(bench.value(of: sensor.configuration) == [value])
        }
        bench.run(for: .seconds(5))
        // The gyroscope is switched on by every configuration except 0.
        #expect(bench.times(of: sensor.data).isEmpty == (sensor != .gyroscope))
    }

    @Test(arguments: [SensorTagSensor.infraredThermometer, .humidity, .magnetometer, .barometer, .accelerometer])
    func invalidConfigurationDoesNotSwitchASensorOff(_ sensor: SensorTagSensor) {
        var bench = SensorTagBench.connected()
        bench.write([1], to: sensor.configuration)
        bench.run(for: .seconds(3))
        bench.clear()
        bench.write([9], to: sensor.configuration)
        bench.run(for: .seconds(5))
        #expect(bench.times(of: sensor.data).count >= 2)
    }

    @Test(arguments: SensorTagFirmware.allCases)
    func periodsThatAreTooShortAreRefusedOrIgnored(_ firmware: SensorTagFirmware) {
        for sensor in [SensorTagSensor.accelerometer, .magnetometer] {
            var bench = SensorTagBench.connected(firmware)
            bench.write([50], to: sensor.period)
            bench.write([1], to: sensor.configuration)
            let answer = bench.write([9], to: sensor.period)
            if firmware == .version15 {
                #expect(answer == .rejected(ATTError(rawValue: 0x80)))
                #expect(bench.value(of: sensor.period) == [50])
            } else {
                #expect(answer == .done)
                #expect(bench.value(of: sensor.period) == [9])
            }
            bench.clear()
            bench.run(for: .seconds(2))
            let times = bench.times(of: sensor.data)
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 500 } && times.count >= 3)
        }
    }

    @Test(arguments: SensorTagSensor.allCases)
    func version15HasAPeriodForEachSensor(_ sensor: SensorTagSensor) {
        var bench = SensorTagBench.connected(.version15)
        let shortest: UInt8 = sensor == .infraredThermometer ? 30 : 10
        #expect(bench.value(of: sensor.period) == [sensor == .magnetometer ? 200 : 100])
        #expect(bench.write([shortest - 1], to: sensor.period) == .rejected(ATTError(rawValue: 0x80)))
        #expect(bench.write([0], to: sensor.period) == .rejected(ATTError(rawValue: 0x80)))
        #expect(bench.write([shortest], to: sensor.period) == .done)
        #expect(bench.value(of: sensor.period) == [shortest])
        #expect(bench.write([255], to: sensor.period) == .done)
    }

    @Test(arguments: [SensorTagSensor.infraredThermometer, .humidity, .barometer, .gyroscope])
    func earlierFirmwareHasNoPeriodForSomeSensors(_ sensor: SensorTagSensor) {
        var bench = SensorTagBench.connected(.version14)
        #expect(bench.read(sensor.period) == .error(.readNotPermitted))
        #expect(bench.write([100], to: sensor.period) == .rejected(.writeNotPermitted))
    }

    @Test func lightsCanBeSwitchedInTestModeOnly() {
        var bench = SensorTagBench.connected()
        for (written, read) in [(0x83, 0x83), (0x03, 0), (0x80, 0x80), (0x7F, 0)] as [(UInt8, UInt8)] {
            #expect(bench.write([written], to: SensorTagWire.testConfiguration) == .done)
            #expect(bench.value(of: SensorTagWire.testConfiguration) == [read])
        }
        #expect(bench.value(of: SensorTagWire.testData) == [0x3F, 0])
    }

    @Test func firmwareImagesAreDeclinedWithThePresentIdentity() {
        var bench = SensorTagBench.connected()
        bench.subscribe(SensorTagWire.imageIdentity)
        bench.subscribe(SensorTagWire.imageBlock)
        bench.write([1, 0, 0, 0x7C, 0x41, 0x41, 0x41, 0x41], to: SensorTagWire.imageIdentity)
        bench.write([UInt8](repeating: 0, count: 18), to: SensorTagWire.imageBlock)
        #expect(bench.values(of: SensorTagWire.imageIdentity) == [[0, 0, 0, 0x7C, 0x42, 0x42, 0x42, 0x42]])
        #expect(bench.values(of: SensorTagWire.imageBlock).isEmpty)
    }

    @Test func privacyFlagIsStored() {
        var bench = SensorTagBench.connected()
        bench.write([1], to: .bit16(0x2A02))
        #expect(bench.value(of: .bit16(0x2A02)) == [1])
    }
}
