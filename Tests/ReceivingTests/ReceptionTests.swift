// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

/// Receptions and the time, as inputs of values without a clock.
struct ReceptionTests {
    private static let region = BeaconRegion(identifier: "all", uuid: beacon(1).uuid)

    private static func beacon(_ minor: UInt16) -> IBeacon {
        let uuid = UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        return IBeacon(uuid: uuid, major: 1, minor: minor, measuredPower: MeasuredPower(-59))
    }

    private static func sighting(
        _ data: AdvertisingData, pdu: Sighting.PDU? = .nonConnectable, tail: [UInt8] = []
    ) -> Sighting {
        Sighting(
            device: RemoteAddress(.zero, isRandom: true), pdu: pdu, data: data.serialized() + tail, rssi: RSSI(-59))
    }

    private static func received(_ minor: UInt16, at milliseconds: Int) -> Reception {
        .received(sighting(beacon(minor).advertisingData()), at: .milliseconds(milliseconds))
    }

    @Test func beaconsAreFoundInDataThatIsNotWellFormed() {
        let frames = AdvertisingData([.flags(.beacon), Self.beacon(1).structure, Self.beacon(2).structure])
        #expect(Self.sighting(frames, tail: [9, 9]).beacons == [Self.beacon(1), Self.beacon(2)])
        #expect(Self.sighting([.flags(.beacon)]).beacons == [])
        #expect(Self.sighting([], tail: [30, 0xFF]).beacons == [])
    }

    @Test func rangingReportsEarlierSightings() {
        var ranging = Ranging([Self.region], at: .zero)
        #expect(ranging.take(Self.received(1, at: 100)) == nil)
        let report = ranging.take(Self.received(2, at: 1100))
        #expect(report?.time == .seconds(1))
        #expect(report?.beacons.map(\.identity.numbers?.minor) == [1])
        #expect(ranging.take(.passed(.milliseconds(1900))) == nil)
        #expect(ranging.take(.passed(.seconds(2)))?.beacons.map(\.packets).sorted() == [0, 1])
    }

    @Test func seekingTakesReceptions() {
        var seeking = Seeking([Self.region], at: .zero)
        #expect(seeking.take(Self.received(1, at: 100)) == nil)
        #expect(seeking.take(.passed(.seconds(1)))?.nearest?.identity.numbers?.minor == 1)
        #expect(seeking.take(.passed(.seconds(7)))?.text == "No Beacons Found")
    }

    @Test func regionsAreEnteredAndLeft() throws {
        var monitor = RegionMonitor(RegionMonitor.Settings(quietTime: .seconds(2)))
        try monitor.add(Self.region, at: .zero)
        #expect(monitor.take(.passed(.seconds(1))).isEmpty)
        #expect(monitor.take(Self.received(1, at: 1500)).map(\.kind) == [.entered])
        // The quiet time has passed before the beacon is received again, although the time was not advanced.
        #expect(monitor.take(Self.received(1, at: 9000)).map(\.kind) == [.exited, .entered])
        #expect(monitor.take(.passed(.seconds(11))).map(\.kind) == [.exited])
    }

    @Test func calibrationEndsWithTheTimeOrASecondBeacon() throws {
        var calibration = Calibration(Self.region)
        try calibration.start(at: .zero)
        #expect(calibration.take(Self.received(1, at: 100)) == nil)
        #expect(try calibration.take(.passed(.seconds(20)))?.get().measuredPower == MeasuredPower(-59))
        try calibration.start(at: .seconds(30))
        #expect(calibration.take(Self.received(1, at: 30_100)) == nil)
        #expect(
            calibration.take(Self.received(2, at: 30_200))
                == .failure(.moreThanOneBeacon(BeaconIdentity(Self.beacon(1)), BeaconIdentity(Self.beacon(2)))))
    }

    @Test func expectationIsMetOrNot() {
        let condition = AdvertisementExpectation.Condition(
            [.uuid([Self.beacon(1).uuid])], count: 2, within: .seconds(5))
        var expectation = AdvertisementExpectation(condition, at: .zero)
        #expect(expectation.take(Self.received(1, at: 100)) == nil)
        #expect(expectation.take(Self.received(1, at: 200))?.isFulfilled == true)
        var other = AdvertisementExpectation(condition, at: .zero)
        #expect(other.take(.received(Self.sighting([.flags(.beacon)]), at: .seconds(1))) == nil)
        // A scan response belongs to an advertisement that was counted already.
        #expect(other.take(.received(Self.sighting([], pdu: .scanResponse), at: .seconds(2))) == nil)
        let verdict = other.take(.passed(.seconds(5)))
        #expect(verdict?.isFulfilled == false)
        #expect(verdict?.sentence.contains("received 1 advertisement, none of an iBeacon") == true)
        var late = AdvertisementExpectation(condition, at: .zero)
        #expect(late.take(.received(Self.sighting([], pdu: .scanResponse), at: .seconds(6)))?.isFulfilled == false)
    }
}
