// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct AnnouncerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let rule: AnnouncementRule
        /// The times at which a beacon was received, in minutes.
        let received: [Int]
        /// An announcement each: `minutes text`.
        let said: [String]

        var testDescription: String { name }
    }

    static let both = AnnouncementRule(hello: "Hello", goodbye: "Bye")

    @Test(arguments: [
        Row(name: "hello and goodbye", rule: both, received: [1, 5], said: ["1 Hello", "2 Bye", "5 Hello", "6 Bye"]),
        Row(name: "being outside at the start is no goodbye", rule: both, received: [], said: []),
        Row(
            name: "hello only", rule: AnnouncementRule(hello: "Hello"), received: [1, 5], said: ["1 Hello", "5 Hello"]),
        Row(name: "goodbye only", rule: AnnouncementRule(goodbye: "Bye"), received: [1, 5], said: ["2 Bye", "6 Bye"]),
        Row(
            name: "empty texts are not announced", rule: AnnouncementRule(hello: "", goodbye: "Bye"), received: [1],
            said: ["2 Bye"]
        ),
        Row(
            name: "at most once an hour, separately for hellos and goodbyes",
            rule: AnnouncementRule(hello: "Hello", goodbye: "Bye", atMostOncePer: .seconds(3600)),
            received: [1, 10, 20, 60, 61, 130],
            said: ["1 Hello", "2 Bye", "61 Hello", "62 Bye", "130 Hello", "131 Bye"]),
        Row(
            name: "the hour counts from the last announcement, not from a suppressed one",
            rule: AnnouncementRule(hello: "Hello", atMostOncePer: .seconds(3600)),
            received: [0, 30, 59, 63, 65], said: ["0 Hello", "63 Hello"]),
    ])
    func eventsAreAnnounced(_ row: Row) throws {
        var monitor = RegionMonitor(RegionMonitor.Settings(quietTime: .seconds(60)))
        try monitor.add(.museum(), at: .zero)
        var announcer = Announcer(["museum": row.rule])
        var events = row.received.flatMap { monitor.receive(.sample(), rssi: RSSI(-59), at: .seconds($0 * 60)) }
        events += monitor.advance(to: .seconds(10_000))
        let said = events.compactMap { announcer.announce($0) }
        #expect(said.map { "\(Int($0.time / .seconds(60))) \($0.text)" } == row.said)
        #expect(said.allSatisfy { $0.region == "museum" && ($0.kind == .hello) == ($0.text == "Hello") })
    }

    @Test func regionsWithoutARuleAreSilent() {
        var announcer = Announcer(["shop": Self.both])
        #expect(announcer.announce(RegionEvent(region: .museum(), kind: .entered, time: .zero)) == nil)
    }

    @Test func announcementsAreRememberedOverARestart() {
        let rule = AnnouncementRule(hello: "Hello", goodbye: "Bye", atMostOncePer: .seconds(3600))
        let entered = RegionEvent(region: .museum(), kind: .entered, time: .seconds(100))
        let hello = Announcer.Memory(region: "museum", kind: .hello)
        for (ago, isSaid) in [(3000, false), (3499, false), (3500, true), (4000, true)] {
            var announcer = Announcer(["museum": rule], lastSaid: [hello: .seconds(-ago)])
            #expect((announcer.announce(entered) != nil) == isSaid)
            #expect(announcer.lastSaid == [hello: isSaid ? .seconds(100) : .seconds(-ago)])
        }
        // A memory without a rule is dropped.
        var announcer = Announcer(["shop": rule], lastSaid: [hello: .zero])
        #expect(announcer.lastSaid.isEmpty)
        announcer = Announcer(["museum": rule], lastSaid: [hello: .zero])
        announcer.rules = [:]
        #expect(announcer.lastSaid.isEmpty)
    }
}
