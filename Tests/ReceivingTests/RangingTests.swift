// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct RangingTests {
    /// A trace, and the expected reports.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var regions: [BeaconRegion] = [.museum()]
        var settings = Ranging.Settings(model: .android)
        let trace: Trace
        /// The end of the ranging, in seconds.
        let until: Int
        /// A report each: `time: major.minor rssi accuracy proximity packets, …`.
        let reports: [String]

        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "nothing on the air: an empty list each second", trace: .nothing, until: 3,
            reports: ["1.000:", "2.000:", "3.000:"]),
        Row(
            name: "at one metre", trace: .steady(-59, to: .seconds(2)), until: 2,
            reports: ["1.000: 1.1 -59 1.01 near 10", "2.000: 1.1 -59 1.01 near 10"]),
        Row(
            name: "a packet at a report's time belongs to the next report",
            trace: .recorded("-59 . -79", every: .milliseconds(500)), until: 2,
            reports: ["1.000: 1.1 -59 1.01 near 1", "2.000: 1.1 -79 8.65 far 1"]),
        Row(
            name: "RSSI values are averaged over the period, without unknown ones",
            trace: .recorded("-50 127 -60 ? -61 -55 . . . . 127 ? . . . . . . . . . -70 127"), until: 3,
            reports: ["1.000: 1.1 -57 0.65 near 6", "2.000: 1.1 0 -1.00 unknown 2", "3.000: 1.1 -70 3.47 near 2"]),
        Row(
            name: "lost: no RSSI, then removed five seconds after the last reception",
            trace: .recorded("-59 -59"), until: 7,
            reports: [
                "1.000: 1.1 -59 1.01 near 2", "2.000: 1.1 0 -1.00 unknown 0", "3.000: 1.1 0 -1.00 unknown 0",
                "4.000: 1.1 0 -1.00 unknown 0", "5.000: 1.1 0 -1.00 unknown 0", "6.000:", "7.000:",
            ]),
        Row(
            name: "a slow beacon stays tracked between its events",
            trace: .steady(-59, every: .milliseconds(2500), to: .seconds(6)), until: 6,
            reports: [
                "1.000: 1.1 -59 1.01 near 1", "2.000: 1.1 0 -1.00 unknown 0", "3.000: 1.1 -59 1.01 near 1",
                "4.000: 1.1 0 -1.00 unknown 0", "5.000: 1.1 0 -1.00 unknown 0", "6.000: 1.1 -59 1.01 near 1",
            ]),
        Row(
            name: "tracking age and period are settings",
            settings: Ranging.Settings(
                period: .milliseconds(500), trackingAge: .milliseconds(700), model: .android),
            trace: .recorded("-59"), until: 1,
            reports: ["0.500: 1.1 -59 1.01 near 1", "1.000:"]),
        Row(
            name: "nearest first, then unknown distances by RSSI, then beacons not received",
            trace: .recorded("-59", of: .sample(1, 6)) + .recorded("-80", of: .sample(1, 1))
                + .recorded("-70", of: .sample(1, 2, power: 0)) + .recorded("-60", of: .sample(1, 3, power: 0))
                + .recorded("?", of: .sample(1, 5)) + .recorded("127", of: .sample(1, 4))
                + .recorded("-40", of: .sample()),
            until: 1,
            reports: [
                "1.000: 1.6 -59 1.01 near 1, 1.1 -60 1.14 near 2, 1.3 -60 -1.00 unknown 1, 1.2 -70 -1.00 unknown 1, "
                    + "1.4 0 -1.00 unknown 1, 1.5 0 -1.00 unknown 1"
            ]),
        Row(
            name: "beacons outside all regions are not ranged, and beacons in two regions once",
            regions: [.museum("hall", 1), .museum("lamp", 1, 2)],
            trace: .recorded("-59", of: .sample(1, 2)) + .recorded("-59", of: .sample(2, 2))
                + .recorded("-59", of: .sample(1, 2, uuid: .shop)),
            until: 1, reports: ["1.000: 1.2 -59 1.01 near 1"]),
        Row(
            name: "the measured power is the latest",
            trace: .recorded("-65 -65", of: .sample()) + .recorded(". . -65", of: .sample(power: -77)), until: 1,
            reports: ["1.000: 1.1 -65 0.18 immediate 3"]),
        Row(
            name: "model and thresholds are settings",
            settings: Ranging.Settings(
                model: .freeSpace, thresholds: ProximityThresholds(immediate: 0.05, near: 20) ?? .standard),
            trace: .recorded("-79", of: .sample(1, 1)) + .recorded("-39", of: .sample(1, 2)), until: 1,
            reports: ["1.000: 1.2 -39 0.10 near 1, 1.1 -79 10.00 near 1"]),
        Row(
            name: "walking away over 9 seconds, without noise",
            trace: .moving(to: .seconds(9)) { -45 - 5 * $0 }, until: 9,
            reports: [
                "1.000: 1.1 -48 0.11 immediate 10", "2.000: 1.1 -53 0.31 immediate 10",
                "3.000: 1.1 -58 0.77 near 10", "4.000: 1.1 -63 1.51 near 10", "5.000: 1.1 -68 2.65 near 10",
                "6.000: 1.1 -73 4.52 far 10", "7.000: 1.1 -78 7.48 far 10", "8.000: 1.1 -83 12.04 far 10",
                "9.000: 1.1 -88 18.89 far 10",
            ]),
    ]

    @Test(arguments: rows)
    func tracesGiveTheirReports(_ row: Row) {
        var ranging = Ranging(row.regions, settings: row.settings, at: .zero)
        var reports: [RangingReport] = []
        func pass(to time: Duration) {
            while ranging.nextDeadline <= time {
                if let report = ranging.advance(to: ranging.nextDeadline) { reports.append(report) }
            }
        }
        for sample in row.trace.samples {
            pass(to: sample.time)
            #expect(ranging.receive(ReceivedBeacon(sample.beacon), rssi: sample.rssi, at: sample.time) == nil)
        }
        pass(to: .seconds(row.until))
        #expect(reports.map(Self.text) == row.reports)
        #expect(reports.allSatisfy { $0.missed == 0 })
    }

    static func text(_ report: RangingReport) -> String {
        let beacons = report.beacons.map { ranged in
            let numbers = "\(ranged.identity.numbers?.major ?? 0).\(ranged.identity.numbers?.minor ?? 0)"
            let accuracy = Duration.milliseconds(Int((abs(ranged.accuracy) * 100).rounded()) * 10).text.dropLast()
            let sign = ranged.accuracy < 0 ? "-" : ""
            return
                " \(numbers) \(ranged.rssi.decibelMilliwatts) \(sign)\(accuracy) \(ranged.proximity) \(ranged.packets)"
        }
        return "\(report.time.text):" + beacons.joined(separator: ",")
    }

    @Test(arguments: [
        (0.999, nil), (1.0, "1.000 missed 0"), (1.5, "1.000 missed 0"), (1.999, "1.000 missed 0"),
        (2.0, "2.000 missed 1"), (4.5, "4.000 missed 3"), (86_400.25, "86400.000 missed 86399"),
    ])
    func missedPeriodsHaveOneReport(_ seconds: Double, _ expected: String?) throws {
        var ranging = Ranging([.museum()], at: .zero)
        _ = ranging.receive(.sample(), rssi: RSSI(-50), at: .milliseconds(100))
        _ = ranging.receive(.sample(), rssi: RSSI(-70), at: .milliseconds(900))
        let time = Duration.milliseconds(Int(seconds * 1000))
        let report = ranging.advance(to: time)
        #expect(report.map { "\($0.time.text) missed \($0.missed)" } == expected)
        // The next report is due within a period.
        #expect(ranging.nextDeadline > time)
        #expect(ranging.nextDeadline <= time + .seconds(1))
        #expect(ranging.advance(to: time) == nil)
        guard let report, seconds < 5 else { return }
        #expect(report.beacons.map(\.rssi) == [RSSI(-60)])
    }

    /// 2.1 / 0.7 is less than 3 in binary fractions.
    @Test(arguments: [1, 3, 7, 100, 700, 999])
    func wholePeriodsAreExact(_ milliseconds: Int) throws {
        for count in 1...1000 {
            var ranging = Ranging(
                [.museum()], settings: Ranging.Settings(period: .milliseconds(milliseconds)), at: .seconds(3))
            let time = Duration.seconds(3) + .milliseconds(milliseconds) * count
            let due = ranging.advance(to: time)
            let report = try #require(due)
            #expect(report.time == time)
            #expect(report.missed == count - 1)
        }
    }

    @Test func lateAdvertisementYieldsTheReportBefore() throws {
        var ranging = Ranging([.museum()], settings: Ranging.Settings(model: .android), at: .zero)
        #expect(ranging.receive(.sample(), rssi: RSSI(-50), at: .milliseconds(500)) == nil)
        let overdue = ranging.receive(.sample(), rssi: RSSI(-90), at: .milliseconds(3700))
        let late = try #require(overdue)
        #expect(Self.text(late) == "3.000: 1.1 -50 0.19 immediate 1")
        #expect(late.missed == 2)
        let due = ranging.advance(to: .seconds(4))
        #expect(Self.text(try #require(due)) == "4.000: 1.1 -90 23.44 far 1")
    }

    @Test func regionsChangeWhileRanging() throws {
        var ranging = Ranging(
            [.museum("hall", 1), .museum("garden", 2)], settings: Ranging.Settings(model: .android), at: .zero)
        for major: UInt16 in 1...3 { _ = ranging.receive(.sample(major), rssi: RSSI(-59), at: .milliseconds(10)) }
        ranging.setRegions([.museum("garden", 2), .museum("cellar", 3)])
        _ = ranging.receive(.sample(1), rssi: RSSI(-59), at: .milliseconds(20))
        _ = ranging.receive(.sample(3), rssi: RSSI(-59), at: .milliseconds(20))
        let due = ranging.advance(to: .seconds(1))
        let report = try #require(due)
        #expect(Self.text(report) == "1.000: 2.1 -59 1.01 near 1, 3.1 -59 1.01 near 1")
        #expect(report.beacons(in: .museum("cellar", 3)).map(\.identity.numbers?.major) == [3])
        #expect(report.beacons(in: .museum("hall", 1)).isEmpty)
        #expect(report.beacons(in: .museum()).count == 2)
    }

    @Test func numberOfBeaconsIsBounded() throws {
        var ranging = Ranging([.museum()], settings: Ranging.Settings(maximumBeacons: 64), at: .zero)
        for minor: UInt16 in 1...10_000 {
            _ = ranging.receive(.sample(9, minor), rssi: RSSI(-80), at: .milliseconds(100))
            if minor.isMultiple(of: 20) { _ = ranging.receive(.sample(1, 1), rssi: RSSI(-59), at: .milliseconds(100)) }
        }
        let due = ranging.advance(to: .seconds(1))
        let report = try #require(due)
        #expect(report.beacons.count <= 64)
        // A beacon that is received again and again is not removed.
        #expect(report.beacons.first?.beacon == .sample(1, 1))
        #expect(report.beacons.first?.packets == 500)
    }

    /// With noise of 4 dB, the mean of ten RSSI values gives the distance to about a fifth.
    @Test(arguments: [(-45, Proximity.immediate), (-62, .near), (-78, .far)] as [(Double, Proximity)])
    func averagingSteadiesProximity(_ mean: Double, _ proximity: Proximity) {
        let trace = Trace.moving(to: .seconds(60), noise: 4, lostPerMille: 200, seed: 7) { _ in mean }
        var ranging = Ranging([.museum()], settings: Ranging.Settings(model: .android), at: .zero)
        let reports = trace.samples.compactMap {
            ranging.receive(ReceivedBeacon($0.beacon), rssi: $0.rssi, at: $0.time)
        }
        #expect(reports.count == 59)
        #expect(reports.allSatisfy { $0.beacons.first?.proximity == proximity })
        let single = trace.samples.filter {
            let distance = DistanceModel.android.distance(rssi: $0.rssi, measuredPower: MeasuredPower(-59))
            return ProximityThresholds.standard.proximity(at: distance) != proximity
        }
        #expect(!single.isEmpty, "the trace is too quiet to show anything")
    }

    /// The end of the ranging, in milliseconds, and the times of all reports.
    @Test(
        arguments: [
            (0, []), (400, ["0.400"]), (1000, ["1.000"]), (1001, ["1.000", "1.001"]), (2000, ["1.000", "2.000"]),
            (2500, ["1.000", "2.000", "2.500"]),
        ] as [(Int, [String])])
    func endIsReported(_ end: Int, _ times: [String]) {
        var ranging = Ranging([.museum()], at: .zero)
        var reports: [RangingReport?] = []
        for time in stride(from: 0, to: end, by: 50) {
            reports.append(ranging.receive(.sample(), rssi: RSSI(-59), at: .milliseconds(time)))
        }
        reports.append(ranging.advance(to: .milliseconds(end)))
        reports.append(ranging.finish(at: .milliseconds(end)))
        #expect(reports.compactMap { $0?.time.text } == times)
        #expect(reports.compactMap(\.self).allSatisfy { $0.beacons.first?.rssi == RSSI(-59) })
        #expect(ranging.finish(at: .milliseconds(end)) == nil)
    }
}
