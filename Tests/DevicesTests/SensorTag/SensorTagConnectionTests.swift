// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

@Suite struct SensorTagConnectionTests {
    @Test func advertisesTheBytesOfTheHardware() {
        let advertisement = SensorTag(SensorTag.Configuration()).advertisement
        #expect(Hexadecimal.string(advertisement.advertisingData.serialized()) == "020105")
        #expect(
            Hexadecimal.string(advertisement.scanResponse.serialized())
                == "0a0953656e736f72546167" + "051250002003" + "020a00")
        #expect(advertisement.pdu == .connectableScannable)
        #expect(advertisement.interval == AdvertisingInterval(160))
        #expect(advertisement.problems.isEmpty)
    }

    @Test func advertisesUntilACentralConnects() {
        var bench = SensorTagBench()
        let advertisement = bench.tag.advertisement
        #expect(bench.effects == [.advertise(advertisement)])
        bench.clear()
        bench.run(for: .seconds(3600))
        #expect(bench.effects.isEmpty)
        #expect(bench.send(.connected(SensorTagBench.alice)) == [.advertise(nil)])
        #expect(bench.send(.disconnected(SensorTagBench.alice)) == [.advertise(advertisement)])
    }

    @Test func secondCentralIsDisconnected() {
        var bench = SensorTagBench.connected()
        let bob = Central("00:AA:01:00:00:01")
        let response = bench.send(.connected(bob))
        #expect(response.effects.first == .disconnect(bob))
        #expect(response.warningCodes == ["second-central"])
        bench.write([1], to: SensorTagSensor.accelerometer.configuration)
        #expect(bench.send(.disconnected(bob)).isEmpty)
        #expect(bench.value(of: SensorTagSensor.accelerometer.configuration) == [1])
    }

    @Test func disconnectionResetsSensorsAndSubscriptions() {
        var bench = SensorTagBench.connected(.version15)
        let fresh = SensorTagBench.connected(.version15)
        for sensor in SensorTagSensor.allCases {
            bench.write([50], to: sensor.period)
            bench.write([2], to: sensor.configuration)
            bench.write([1], to: sensor.configuration)
        }
        bench.write([0x83], to: SensorTagWire.testConfiguration)
        bench.run(for: .seconds(5))
        bench.send(.disconnected(SensorTagBench.alice))
        bench.clear()
        #expect(bench.tag.nextDeadline == nil)
        bench.run(for: .seconds(10))
        #expect(bench.notifications.isEmpty)
        for sensor in SensorTagSensor.allCases {
            for uuid in [sensor.data, sensor.configuration, sensor.period] {
                #expect(bench.value(of: uuid) == fresh.value(of: uuid))
            }
        }
        #expect(bench.value(of: SensorTagWire.calibration) == fresh.value(of: SensorTagWire.calibration))
        #expect(bench.value(of: SensorTagWire.testConfiguration) == [0])
        // The subscriptions ended with the connection.
        bench.send(.connected(SensorTagBench.alice))
        bench.write([1], to: SensorTagSensor.accelerometer.configuration)
        #expect(bench.notifications.isEmpty)
    }

    @Test(arguments: [0, 1, 0xFF] as [UInt8])
    func disconnectRequestEndsTheConnection(_ value: UInt8) {
        var bench = SensorTagBench.connected()
        bench.clear()
        #expect(bench.send(.wrote(SensorTagWire.disconnectRequest, offset: 0, value: [value])) == .done())
        // The write response is sent first.
        bench.run(for: .seconds(1))
        #expect(bench.replies == [.done])
        #expect(bench.effects == [.disconnect(SensorTagBench.alice)])
    }

    @Test func connectionParametersAreReadAndNotified() {
        var bench = SensorTagBench.connected()
        #expect(bench.value(of: SensorTagWire.connectionParameters) == [0x10, 0, 0, 0, 0xC0, 0x03])
        bench.subscribe(SensorTagWire.connectionParameters)
        let parameters = ConnectionParameters(
            interval: Ticks(24)...Ticks(24), latency: 3, supervisionTimeout: Ticks(0x1A2))
        bench.send(.connectionUpdated(Central("another central"), parameters))
        #expect(bench.notifications.isEmpty)
        bench.send(.connectionUpdated(SensorTagBench.alice, parameters))
        #expect(bench.values(of: SensorTagWire.connectionParameters) == [[0x18, 0, 3, 0, 0xA2, 0x01]])
        #expect(bench.value(of: SensorTagWire.connectionParameters) == [0x18, 0, 3, 0, 0xA2, 0x01])
    }

    @Test func writtenConnectionParametersAreRequested() {
        var bench = SensorTagBench.connected()
        let request = SensorTagWire.connectionParametersRequest
        let parameters = ConnectionParameters(
            interval: Ticks(0x50)...Ticks(0xA0), latency: 1, supervisionTimeout: Ticks(1000))
        let written: [UInt8] = [0x50, 0, 0xA0, 0, 1, 0, 0xE8, 0x03]
        #expect(
            bench.send(.wrote(request, offset: 0, value: written))
                == .done([.updateConnection(SensorTagBench.alice, parameters)]))
        // The shortest interval exceeds the longest.
        #expect(bench.send(.wrote(request, offset: 0, value: [0xA1, 0, 0xA0, 0, 1, 0, 0xE8, 0x03])) == .done())
    }

    /// The central has 8 s for service discovery before the request.
    @Test(arguments: SensorTagFirmware.allCases)
    func firmware13RequestsItsPreferredConnectionParameters(_ firmware: SensorTagFirmware) {
        var bench = SensorTagBench.connected(firmware)
        bench.clear()
        bench.run(for: .milliseconds(7999))
        #expect(bench.effects.isEmpty)
        bench.run(for: .seconds(60))
        let preferred = ConnectionParameters(interval: Ticks(80)...Ticks(800), supervisionTimeout: Ticks(1000))
        #expect(bench.effects == (firmware == .version13 ? [.updateConnection(SensorTagBench.alice, preferred)] : []))
        bench = .connected(firmware)
        bench.send(.disconnected(SensorTagBench.alice))
        #expect(bench.tag.nextDeadline == nil)
    }

    @Test func powerCutResetsTheTag() {
        var bench = SensorTagBench.connected()
        bench.write([1], to: SensorTagSensor.accelerometer.configuration)
        bench.run(for: .seconds(1))
        bench.clear()
        let advertisement = bench.tag.advertisement
        #expect(bench.send(.poweredOn) == [.advertise(advertisement)])
        bench.run(for: .seconds(10))
        #expect(bench.notifications.isEmpty)
        #expect(bench.value(of: SensorTagSensor.accelerometer.configuration) == [0])
    }
}
