// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import TestSupport
import Testing

/// What settings are now whose text is `auto`.
@Suite struct PresentValueTests {
    private typealias Bench = GATTPeripheralTests

    @Test func whatChangesByItselfHasOneUntilItIsSet() {
        var peripheral = Bench.peripheral([.read], fields: Bench.counting())
        #expect(peripheral.settings.contains(.named("value", "auto")))
        #expect(peripheral.presentValues(at: Bench.at(2500)) == ["value": "2"])
        _ = peripheral.handle(.set([.named("value", "9")]), at: Bench.at(2500))
        #expect(peripheral.presentValues(at: Bench.at(2500)) == [:])
        _ = peripheral.handle(.set([.named("value", "auto")]), at: Bench.at(3000))
        #expect(peripheral.presentValues(at: Bench.at(3500)) == ["value": "3"])
    }

    @Test func whatStaysHasNone() {
        #expect(Bench.peripheral().presentValues(at: Bench.at(0)) == [:])
    }

    @Test(arguments: [
        (ClockForm.dateTime, ValueFormat.octets, "2023-11-14 22:13:20"),
        (.currentTime, .octets, "2023-11-14 22:13:20"),
        (.unix, .integer(IntegerFormat(size: 4, isSigned: false)), "1700000000"),
    ])
    func clocksShowTheTime(_ form: ClockForm, _ format: ValueFormat, _ text: String) {
        let peripheral = Bench.peripheral([.read], fields: [ValueField(format: format, source: .clock(form))])
        #expect(peripheral.presentValues(at: Bench.at(0)) == ["value": text])
    }

    /// Numbers have no more digits than their scale gives them.
    @Test func scalesAddNoDigits() {
        let wave = Waveform(.square, range: 61.33...61.33, period: .seconds(10))
        let format = ValueFormat.integer(IntegerFormat(size: 2, isSigned: false, scale: 0.01))
        let peripheral = Bench.peripheral(
            [.read], fields: [ValueField(format: format, source: .quantity(.waveform(wave)))])
        #expect(peripheral.presentValues(at: Bench.at(0)) == ["value": "61.33"])
        #expect(ValueFormat.float32(.littleEndian).text(of: [0x66, 0x66, 0x12, 0x42]) == "36.6")
    }

    @Test func quantitiesAroundASensorTagHaveOne() {
        let counter = Counter(start: 40, every: .seconds(1), range: 40...60)
        let tag = SensorTagBench(
            SensorTag.Configuration(environment: SensorTagEnvironment([.humidity: .counter(counter)]))
        ).tag
        #expect(tag.presentValues(at: DeviceTime(uptime: .seconds(2))) == ["humidity": "42"])
    }

    @Test func namesAreThoseOfTheProfile() {
        var other = Bench.peripheral()
        #expect(other.name(of: Bench.identifier) == "value")
        #expect(other.name(of: CharacteristicIdentifier(.bit16(0x2A00))) == nil)
        other = Bench.peripheral { $0.name = "2A19" }
        #expect(other.name(of: Bench.identifier) == nil)
        #expect(BatteryMonitor(BatteryMonitor.Configuration()).name(of: Bench.identifier) == "level")
    }
}
