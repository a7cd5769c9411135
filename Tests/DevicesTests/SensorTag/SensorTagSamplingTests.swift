// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Testing

@Suite struct SensorTagSamplingTests {
    /// The times of the first measurements, in milliseconds after the sensor was switched on.
    @Test(
        arguments: [
            (.infraredThermometer, [275, 1275, 2275]), (.accelerometer, [0, 1000, 2000]),
            (.humidity, [40, 1080, 2120]),
            (.magnetometer, [2000, 4000, 6000]), (.barometer, [80, 1160, 2240]), (.gyroscope, [60, 1060, 2060]),
        ] as [(SensorTagSensor, [Int])])
    func measuresAtTheTimesOfTheHardware(_ sensor: SensorTagSensor, times: [Int]) {
        for firmware in SensorTagFirmware.allCases {
            var bench = SensorTagBench.connected(firmware)
            bench.run(for: .milliseconds(700))
            bench.write([1], to: sensor.configuration)
            bench.run(for: .seconds(7))
            #expect(Array(bench.times(of: sensor.data).prefix(3)) == times.map { $0 + 700 }, "\(firmware)")
        }
    }

    @Test func newPeriodTakesEffectAtTheNextMeasurement() {
        var bench = SensorTagBench.connected()
        bench.write([1], to: SensorTagSensor.accelerometer.configuration)
        bench.run(for: .milliseconds(1500))
        bench.write([10], to: SensorTagSensor.accelerometer.period)
        bench.run(for: .milliseconds(800))
        #expect(bench.times(of: SensorTagSensor.accelerometer.data) == [0, 1000, 2000, 2100, 2200, 2300])
    }

    @Test(
        arguments: [
            (.infraredThermometer, 30, [275, 575, 875]), (.humidity, 10, [40, 180, 320]),
            (.barometer, 20, [80, 360, 640]), (.gyroscope, 10, [60, 160, 260]), (.magnetometer, 255, [2550, 5100]),
        ] as [(SensorTagSensor, UInt8, [Int])])
    func writtenPeriodsDetermineTheTimes(_ sensor: SensorTagSensor, period: UInt8, times: [Int]) {
        var bench = SensorTagBench.connected(.version15)
        bench.write([period], to: sensor.period)
        bench.write([1], to: sensor.configuration)
        bench.run(for: .seconds(6))
        #expect(Array(bench.times(of: sensor.data).prefix(times.count)) == times)
    }

    @Test(arguments: SensorTagSensor.allCases)
    func subscribedValuesAreNotifiedAndEqualReadValues(_ sensor: SensorTagSensor) throws {
        var bench = SensorTagBench.connected(environment: [.rotationY: .fixed(90)])
        #expect(bench.value(of: sensor.data) == [UInt8](repeating: 0, count: sensor.dataLength))
        bench.write([sensor == .gyroscope ? 7 : 1], to: sensor.configuration)
        bench.run(for: .seconds(5))
        #expect(bench.value(of: sensor.data) == bench.values(of: sensor.data).last)
        bench.send(.subscribed(SensorTagBench.alice, CharacteristicIdentifier(sensor.data), []))
        bench.clear()
        bench.run(for: .seconds(5))
        #expect(bench.notifications.isEmpty)
        #expect(bench.value(of: sensor.data) != [UInt8](repeating: 0, count: sensor.dataLength))
    }

    @Test func readReturnsTheMeasurementOfItsTimeBeforeTheTagWakes() {
        var bench = SensorTagBench.connected()
        bench.write([1], to: SensorTagSensor.infraredThermometer.configuration)
        bench.sleep(for: .milliseconds(274))
        #expect(bench.value(of: SensorTagSensor.infraredThermometer.data) == [0, 0, 0, 0])
        bench.sleep(for: .milliseconds(1))
        #expect(bench.value(of: SensorTagSensor.infraredThermometer.data) != [0, 0, 0, 0])
        #expect(bench.notifications.isEmpty)
        bench.send(.timePassed)
        #expect(bench.notifications.count == 1)
    }

    @Test(arguments: SensorTagSensor.allCases)
    func switchingOffNotifiesZerosOnceAndRestoresDefaults(_ sensor: SensorTagSensor) {
        let zeros = [UInt8](repeating: 0, count: sensor.dataLength)
        var bench = SensorTagBench.connected(.version13)
        if sensor == .accelerometer || sensor == .magnetometer { bench.write([30], to: sensor.period) }
        bench.write([1], to: sensor.configuration)
        bench.run(for: .seconds(5))
        bench.clear()
        bench.write([0], to: sensor.configuration)
        #expect(bench.values(of: sensor.data) == [zeros])
        #expect(bench.value(of: sensor.data) == zeros)
        #expect(bench.value(of: sensor.configuration) == [0])
        bench.write([0], to: sensor.configuration)
        bench.run(for: .seconds(5))
        #expect(bench.values(of: sensor.data) == [zeros])
        if sensor == .accelerometer { #expect(bench.value(of: sensor.period) == [100]) }
        if sensor == .magnetometer { #expect(bench.value(of: sensor.period) == [200]) }
    }

    @Test func firmware15DoesNotResetPeriodsWhenSwitchedOff() {
        var bench = SensorTagBench.connected(.version15)
        bench.write([30], to: SensorTagSensor.accelerometer.period)
        bench.write([1], to: SensorTagSensor.accelerometer.configuration)
        bench.write([0], to: SensorTagSensor.accelerometer.configuration)
        #expect(bench.value(of: SensorTagSensor.accelerometer.period) == [30])
        bench.send(.disconnected(SensorTagBench.alice))
        #expect(bench.value(of: SensorTagSensor.accelerometer.period) == [100])
    }

    @Test(
        arguments: [
            (.version13, 1, 64), (.version14, 1, 64), (.version15, 1, 16), (.version15, 2, 32), (.version15, 3, 64),
        ] as [(SensorTagFirmware, UInt8, Double)])
    func accelerationIsScaledToTheSelectedRange(_ firmware: SensorTagFirmware, value: UInt8, perG: Double) throws {
        var bench = SensorTagBench.connected(
            firmware, environment: [.accelerationX: .fixed(-0.5), .accelerationY: .fixed(1.75)])
        bench.write([value], to: SensorTagSensor.accelerometer.configuration)
        let data = try #require(bench.values(of: SensorTagSensor.accelerometer.data).first)
        #expect(SensorTagFormulas.acceleration(data, perG: perG) == [-0.5, 1.75, 1])
    }

    @Test(arguments: 1...15 as ClosedRange<UInt8>)
    func gyroscopeMeasuresTheConfiguredAxes(_ axes: UInt8) throws {
        var bench = SensorTagBench.connected(
            environment: [.rotationX: .fixed(125), .rotationY: .fixed(-62.5), .rotationZ: .fixed(250)])
        bench.write([axes], to: SensorTagSensor.gyroscope.configuration)
        bench.run(for: .milliseconds(60))
        let data = try #require(bench.values(of: SensorTagSensor.gyroscope.data).first)
        let decoded = SensorTagFormulas.rotation(data)
        let expected = [125, -62.5, 250].enumerated().map { axes & 1 << $0 == 0 ? 0 : $1 }
        #expect(zip(decoded, expected).allSatisfy { abs($0 - $1) <= 500 / 65536.0 })
    }

    @Test func newAxesTakeEffectAtTheNextMeasurement() {
        var bench = SensorTagBench.connected(environment: [.rotationX: .fixed(100), .rotationY: .fixed(100)])
        bench.write([1], to: SensorTagSensor.gyroscope.configuration)
        bench.run(for: .milliseconds(500))
        bench.write([2], to: SensorTagSensor.gyroscope.configuration)
        bench.run(for: .milliseconds(600))
        let values = bench.values(of: SensorTagSensor.gyroscope.data)
        #expect(values.map { [$0[1] != 0, $0[3] != 0] } == [[true, false], [false, true]])
        #expect(bench.times(of: SensorTagSensor.gyroscope.data) == [60, 1060])
    }

    /// The first notification has no pressure.
    @Test func barometerMeasuresTemperatureAndPressureAlternately() throws {
        var bench = SensorTagBench.connected(
            environment: [.ambientTemperature: .fixed(25), .pressure: .fixed(1013.25)])
        bench.write([2], to: SensorTagSensor.barometer.configuration)
        let calibration = try #require(bench.value(of: SensorTagWire.calibration))
        bench.write([1], to: SensorTagSensor.barometer.configuration)
        bench.run(for: .milliseconds(1200))
        #expect(bench.values(of: SensorTagSensor.barometer.data).map(Hexadecimal.string) == ["24fe0000", "24fe889b"])
        bench.send(.set([.named("temperature.ambient", "26"), .named("pressure", "900")]))
        bench.run(for: .milliseconds(1080))
        let third = try #require(bench.values(of: SensorTagSensor.barometer.data).last)
        #expect(third[2...] == [0x88, 0x9B])
        #expect(abs(SensorTagFormulas.barometerTemperature(third, calibration: calibration) - 26) < 0.003)
        bench.run(for: .milliseconds(1080))
        let fourth = try #require(bench.values(of: SensorTagSensor.barometer.data).last)
        #expect(fourth[..<2] == third[..<2])
        #expect(abs(SensorTagFormulas.pressure(fourth, calibration: calibration) - 90_000) < 2)
    }

    @Test func calibrationIsLoadedOnRequestAndClearedWhenSwitchedOff() {
        let zeros = [UInt8](repeating: 0, count: 16)
        var bench = SensorTagBench.connected()
        #expect(bench.value(of: SensorTagWire.calibration) == zeros)
        #expect(bench.write([2], to: SensorTagSensor.barometer.configuration) == .done)
        #expect(bench.value(of: SensorTagSensor.barometer.configuration) == [2])
        let calibration = bench.value(of: SensorTagWire.calibration)
        #expect(calibration.map(Hexadecimal.string) == "55b43d697db15e853e07a3ddd8fbfc06")
        #expect(bench.values(of: SensorTagWire.calibration) == [calibration])
        bench.run(for: .seconds(3))
        #expect(bench.times(of: SensorTagSensor.barometer.data).isEmpty)
        bench.write([1], to: SensorTagSensor.barometer.configuration)
        #expect(bench.value(of: SensorTagWire.calibration) == calibration)
        bench.run(for: .seconds(1))
        bench.write([2], to: SensorTagSensor.barometer.configuration)
        bench.run(for: .seconds(3))
        #expect(bench.times(of: SensorTagSensor.barometer.data).count == 4)
        bench.write([0], to: SensorTagSensor.barometer.configuration)
        #expect(bench.value(of: SensorTagWire.calibration) == zeros)
        #expect(bench.values(of: SensorTagWire.calibration).last == zeros)
    }

    /// After a day asleep, a machine does not notify the values of the whole day.
    @Test func measurementsOfALongSleepAreSkipped() {
        var bench = SensorTagBench.connected()
        for sensor in SensorTagSensor.allCases { bench.write([1], to: sensor.configuration) }
        bench.run(for: .seconds(10))
        bench.clear()
        bench.sleep(for: .seconds(86_400))
        bench.send(.timePassed)
        #expect(6...6 * 70 ~= bench.notifications.count)
        bench.clear()
        bench.run(for: .seconds(10))
        let accelerations = bench.times(of: SensorTagSensor.accelerometer.data).map { $0 % 1000 }
        #expect(accelerations == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let pressures = bench.values(of: SensorTagSensor.barometer.data).map { Array($0[2...]) }
        #expect(Set(pressures).count == 1)
    }

    @Test func sameInputsHaveTheSameOutputs() {
        func notifications() -> [SensorTagBench.Notification] {
            var bench = SensorTagBench.connected()
            for sensor in SensorTagSensor.allCases { bench.write([1], to: sensor.configuration) }
            bench.run(for: .seconds(60))
            return bench.notifications
        }
        let first = notifications()
        #expect(first == notifications())
        #expect(first.count > 300)
        #expect(first.map(\.milliseconds) == first.map(\.milliseconds).sorted())
    }
}
