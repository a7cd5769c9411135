// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
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
        placement.confirm(at: start + time, by: rules, canReadBack: canReadBack).confirmations.map(\.beacon)
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

    /// With the monitor channel, what is not seen is not on the air, even if no obstacle explains it at the deadline: the pause
    /// between two scans.
    @Test func advertisementThatIsNotSeenIsPlacedAgain() throws {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        Self.place(&placement)
        #expect(placement.nextDeadline == Self.start + .seconds(5))
        let early = placement.confirm(at: Self.start + .seconds(4), by: Self.rules, canReadBack: true)
        #expect(early.confirmations.isEmpty && early.unexplained.isEmpty && !early.restores)
        let late = placement.confirm(at: Self.start + .seconds(5), by: Self.rules, canReadBack: true)
        #expect(late.confirmations.isEmpty)
        #expect(late.unexplained == [Self.first] && late.restores)
        let deadline = Self.start + .seconds(5) + Self.rules.patience
        #expect(placement.nextDeadline == deadline)
        // It is placed again, and still waited for.
        let begun = placement.beginPlacing(Self.first)
        placement.notePlaced(try #require(begun), deadline: deadline)
        let later = placement.confirm(at: deadline, by: Self.rules, canReadBack: true)
        #expect(later.confirmations.isEmpty && later.unexplained.isEmpty && later.restores)
        // An obstacle that is found later is reported as such.
        let controller = MonitoredController()
        controller.scan(true)
        controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
        for packet in controller.takePackets() { _ = placement.observe(packet) }
        let obstructed = placement.confirm(at: deadline + Self.rules.patience, by: Self.rules, canReadBack: true)
        #expect(obstructed.obstructed == [Self.first] && obstructed.unexplained.isEmpty && !obstructed.restores)
        let packets = MonitoredController.packetsOfTurn(data: Self.advertisement(1).advertisingData.serialized())
        for packet in packets { _ = placement.observe(packet) }
        let seen = Self.confirmed(&placement, after: .seconds(60))
        #expect(seen == [Self.first])
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
        let statuses = placement.confirm(at: Self.start, by: Self.rules, canReadBack: true).confirmations
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

    // MARK: - Restoration and changes

    @Test func restoredBeaconIsNotConfirmedAgain() throws {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        let isPlaced = placement.restore(Self.first)
        #expect(!isPlaced)
        Self.place(&placement)
        let isConfirmed = placement.restore(Self.first)
        #expect(!isConfirmed)
        _ = Self.confirmed(&placement, canReadBack: false)
        let isRestored = placement.restore(Self.first)
        #expect(isRestored)
        #expect(placement.placedBeacons == [Self.first])
        Self.place(&placement)
        let again = Self.confirmed(&placement, canReadBack: false)
        #expect(again.isEmpty)
        let next = placement.beginPlacing(Self.first)
        #expect(next == nil)
    }

    @Test func withdrawnBeaconIsNotRestored() {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        Self.place(&placement)
        _ = Self.confirmed(&placement, canReadBack: false)
        _ = placement.restore(Self.first)
        _ = placement.want(nil, for: Self.first)
        let withdrawn = placement.beginPass()
        let isRemoved = placement.beginRemoval(of: Self.first, withdrawn: withdrawn)
        #expect(isRemoved)
        let next = placement.beginPlacing(Self.first)
        #expect(next == nil)
    }

    @Test func refusedRestorationIsConfirmedLater() throws {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        Self.place(&placement)
        _ = Self.confirmed(&placement, canReadBack: false)
        _ = placement.restore(Self.first)
        let begun = placement.beginPlacing(Self.first)
        let isReported = placement.noteRefusal(Self.refusal, of: try #require(begun))
        #expect(isReported)
        Self.place(&placement)
        let confirmed = Self.confirmed(&placement, canReadBack: false)
        #expect(confirmed == [Self.first])
    }

    /// What is not observed follows the settings of the adapter.
    @Test func unobservedStatusFollowsTheRules() {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        Self.place(&placement)
        _ = Self.confirmed(&placement, canReadBack: false)
        var rules = Self.rules
        rules.turn = 5
        let same = placement.confirm(at: Self.start, by: rules, canReadBack: false).confirmations
        #expect(same.isEmpty)
        let shared = AdvertisingRules(way: .management, isExtended: false, adapterAddress: .zero, instancesOnAir: 2)
        let changed = placement.confirm(at: Self.start, by: shared, canReadBack: false).confirmations
        #expect(changed.map(\.status.warnings).map { $0.map(\.code) } == [["time-shared"]])
        let again = placement.confirm(at: Self.start, by: shared, canReadBack: false).confirmations
        #expect(again.isEmpty)
    }

    /// K5: it is not reported to be on the air while the controller refuses it.
    @Test func obstacleExtendsTheDeadline() {
        var placement = AdvertisementPlacement()
        _ = placement.want(Self.advertisement(1), for: Self.first)
        Self.place(&placement)
        let controller = MonitoredController()
        controller.scan(true)
        controller.run(LESetRandomAddress.opcode, [1, 2, 3, 4, 5, 6], returning: [0x0C])
        for packet in controller.takePackets() { _ = placement.observe(packet) }
        let results = placement.confirm(at: Self.start + .seconds(5), by: Self.rules, canReadBack: true)
        #expect(results.confirmations.isEmpty)
        #expect(results.obstructed == [Self.first])
        #expect(placement.nextDeadline == Self.start + .seconds(5) + Self.rules.patience)
        let later = placement.confirm(at: Self.start + .seconds(60), by: Self.rules, canReadBack: true)
        #expect(later.confirmations.isEmpty && later.obstructed.isEmpty)
    }
}
