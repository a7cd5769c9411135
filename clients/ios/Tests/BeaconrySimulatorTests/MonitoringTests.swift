// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconRegions
import Foundation
import Testing

@testable import BeaconryLogic

@Suite struct MonitoringTests {
    private let manager = ManagerID(1)
    private let shop = Sample.region("shop")

    /// Logic that monitors `region` and has determined its state.
    private func logic(_ region: MonitoredRegion, _ state: RegionState = .unknown) -> MonitoringLogic {
        var logic = MonitoringLogic()
        _ = logic.start(region, for: manager)
        if state != .unknown { _ = logic.take(Sample.report(region, state, .state)) }
        return logic
    }

    @Test func startIsReportedToItsManager() {
        var logic = MonitoringLogic()
        #expect(logic.start(shop, for: manager) == [Delivery(manager, .didStartMonitoring(shop))])
        #expect(logic.regions == [shop])
        #expect(logic.state(of: "shop") == .unknown)
    }

    @Test(arguments: [RegionState.unknown, .inside, .outside], [ReceiverObstacle.bluetoothOff, .permissionDenied])
    func stateIsUnknownWhileNothingCanBeReceived(_ known: RegionState, _ obstacle: ReceiverObstacle) {
        var logic = logic(shop, known)
        let report = RegionReport(
            identifier: "shop", constraint: shop.constraint, state: .unknown, obstacle: obstacle)
        let expected: DelegateCall =
            obstacle == .bluetoothOff ? .didDetermineState(.unknown, shop) : .monitoringWasDenied(shop)
        #expect(logic.take(report) == [Delivery(nil, expected)])
        #expect(logic.take(report).isEmpty)
        // The same state again is determined once.
        let next = known == .unknown ? RegionState.outside : known
        #expect(logic.take(Sample.report(shop, next, .state)) == [Delivery(nil, .didDetermineState(next, shop))])
        #expect(logic.take(Sample.report(shop, next, .state)).isEmpty)
        #expect(logic.take(report) == [Delivery(nil, expected)])
    }

    /// What was known, the report, and the calls after it: the table of MonitoringLogic.
    @Test(arguments: [
        (RegionState.unknown, RegionState.inside, RegionReport.Event.entered, ["inside", "enter"]),
        (.unknown, .inside, .state, ["inside"]),
        (.unknown, .inside, .determined, ["inside"]),
        (.unknown, .outside, .state, ["outside"]),
        (.unknown, .outside, .determined, ["outside"]),
        (.unknown, .outside, .exited, ["outside"]),
        (.unknown, .unknown, .state, []),
        (.outside, .inside, .entered, ["inside", "enter"]),
        (.outside, .inside, .state, ["inside", "enter"]),
        (.outside, .outside, .determined, []),
        (.outside, .unknown, .state, []),
        (.inside, .outside, .exited, ["outside", "exit"]),
        (.inside, .outside, .state, ["outside", "exit"]),
        (.inside, .outside, .determined, ["outside", "exit"]),
        (.inside, .inside, .entered, []),
        (.inside, .inside, .state, []),
        (.inside, .unknown, .state, []),
    ])
    func reportIsFollowedByTheCallsOfTheTable(
        known: RegionState, state: RegionState, event: RegionReport.Event, expected: [String]
    ) {
        var logic = logic(shop, known)
        let deliveries = logic.take(Sample.report(shop, state, event))
        let calls: [String: DelegateCall] = [
            "inside": .didDetermineState(.inside, shop), "outside": .didDetermineState(.outside, shop),
            "enter": .didEnter(shop), "exit": .didExit(shop),
        ]
        #expect(deliveries == expected.compactMap { name in calls[name].map { Delivery(nil, $0) } })
        #expect(logic.state(of: "shop") == (state == .unknown ? known : state))
    }

    @Test func entriesOrExitsAreLeftOutWhereTheRegionSaysSo() {
        let quiet = Sample.region("quiet", onEntry: false, onExit: false)
        var logic = logic(quiet, .outside)
        #expect(logic.take(Sample.report(quiet, .inside, .entered)).isEmpty)
        #expect(logic.state(of: "quiet") == .inside)
        #expect(logic.take(Sample.report(quiet, .outside, .exited)).isEmpty)
        #expect(logic.state(of: "quiet") == .outside)
    }

    @Test func reportsOfOtherRegionsAndOtherBeaconsAreIgnored() {
        var logic = logic(shop, .outside)
        #expect(logic.take(Sample.report(Sample.region("other"), .inside, .entered)).isEmpty)
        #expect(logic.take(Sample.report(Sample.region("shop", major: 1), .inside, .entered)).isEmpty)
        #expect(logic.state(of: "shop") == .outside)
    }

    @Test func requestOfAStateIsAnsweredToItsManager() {
        let logic = logic(shop, .inside)
        let other = ManagerID(2)
        #expect(logic.requestState(of: shop, for: other) == [Delivery(other, .didDetermineState(.inside, shop))])
        let unknown = Sample.region("unknown")
        #expect(logic.requestState(of: unknown, for: other) == [Delivery(other, .didDetermineState(.unknown, unknown))])
        let changed = Sample.region("shop", major: 9)
        #expect(logic.requestState(of: changed, for: other) == [Delivery(other, .didDetermineState(.unknown, changed))])
    }

    @Test func regionReplacesTheOneOfItsIdentifier() {
        var logic = logic(shop, .inside)
        let major = Sample.region("shop", major: 1)
        #expect(logic.start(major, for: manager) == [Delivery(manager, .didStartMonitoring(major))])
        #expect(logic.regions == [major])
        #expect(logic.state(of: "shop") == .unknown)
    }

    @Test func regionThatIsStartedAgainKeepsItsStateAndIsDeterminedOnce() {
        var logic = logic(shop, .inside)
        _ = logic.start(shop, for: manager)
        #expect(logic.state(of: "shop") == .inside)
        let determined = [Delivery(nil, .didDetermineState(.inside, shop))]
        #expect(logic.take(Sample.report(shop, .inside, .state)) == determined)
        #expect(logic.take(Sample.report(shop, .inside, .state)).isEmpty)
    }

    @Test func twentyRegionsAreTheLimitAndReplacingOneIsNotBeyondIt() {
        var logic = MonitoringLogic()
        for number in 0..<20 { _ = logic.start(Sample.region("\(number)"), for: manager) }
        let beyond = Sample.region("beyond")
        let reason = "20 regions are monitored already, which is the limit"
        let failure = Delivery(manager, .monitoringDidFail(beyond, reason: reason))
        #expect(logic.start(beyond, for: manager) == [failure])
        #expect(logic.regions.count == 20)
        let replacement = Sample.region("7", major: 1)
        #expect(logic.start(replacement, for: manager) == [Delivery(manager, .didStartMonitoring(replacement))])
        logic.stop("3")
        #expect(logic.start(beyond, for: manager) == [Delivery(manager, .didStartMonitoring(beyond))])
    }

    @Test func circularRegionsCountForTheLimit() {
        var logic = MonitoringLogic()
        #expect(logic.start(shop, for: manager, others: 19) == [Delivery(manager, .didStartMonitoring(shop))])
        let refused = logic.start(Sample.region("second"), for: manager, others: 19)
        #expect(refused.count == 1 && refused.first?.call != .didStartMonitoring(Sample.region("second")))
    }

    @Test func comparisonPutsWhatIsMissingOrDifferent() {
        var logic = MonitoringLogic()
        let others = [Sample.region("same"), Sample.region("different", major: 1), Sample.region("missing")]
        for region in others { _ = logic.start(region, for: manager) }
        let present = [
            Sample.report(Sample.region("same"), .unknown, .state),
            Sample.report(Sample.region("different", major: 2), .inside, .state),
            Sample.report(Sample.region("of another client"), .inside, .state),
        ]
        let (deliveries, changes) = logic.compare(with: present)
        #expect(changes == [.put(others[1]), .put(others[2])])
        #expect(deliveries.isEmpty)
    }

    @Test func comparisonTakesStatesOnlyWhereTheyAreMissing() {
        var logic = logic(shop)
        let inside = [Sample.report(shop, .inside, .entered)]
        let outside = [Sample.report(shop, .outside, .state)]
        #expect(logic.compare(with: inside).deliveries == [Delivery(nil, .didDetermineState(.inside, shop))])
        // Older than what the stream has reported since.
        #expect(logic.compare(with: outside).deliveries.isEmpty)
        #expect(logic.state(of: "shop") == .inside)
    }

    @Test func stoppedRegionIsRemovedFromTheReceiver() {
        var logic = logic(shop, .inside)
        logic.stop("shop")
        logic.stop("never started")
        #expect(logic.regions.isEmpty)
        #expect(!logic.isIdle)
        #expect(logic.take(Sample.report(shop, .outside, .exited)).isEmpty)
        #expect(logic.compare(with: [Sample.report(shop, .inside, .state)]).changes == [.delete("shop")])
        logic.takeRemoval(of: "shop")
        #expect(logic.isIdle)
    }

    @Test func stoppedRegionThatTheReceiverDoesNotHaveNeedsNothing() {
        var logic = logic(shop)
        logic.stop("shop")
        #expect(logic.compare(with: []).changes.isEmpty)
        #expect(logic.isIdle)
    }

    @Test func regionThatIsStoppedAndStartedStaysAtTheReceiver() {
        var logic = logic(shop, .inside)
        logic.stop("shop")
        _ = logic.start(shop, for: manager)
        let (deliveries, changes) = logic.compare(with: [Sample.report(shop, .inside, .state)])
        #expect(changes.isEmpty)
        #expect(deliveries == [Delivery(nil, .didDetermineState(.inside, shop))])
    }

    @Test func refusedRegionFailsUnlessItWasReplacedMeanwhile() {
        var logic = logic(shop)
        let major = Sample.region("shop", major: 1)
        _ = logic.start(major, for: manager)
        #expect(logic.refuse(shop, reason: "no").isEmpty)
        #expect(logic.refuse(major, reason: "no") == [Delivery(nil, .monitoringDidFail(major, reason: "no"))])
        #expect(logic.regions.isEmpty)
    }

    @Test func regionsAndStatesOutliveTheApp() {
        var logic = logic(shop, .inside)
        _ = logic.start(Sample.region("quiet", Sample.museum, major: 3, onEntry: false), for: manager)
        var next = MonitoringLogic(saved: logic.saved)
        #expect(next.regions == logic.regions)
        #expect(next.state(of: "shop") == .inside)
        // Nothing for the same state, an exit for one that happened meanwhile.
        #expect(next.take(Sample.report(shop, .inside, .state)).isEmpty)
        let exit = [Delivery(nil, .didDetermineState(.outside, shop)), Delivery(nil, .didExit(shop))]
        #expect(next.take(Sample.report(shop, .outside, .state)) == exit)
    }

    @Test func whatIsNotOfAnEarlierLaunchIsIgnored() {
        #expect(MonitoringLogic(saved: nil).regions.isEmpty)
        #expect(MonitoringLogic(saved: Data("{}".utf8)).regions.isEmpty)
    }

    @Test func reportIsDecoded() throws {
        let text = """
            {"v":1,"time":"2026-01-31T12:00:00.000Z","identifier":"Käse","state":"inside","event":"entered",\
            "uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1}
            """
        let report = try JSONDecoder().decode(RegionReport.self, from: Data(text.utf8))
        #expect(report == Sample.report(Sample.region("Käse", major: 1), .inside, .entered))
        let later = """
            {"identifier":"a","state":"sideways","event":"turned","uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"}
            """
        let unknown = try JSONDecoder().decode(RegionReport.self, from: Data(later.utf8))
        #expect(unknown == Sample.report(Sample.region("a"), .unknown, .state))
    }
}
