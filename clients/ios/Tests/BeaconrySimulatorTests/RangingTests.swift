// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconRegions
import BeaconryLogic
import Foundation
import Testing

@Suite struct RangingTests {
    private let first = ManagerID(1)
    private let second = ManagerID(2)
    private let shop = RangingRequest.constraint(BeaconConstraint(uuid: Sample.shop))

    @Test func constraintSelectsByTheNumbersThatItHas() {
        let uuid = BeaconConstraint(uuid: Sample.shop)
        let major = BeaconConstraint(uuid: Sample.shop, major: 1)
        let minor = BeaconConstraint(uuid: Sample.shop, major: 1, minor: 7)
        let beacons: [(UUID, UInt16, UInt16)] = [
            (Sample.shop, 1, 7), (Sample.shop, 1, 8), (Sample.shop, 2, 7), (Sample.museum, 1, 7),
        ]
        func matches(_ constraint: BeaconConstraint) -> [Bool] {
            beacons.map { constraint.matches(uuid: $0.0, major: $0.1, minor: $0.2) }
        }
        #expect(matches(uuid) == [true, true, true, false])
        #expect(matches(major) == [true, true, false, false])
        #expect(matches(minor) == [true, false, false, false])
    }

    @Test func reportIsDecoded() throws {
        let text = """
            {"v":1,"time":"2026-01-31T12:00:00.000Z","beacons":[\(Sample.json(Sample.beacon(1, 7, accuracy: 1.52))),\
            {"uuid":"2173e519-9155-4862-ab64-7953ab146156","major":65535,"minor":0,"rssi":0,"packets":0,\
            "proximity":"next door","accuracy":-1,"later":{}}]}
            """
        let report = try JSONDecoder().decode(RangingReport.self, from: Data(text.utf8))
        #expect(report.beacons == [Sample.beacon(1, 7, accuracy: 1.52), Sample.lost(65535, 0, of: Sample.museum)])
    }

    @Test(arguments: [
        "", "{", "[]", "{\"beacons\":1}", "{\"v\":1,\"lost\":3}",
        "{\"beacons\":[{\"uuid\":\"no\",\"major\":1,\"minor\":1}]}",
        "{\"beacons\":[{\"uuid\":\"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0\",\"major\":65536,\"minor\":1}]}",
        "{\"beacons\":[{\"uuid\":\"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0\",\"major\":-1,\"minor\":1}]}",
    ])
    func malformedReportIsRefused(text: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(RangingReport.self, from: Data(text.utf8)) }
    }

    @Test(arguments: [ReceiverObstacle.bluetoothOff, .permissionDenied])
    func requestFailsOnceWhileNothingCanBeReceived(_ obstacle: ReceiverObstacle) throws {
        var logic = RangingLogic()
        logic.start(shop, for: first)
        _ = logic.take(RangingReport(beacons: [Sample.beacon(1, 7)]))
        let text = "{\"v\":1,\"time\":\"\",\"beacons\":[],\"obstacle\":\"\(obstacle.rawValue)\"}"
        let report = try JSONDecoder().decode(RangingReport.self, from: Data(text.utf8))
        #expect(logic.take(report) == [Delivery(first, .didFailRanging(shop, obstacle))])
        #expect(logic.take(report).isEmpty)
        // A request that begins meanwhile fails, too.
        logic.start(shop, for: second)
        #expect(logic.take(report) == [Delivery(second, .didFailRanging(shop, obstacle))])
        // What was received before is not reported as lost.
        let deliveries = logic.take(RangingReport(beacons: [Sample.lost(1, 7)]))
        #expect(deliveries == [Delivery(first, .didRange([], shop)), Delivery(second, .didRange([], shop))])
        #expect(logic.take(report).count == 2)
    }

    @Test func eachRequestGetsItsBeaconsOrAnEmptyList() {
        var logic = RangingLogic()
        let major = RangingRequest.region(identifier: "two", BeaconConstraint(uuid: Sample.shop, major: 2))
        let museum = RangingRequest.constraint(BeaconConstraint(uuid: Sample.museum))
        logic.start(shop, for: first)
        logic.start(major, for: first)
        logic.start(museum, for: second)
        let deliveries = logic.take(RangingReport(beacons: [Sample.beacon(1, 7), Sample.beacon(2, 1)]))
        #expect(
            deliveries == [
                Delivery(first, .didRange([Sample.beacon(1, 7), Sample.beacon(2, 1)], shop)),
                Delivery(first, .didRange([Sample.beacon(2, 1)], major)),
                Delivery(second, .didRange([], museum)),
            ])
    }

    @Test func lostBeaconIsReportedOnceToTheRequestsThatHadIt() {
        var logic = RangingLogic()
        logic.start(shop, for: first)
        _ = logic.take(RangingReport(beacons: [Sample.beacon(1, 7)]))
        logic.start(shop, for: second)
        let lost = RangingReport(beacons: [Sample.lost(1, 7)])
        #expect(
            logic.take(lost) == [
                Delivery(first, .didRange([Sample.lost(1, 7)], shop)), Delivery(second, .didRange([], shop)),
            ])
        #expect(logic.take(lost) == [Delivery(first, .didRange([], shop)), Delivery(second, .didRange([], shop))])
    }

    @Test func silenceLosesTheBeaconsAndThenHasEmptyLists() {
        var logic = RangingLogic()
        logic.start(shop, for: first)
        #expect(logic.takeSilence() == [Delivery(first, .didRange([], shop))])
        _ = logic.take(RangingReport(beacons: [Sample.beacon(1, 7)]))
        #expect(logic.takeSilence() == [Delivery(first, .didRange([Sample.lost(1, 7)], shop))])
        #expect(logic.takeSilence() == [Delivery(first, .didRange([], shop))])
        let report = RangingReport(beacons: [Sample.beacon(1, 7)])
        #expect(logic.take(report) == [Delivery(first, .didRange([Sample.beacon(1, 7)], shop))])
    }

    @Test func requestIsStartedOnceAndStopped() {
        var logic = RangingLogic()
        logic.start(shop, for: first)
        logic.start(shop, for: first)
        logic.start(shop, for: second)
        #expect(logic.requests(of: first) == [shop])
        logic.stop(shop, for: first)
        #expect(logic.requests(of: first).isEmpty)
        #expect(logic.requests(of: second) == [shop])
        logic.stopAll(for: second)
        #expect(logic.isIdle)
        #expect(logic.take(RangingReport(beacons: [Sample.beacon(1, 7)])).isEmpty)
    }
}
