// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct RegionMonitorTests {
    /// A trace, and the expected events.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var regions: [BeaconRegion] = [.museum()]
        var settings = RegionMonitor.Settings()
        var entryRSSI: RSSI?
        let trace: Trace
        /// The end of the monitoring, in seconds.
        let until: Int
        /// An event each: `time identifier kind`.
        let events: [String]

        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "nothing on the air: outside after the quiet time", trace: .nothing, until: 100,
            events: ["30.000 museum determined"]),
        Row(
            name: "in range from the start: entered at once, without further events",
            trace: .steady(-59, to: .seconds(100)),
            until: 100, events: ["0.000 museum entered"]),
        Row(
            name: "a single advertisement", trace: .recorded("-90", from: .seconds(5)), until: 100,
            events: ["5.000 museum entered", "35.000 museum exited"]),
        Row(
            name: "RSSI unknown", trace: .recorded("? 127", from: .seconds(5)), until: 100,
            events: ["5.000 museum entered", "35.100 museum exited"]),
        Row(
            name: "arrives late: determined, then entered", trace: .steady(-59, from: .seconds(40), to: .seconds(50)),
            until: 100,
            events: ["30.000 museum determined", "40.000 museum entered", "79.900 museum exited"]),
        Row(
            name: "appears, disappears and appears again",
            trace: .steady(-59, from: .seconds(1), to: .seconds(10))
                + .steady(-59, from: .seconds(60), to: .seconds(61)),
            until: 200,
            events: [
                "1.000 museum entered", "39.900 museum exited", "60.000 museum entered", "90.900 museum exited",
            ]),
        Row(
            name: "a gap just below the quiet time does not count",
            trace: .recorded("-59 -59 -59 -59", every: .milliseconds(29_999)), until: 130,
            events: ["0.000 museum entered", "119.997 museum exited"]),
        Row(
            name: "a gap of the quiet time counts",
            trace: .recorded("-59 -59", every: .seconds(30)), until: 100,
            events: [
                "0.000 museum entered", "30.000 museum exited", "30.000 museum entered", "60.000 museum exited",
            ]),
        Row(
            name: "the slowest beacon, with single lost events",
            trace: .recorded("-85 . -85 -85 . -85 . -85", every: .milliseconds(10_240)), until: 120,
            events: ["0.000 museum entered", "101.680 museum exited"]),
        Row(
            name: "the slowest beacon, with two lost events in a row: the quiet time is too short",
            trace: .recorded("-85 . . -85", every: .milliseconds(10_240)), until: 50,
            events: ["0.000 museum entered", "30.000 museum exited", "30.720 museum entered"]),
        Row(
            name: "the slowest beacon, with every third event lost, and a longer quiet time",
            settings: RegionMonitor.Settings(quietTime: .seconds(120)),
            trace: .moving(every: .milliseconds(10_240), to: .seconds(3600), lostPerMille: 333, seed: 5) { _ in -85 },
            until: 3600, events: ["10.240 museum entered"]),
        Row(
            name: "at the limit of the range, as recorded: bursts between silences of up to 28 seconds",
            trace: .recorded("-93 . . -95 -94 . . . . -96", every: .milliseconds(200), from: .seconds(3))
                + .recorded("-95", from: .seconds(17)) + .recorded("-96 . . . . -97", from: .seconds(44))
                + .recorded("-94 . -97", every: .seconds(9), from: .seconds(72))
                + .recorded("-97", from: .seconds(118)),
            until: 200, events: ["3.000 museum entered", "148.000 museum exited"]),
        Row(
            name: "at the limit of the range for ten minutes, 19 of 20 lost, noise of 5 dB",
            trace: .moving(to: .seconds(600), noise: 5, lostPerMille: 950, seed: 11) { _ in -94 }, until: 700,
            events: ["2.400 museum entered", "628.300 museum exited"]),
        Row(
            name: "walking past: in range for a while",
            trace: .moving(from: .seconds(100), to: .seconds(160), noise: 3, lostPerMille: 300, seed: 3) {
                -60 - abs($0 - 30)
            },
            until: 300,
            events: ["30.000 museum determined", "100.000 museum entered", "189.900 museum exited"]),
        Row(
            name: "the quiet time is a setting",
            settings: RegionMonitor.Settings(quietTime: .seconds(4)),
            trace: .recorded("-59 . . -59 . . . -59", every: .seconds(1), from: .seconds(1)), until: 20,
            events: [
                "1.000 museum entered", "8.000 museum exited", "8.000 museum entered", "12.000 museum exited",
            ]),
        Row(
            name: "too weak to enter; once inside, weak advertisements count", entryRSSI: RSSI(-70),
            trace: .recorded("-80 -75 127 ? -71 -70 -85 -90 . . . -95", every: .seconds(10)), until: 200,
            events: ["30.000 museum determined", "50.000 museum entered", "100.000 museum exited"]),
        Row(
            name: "nested regions, each independent",
            regions: [.museum("all"), .museum("hall", 1), .museum("lamp", 1, 2), .museum("garden", 2)],
            trace: .recorded("-59", of: .sample(1, 1), from: .seconds(1))
                + .recorded("-59", of: .sample(1, 2), from: .seconds(11))
                + .recorded("-59", of: .sample(3, 1), from: .seconds(21)),
            until: 100,
            events: [
                "1.000 all entered", "1.000 hall entered", "11.000 lamp entered", "30.000 garden determined",
                "41.000 hall exited", "41.000 lamp exited", "51.000 all exited",
            ]),
        Row(
            name: "beacons with another UUID", trace: .steady(-40, of: .sample(uuid: .shop), to: .seconds(60)),
            until: 60,
            events: ["30.000 museum determined"]),
        Row(
            name: "regions of the same numbers, in the order in which they were added",
            regions: [.museum("b"), .museum("a"), .museum("c")], trace: .recorded("-59"), until: 60,
            events: ["b", "a", "c"].map { "0.000 \($0) entered" } + ["b", "a", "c"].map { "30.000 \($0) exited" }),
    ]

    /// The events do not depend on whether time advances at each deadline or only with the next packet.
    @Test(arguments: rows, [true, false])
    func tracesGiveTheirEvents(_ row: Row, punctual: Bool) throws {
        var monitor = RegionMonitor(row.settings)
        for region in row.regions { try monitor.add(region, entryRSSI: row.entryRSSI, at: .zero) }
        var events: [RegionEvent] = []
        func pass(to time: Duration) {
            while punctual, let deadline = monitor.nextDeadline, deadline <= time {
                events += monitor.advance(to: deadline)
            }
        }
        for sample in row.trace.samples {
            pass(to: sample.time)
            events += monitor.receive(ReceivedBeacon(sample.beacon), rssi: sample.rssi, at: sample.time)
        }
        pass(to: .seconds(row.until))
        events += monitor.advance(to: .seconds(row.until))
        #expect(events.map(Self.text) == row.events)
    }

    static func text(_ event: RegionEvent) -> String { "\(event.time.text) \(event.region.identifier) \(event.kind)" }

    /// In any trace, a region is entered once for each period without a gap of the quiet time.
    @Test(arguments: 0..<40)
    func regionIsEnteredOnceBetweenGaps(_ seed: UInt64) throws {
        let trace = Trace.moving(
            every: .milliseconds(500), to: .seconds(3600), noise: 4, lostPerMille: 900 + seed * 2, seed: seed
        ) { _ in -92 }
        var expected: [String] = []
        var last = Duration.zero
        var isInside: Bool?
        for sample in trace.samples {
            if sample.time - last >= .seconds(30), isInside != false {
                expected.append("\((last + .seconds(30)).text) museum \(isInside == nil ? "determined" : "exited")")
                isInside = false
            }
            if isInside != true { expected.append("\(sample.time.text) museum entered") }
            isInside = true
            last = sample.time
        }
        var monitor = RegionMonitor()
        try monitor.add(.museum(), at: .zero)
        var events: [RegionEvent] = []
        for sample in trace.samples {
            events += monitor.receive(ReceivedBeacon(sample.beacon), rssi: sample.rssi, at: sample.time)
        }
        #expect(events.map(Self.text) == expected)
    }

    @Test func eventsHaveStateAndBeacon() throws {
        var monitor = RegionMonitor()
        try monitor.add(.museum(), at: .zero)
        #expect(monitor.state(of: "museum") == .unknown)
        #expect(monitor.state(of: "shop") == nil)
        let first = monitor.receive(.sample(4, 5), rssi: RSSI(-59), at: .seconds(1)).first
        let entered = try #require(first)
        #expect(entered.beacon == .sample(4, 5))
        #expect(entered.state == .inside)
        #expect(monitor.state(of: "museum") == .inside)
        #expect(monitor.nextDeadline == .seconds(31))
        #expect(monitor.advance(to: .seconds(31) - .nanoseconds(1)).isEmpty)
        let second = monitor.advance(to: .seconds(31)).first
        let exited = try #require(second)
        #expect(exited.beacon == nil)
        #expect(exited.state == .outside)
        #expect(monitor.state(of: "museum") == .outside)
        #expect(monitor.nextDeadline == nil)
    }

    @Test func numberOfRegionsIsLimited() throws {
        var monitor = RegionMonitor()
        for number in 1...20 { try monitor.add(.museum("\(number)"), at: .zero) }
        let error = #expect(throws: RegionMonitor.TooManyRegions.self) { try monitor.add(.museum("21"), at: .zero) }
        #expect(
            try #require(error).description
                == "region 21 cannot be monitored: there are 20 already, which is the limit; remove one, or raise the "
                + "limit"
        )
        #expect(monitor.statuses.count == 20)
        // A region with an existing name replaces it.
        try monitor.add(.museum("7", 7), at: .zero)
        #expect(monitor.statuses.map(\.region.identifier) == (1...20).map { "\($0)" })
        #expect(monitor.statuses[6].region == .museum("7", 7))
        #expect(monitor.remove("3") == true)
        #expect(monitor.remove("3") == false)
        try monitor.add(.museum("21"), at: .zero)
        #expect(monitor.statuses.count == 20)
    }

    @Test func limitIsASetting() throws {
        var none = RegionMonitor(RegionMonitor.Settings(maximumRegions: nil))
        for number in 1...1000 { try none.add(.museum("\(number)"), at: .zero) }
        #expect(none.statuses.count == 1000)
        var two = RegionMonitor(RegionMonitor.Settings(maximumRegions: 2))
        try two.add(.museum("1"), at: .zero)
        try two.add(.museum("2"), at: .zero)
        #expect(throws: RegionMonitor.TooManyRegions(region: .museum("3"), limit: 2)) {
            try two.add(.museum("3"), at: .zero)
        }
    }

    @Test func replacingKeepsTheStateOfTheSameNumbers() throws {
        var monitor = RegionMonitor()
        try monitor.add(.museum("a", 1), at: .zero)
        _ = monitor.receive(.sample(1), rssi: RSSI(-59), at: .seconds(1))
        try monitor.add(.museum("a", 1), quietTime: .seconds(60), at: .seconds(2))
        #expect(monitor.state(of: "a") == .inside)
        #expect(monitor.receive(.sample(1), rssi: RSSI(-59), at: .seconds(3)).isEmpty)
        #expect(monitor.nextDeadline == .seconds(63))
        // A region with other numbers is a new one, whose state is unknown.
        try monitor.add(.museum("a", 2), at: .seconds(10))
        #expect(monitor.state(of: "a") == .unknown)
        #expect(monitor.receive(.sample(1), rssi: RSSI(-59), at: .seconds(11)).isEmpty)
        #expect(monitor.advance(to: .seconds(50)).map(Self.text) == ["40.000 a determined"])
    }

    @Test func removedRegionHasNoEvents() throws {
        var monitor = RegionMonitor()
        try monitor.add(.museum(), at: .zero)
        _ = monitor.receive(.sample(), rssi: RSSI(-59), at: .seconds(1))
        #expect(monitor.remove("museum") == true)
        #expect(monitor.nextDeadline == nil)
        #expect(monitor.advance(to: .seconds(100)).isEmpty)
        // If it is added again, it is entered again.
        try monitor.add(.museum(), at: .seconds(100))
        #expect(
            monitor.receive(.sample(), rssi: RSSI(-59), at: .seconds(101)).map(Self.text) == ["101.000 museum entered"])
    }

    /// After a restart: the saved state, the time of a reception, and the expected events.
    @Test(
        arguments: [
            (.inside, 5, []), (.inside, nil, ["30.000 museum exited"]),
            (.inside, 40, ["30.000 museum exited", "40.000 museum entered"]), (.outside, nil, []),
            (.outside, 5, ["5.000 museum entered"]), (.unknown, nil, ["30.000 museum determined"]),
            (.unknown, 5, ["5.000 museum entered"]),
        ] as [(RegionState, Int?, [String])])
    func statesAreRestored(_ state: RegionState, _ received: Int?, _ expected: [String]) throws {
        var monitor = RegionMonitor()
        try monitor.add(.museum(), at: .zero)
        monitor.restore([RegionStatus(region: .museum(), state: state)], at: .zero)
        #expect(monitor.state(of: "museum") == state)
        var events: [RegionEvent] = []
        if let received { events += monitor.receive(.sample(), rssi: RSSI(-59), at: .seconds(received)) }
        events += monitor.advance(to: .seconds(34))
        #expect(events.map(Self.text) == expected)
    }

    @Test func snapshotRoundTrips() throws {
        var monitor = RegionMonitor()
        for major: UInt16 in 1...3 { try monitor.add(.museum("\(major)", major), at: .zero) }
        _ = monitor.receive(.sample(1), rssi: RSSI(-59), at: .seconds(1))
        _ = monitor.advance(to: .seconds(30))
        _ = monitor.receive(.sample(2), rssi: RSSI(-59), at: .seconds(30))
        let saved = monitor.statuses
        #expect(saved.map(\.state) == [.inside, .inside, .outside])
        var later = RegionMonitor()
        for major: UInt16 in 1...3 { try later.add(.museum("\(major)", major), at: .zero) }
        later.restore(saved, at: .zero)
        #expect(later.statuses == saved)
        // A region with changed numbers, and a removed one, restore nothing.
        var changed = RegionMonitor()
        try changed.add(.museum("1", 9), at: .zero)
        changed.restore(saved, at: .zero)
        #expect(changed.statuses == [RegionStatus(region: .museum("1", 9), state: .unknown)])
    }

    /// A receiver that did not run for a while gets the receptions of that time afterwards.
    @Test func quietTimesCanBeRestarted() throws {
        var monitor = RegionMonitor(RegionMonitor.Settings(quietTime: .seconds(3)))
        try monitor.add(.museum(), at: .zero)
        monitor.restartQuietTimes(at: .seconds(10))
        #expect(monitor.nextDeadline == .seconds(13))
        #expect(monitor.advance(to: .milliseconds(12_999)) == [])
        #expect(monitor.advance(to: .seconds(13)).map(\.kind) == [.determined])
        // Regions that are outside stay outside.
        monitor.restartQuietTimes(at: .seconds(20))
        #expect(monitor.nextDeadline == nil)
    }
}
