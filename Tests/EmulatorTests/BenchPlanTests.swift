// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Receiving
import Testing

@testable import Emulator

@Suite struct BenchPlanTests {
    private static let door = BeaconIdentifier("door")
    private static let frame = IBeacon(
        uuid: IBeacon.template.uuid, major: 1, minor: 7, measuredPower: MeasuredPower(-59))

    private static func plan(lag: RSSIFilter? = nil, bench: Int8 = -65) -> BenchPlan {
        BenchPlan(BenchSettings("phone", rssi: RSSI(bench), app: .logDistance, lag: lag))
    }

    private static func advertisement(
        _ data: AdvertisingData = frame.advertisingData(), ticks: UInt32 = 160
    ) -> Advertisement {
        Advertisement(pdu: .nonConnectable, advertisingData: data, interval: AdvertisingInterval(ticks))
    }

    /// The advertisement with another measured power.
    private static func advertisement(power: Int8) -> Advertisement {
        var frame = frame
        frame.measuredPower = MeasuredPower(power)
        return advertisement(frame.advertisingData())
    }

    @Test
    func beaconWaitsForItsFirstPacket() {
        var plan = Self.plan()
        #expect(plan.request(Self.advertisement(), of: Self.door, at: .zero) == nil)
        #expect(plan.decide(Self.door, at: .seconds(1)) == nil)
        #expect(plan.records.map(\.state) == [.waiting])
        plan.take(RSSI(-73), of: Self.door, at: .seconds(1))
        #expect(plan.decide(Self.door, at: .seconds(1)) == .advertise(Self.advertisement(power: -51), nil))
        let record = plan.records.first
        #expect(record?.state == .inRange && record?.rssi == -73)
        #expect(record?.measuredPower == -59 && record?.benchPower == -51)
    }

    @Test
    func onlyChangesAreSent() {
        var plan = Self.plan()
        _ = plan.request(Self.advertisement(), of: Self.door, at: .zero)
        plan.take(RSSI(-73), of: Self.door, at: .zero)
        #expect(plan.decide(Self.door, at: .milliseconds(500)) != nil)
        plan.take(RSSI(-73), of: Self.door, at: .milliseconds(600))
        #expect(plan.decide(Self.door, at: .milliseconds(700)) == nil)
        plan.take(RSSI(-77), of: Self.door, at: .milliseconds(1650))
        #expect(plan.decide(Self.door, at: .milliseconds(1700)) == .advertise(Self.advertisement(power: -47), nil))
    }

    @Test
    func beaconBeyondTheRangeLeavesOnceAndComesBack() {
        var plan = Self.plan()
        _ = plan.request(Self.advertisement(), of: Self.door, at: .zero)
        plan.take(RSSI(-73), of: Self.door, at: .seconds(1))
        _ = plan.decide(Self.door, at: .seconds(1))
        #expect(plan.decide(Self.door, at: .milliseconds(3999)) == nil)
        #expect(plan.decide(Self.door, at: .seconds(4)) == .leave)
        #expect(plan.decide(Self.door, at: .seconds(5)) == nil)
        #expect(plan.records.map(\.state) == [.outOfRange])
        #expect(plan.request(Self.advertisement(), of: Self.door, at: .seconds(5)) == nil)
        plan.take(RSSI(-73), of: Self.door, at: .seconds(6))
        #expect(plan.decide(Self.door, at: .seconds(6)) == .advertise(Self.advertisement(power: -51), nil))
    }

    /// Five intervals of a slow beacon are longer than 3 s.
    @Test
    func slowBeaconStaysInRange() {
        var plan = Self.plan()
        _ = plan.request(Self.advertisement(ticks: 3200), of: Self.door, at: .zero)
        plan.take(RSSI(-73), of: Self.door, at: .zero)
        _ = plan.decide(Self.door, at: .seconds(1))
        #expect(plan.decide(Self.door, at: .milliseconds(9999)) == nil)
        #expect(plan.decide(Self.door, at: .seconds(10)) == .leave)
    }

    @Test
    func changeOfTheDeviceIsSentAtOnceWhileItIsInRange() {
        var plan = Self.plan()
        _ = plan.request(Self.advertisement(), of: Self.door, at: .zero)
        plan.take(RSSI(-73), of: Self.door, at: .zero)
        _ = plan.decide(Self.door, at: .zero)
        var frame = Self.frame
        frame.minor = 8
        let decision = plan.request(Self.advertisement(frame.advertisingData()), of: Self.door, at: .seconds(1))
        frame.measuredPower = MeasuredPower(-51)
        #expect(decision == .advertise(Self.advertisement(frame.advertisingData()), nil))
        #expect(plan.request(nil, of: Self.door, at: .seconds(2)) == nil)
        #expect(plan.beacons.isEmpty)
    }

    @Test
    func lagIsThatOfTheApp() {
        var plan = Self.plan(lag: BenchSettings.lag(of: .altBeacon))
        _ = plan.request(Self.advertisement(), of: Self.door, at: .zero)
        for second in 0..<20 { plan.take(RSSI(-73), of: Self.door, at: .seconds(second)) }
        #expect(plan.decide(Self.door, at: .seconds(19)) == .advertise(Self.advertisement(power: -51), nil))
        // Two of twenty values are left out at each end.
        plan.take(RSSI(-53), of: Self.door, at: .milliseconds(19_100))
        plan.take(RSSI(-53), of: Self.door, at: .milliseconds(19_200))
        #expect(plan.decide(Self.door, at: .milliseconds(19_300)) == nil)
    }

    @Test
    func problemsAreReportedOnce() {
        var plan = Self.plan(bench: -30)
        _ = plan.request(Self.advertisement(), of: Self.door, at: .zero)
        plan.take(RSSI(-90), of: Self.door, at: .zero)
        #expect(plan.decide(Self.door, at: .zero) == .advertise(Self.advertisement(power: -1), .clamped))
        #expect(plan.records.first?.isClamped == true)
        var other = Self.frame
        other.minor = 8
        let next = plan.request(Self.advertisement(other.advertisingData()), of: Self.door, at: .milliseconds(100))
        guard case .advertise(_, nil) = next else {
            Issue.record("\(String(describing: next))")
            return
        }
        let sensor = BeaconIdentifier("sensor")
        let plain = Self.advertisement(AdvertisingData([.localName("Sensor", isComplete: true)]))
        _ = plan.request(plain, of: sensor, at: .zero)
        plan.take(RSSI(-90), of: sensor, at: .zero)
        #expect(plan.decide(sensor, at: .zero) == .advertise(plain, .noMeasuredPower))
    }

    /// Eddystone frames have the power at 0 m, at most 20 dBm.
    @Test
    func measuredPowerOfEddystoneFramesIsChanged() throws {
        var plan = Self.plan()
        let frame = try #require(EddystoneURL(power: TransmitPower(-18), url: "https://example.com/"))
        _ = plan.request(Self.advertisement(frame.advertisingData()), of: Self.door, at: .zero)
        plan.take(RSSI(-73), of: Self.door, at: .zero)
        let expected = try #require(EddystoneURL(power: TransmitPower(-10), url: "https://example.com/"))
        #expect(
            plan.decide(Self.door, at: .zero) == .advertise(Self.advertisement(expected.advertisingData()), nil))
    }
}
