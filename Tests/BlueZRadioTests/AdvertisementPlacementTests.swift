// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Radio
import Testing

@testable import BlueZRadio

@Suite struct AdvertisementPlacementTests {
    private static let first = BeaconIdentifier("a")
    private static let second = BeaconIdentifier("b")
    private static let start = ContinuousClock.now
    private static let rules = AdvertisingRules(
        way: .management, isExtended: false, adapterAddress: .zero, instancesOnAir: 1)
    private static let refusal = RadioError(.refused, "no", hint: "none")

    private static func advertisement(_ number: UInt8) -> Advertisement {
        Advertisement(
            pdu: .connectableScannable,
            advertisingData: [.flags(.beacon), .manufacturerSpecific(.apple, [number])],
            interval: AdvertisingInterval(160))
    }

    /// Places all requested advertisements, as a pass does.
    private static func place(_ placement: inout AdvertisementPlacement, deadline: Duration = .seconds(5)) {
        for beacon in placement.wantedBeacons {
            guard let attempt = placement.beginPlacing(beacon) else { continue }
            placement.notePlaced(attempt, deadline: start + deadline)
        }
    }

    private static func confirmed(
        _ placement: inout AdvertisementPlacement, after time: Duration = .zero, canReadBack: Bool = true
    ) -> [BeaconIdentifier] {
        placement.confirm(at: start + time, by: rules, canReadBack: canReadBack).map(\.beacon)
    }

    @Test func onlyChangesCount() {
        var placement = AdvertisementPlacement()
        let changes = [1, 1, 2].map { placement.want(Self.advertisement($0), for: Self.first) }
        #expect(changes == [true, false, true])
        Self.place(&placement)
        let attempt = placement.beginPlacing(Self.first)
        #expect(attempt == nil)
        #expect(placement.placedBeacons == [Self.first])
    }

    @Test func withoutReadBackStatusIsImmediate() {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        _ = placement.want(Self.advertisement(2), for: Self.second)
        Self.place(&placement)
        let confirmed = Self.confirmed(&placement, canReadBack: false)
        #expect(confirmed == [Self.first, Self.second])
        let again = Self.confirmed(&placement, canReadBack: false)
        #expect(again.isEmpty)
    }

    @Test func statusWaitsForObservationOrDeadline() throws {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        Self.place(&placement)
        #expect(placement.nextDeadline == Self.start + .seconds(5))
        let early = Self.confirmed(&placement, after: .seconds(4))
        #expect(early.isEmpty)
        let late = placement.confirm(at: Self.start + .seconds(5), by: Self.rules, canReadBack: true)
        #expect(late.map(\.beacon) == [Self.first])
        #expect(late.first?.status.effective.pdu == .unknown("the commands to the controller were not seen"))
        #expect(placement.nextDeadline == nil)
    }

    @Test func observationOfTheDataConfirms() throws {
        var placement = AdvertisementPlacement()
        let packets = MonitoredController.packetsOfTurn(data: Self.advertisement(1).advertisingData.serialized())
        // Observations before the placement do not count.
        for packet in packets { _ = placement.observe(packet) }
        _ = placement.want(Self.advertisement(1), for: Self.first)
        Self.place(&placement)
        let confirmedBefore = Self.confirmed(&placement)
        #expect(confirmedBefore.isEmpty)
        let observed = packets.map { placement.observe($0) }
        #expect(observed.contains(true))
        let statuses = placement.confirm(at: Self.start, by: Self.rules, canReadBack: true)
        #expect(statuses.map(\.beacon) == [Self.first])
        #expect(
            statuses.first?.status.effective.advertisingData
                == .known(Self.advertisement(1).advertisingData.serialized()))
        #expect(statuses.first?.status.differences == [])
    }

    @Test func withdrawnBeaconIsRemovedEvenIfWantedAgain() {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        _ = placement.want(Self.advertisement(2), for: Self.second)
        Self.place(&placement)
        _ = placement.want(nil, for: Self.first)
        _ = placement.want(Self.advertisement(1), for: Self.first)
        let withdrawn = placement.beginPass()
        #expect(withdrawn == [Self.first])
        let removals = [Self.first, Self.second].map { placement.beginRemoval(of: $0, withdrawn: withdrawn) }
        #expect(removals == [true, false])
        let attempt = placement.beginPlacing(Self.first)
        #expect(attempt?.advertisement == Self.advertisement(1))
        let none = placement.beginPass()
        #expect(none.isEmpty)
    }

    @Test func changeDuringPlacementIsNotReported() {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        guard let attempt = placement.beginPlacing(Self.first) else {
            Issue.record("not placed")
            return
        }
        _ = placement.want(Self.advertisement(2), for: Self.first)
        placement.notePlaced(attempt, deadline: Self.start)
        let confirmed = Self.confirmed(&placement, after: .seconds(9))
        #expect(confirmed.isEmpty)
        let next = placement.beginPlacing(Self.first)
        #expect(next?.advertisement == Self.advertisement(2))
    }

    @Test func equalRefusalsAreReportedOnce() throws {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        let begun = placement.beginPlacing(Self.first)
        let attempt = try #require(begun)
        let other = RadioError(.refused, "still no", hint: "none")
        let reported = [Self.refusal, Self.refusal, other].map { placement.noteRefusal($0, of: attempt) }
        #expect(reported == [true, false, true])
        #expect(placement.placedBeacons.isEmpty)
        // A refusal of another advertisement is reported again.
        _ = placement.want(Self.advertisement(2), for: Self.first)
        let isReported = placement.noteRefusal(other, of: attempt)
        #expect(isReported)
    }

    @Test func lossOfWantedBeaconIsReported() {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        _ = placement.want(Self.advertisement(2), for: Self.second)
        Self.place(&placement)
        _ = placement.want(nil, for: Self.second)
        let lost = placement.noteLost([Self.first, Self.second, BeaconIdentifier("c")])
        #expect(lost == [Self.first])
        #expect(placement.placedBeacons.isEmpty && placement.nextDeadline == nil)
        let attempt = placement.beginPlacing(Self.first)
        #expect(attempt != nil)
    }

    @Test func resetPlacesEverythingAgain() {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        Self.place(&placement)
        placement.reset()
        #expect(placement.placedBeacons.isEmpty && placement.nextDeadline == nil)
        let attempt = placement.beginPlacing(Self.first)
        #expect(attempt != nil)
    }
}
