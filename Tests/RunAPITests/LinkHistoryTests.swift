// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Foundation
import Radio
import Space
import Testing

@testable import RunAPI

/// The RSSI of the last two minutes: at most 120 samples of at most 1,000 paths.
struct LinkHistoryTests {
    private static func path(
        _ from: String, to: String = "phone", mean: Double = -60, last: Int8? = nil, override: LinkOverride? = nil,
        isMuted: Bool = false
    ) -> AirPath {
        AirPath(
            from: from, to: to, distance: nil, meanRSSI: mean, lastRSSI: last.map { RSSI($0) }, loss: nil,
            override: override, isMuted: isMuted)
    }

    private static func rssi(_ history: LinkHistory) -> [String: [Int8?]] {
        let links = history.record(at: 0, after: -.infinity, of: nil).links
        return Dictionary(uniqueKeysWithValues: links.map { ("\($0.from) \($0.to)", $0.rssi) })
    }

    @Test func pathThatBeginsLaterHasNoEarlierValues() {
        var history = LinkHistory()
        history.add([Self.path("door")], at: 1)
        history.add([Self.path("door"), Self.path("shelf", mean: -70)], at: 2)
        history.add([Self.path("shelf", mean: -71)], at: 3)
        #expect(Self.rssi(history) == ["door phone": [-60, -60, nil], "shelf phone": [nil, -70, -71]])
        #expect(history.record(at: 3.5, after: 0, of: nil).times == [1, 2, 3])
    }

    @Test func lastRSSICountsMoreThanTheMean() {
        var history = LinkHistory()
        history.add([Self.path("door", mean: -60.4), Self.path("shelf", mean: -60, last: -83)], at: 1)
        #expect(Self.rssi(history) == ["door phone": [-60], "shelf phone": [-83]])
    }

    /// What is not received has no RSSI, and what a controller cannot report is the nearest that it can (Core 5.4, Vol 4,
    /// Part E, 7.7.65.2).
    @Test func samplesAreWhatControllersReport() throws {
        var history = LinkHistory()
        history.add([Self.path("muted"), Self.path("blocked"), Self.path("far"), Self.path("near")], at: 1)
        let blocked = LinkOverride(packetLoss: 1)
        history.add(
            [
                Self.path("muted", isMuted: true), Self.path("blocked", override: blocked),
                Self.path("far", mean: -400), Self.path("near", mean: 90),
            ], at: 2)
        #expect(
            Self.rssi(history) == [
                "muted phone": [-60, nil], "blocked phone": [-60, nil], "far phone": [-60, -127],
                "near phone": [-60, 20],
            ])
    }

    @Test func onlyTheLastSamplesAreKept() {
        var history = LinkHistory()
        for second in 1...LinkHistory.capacity { history.add([Self.path("door", mean: -60)], at: Double(second)) }
        #expect(Self.rssi(history)["door phone"]?.count == LinkHistory.capacity)
        history.add([Self.path("shelf")], at: 121)
        let record = history.record(at: 121, after: 0, of: nil)
        #expect(record.times.count == LinkHistory.capacity && record.times.first == 2 && record.times.last == 121)
        #expect(record.links.map(\.rssi.count) == [LinkHistory.capacity, LinkHistory.capacity])
        #expect(record.links.map { $0.rssi[LinkHistory.capacity - 1] } == [nil, -60])
    }

    /// A path stays as long as it has a value in the last two minutes.
    @Test func pathWithoutValuesIsForgotten() {
        var history = LinkHistory()
        history.add([Self.path("door"), Self.path("shelf")], at: 0)
        for second in 1..<LinkHistory.capacity { history.add([Self.path("shelf")], at: Double(second)) }
        #expect(Self.rssi(history).count == 2)
        history.add([Self.path("shelf")], at: 120)
        #expect(Array(Self.rssi(history).keys) == ["shelf phone"])
    }

    @Test func theStrongestPathsAreKept() {
        let count = LinkHistory.maximumPaths + 50
        var history = LinkHistory()
        history.add((0..<count).map { Self.path("b\($0)", mean: -30 - Double($0) / 20) }.reversed(), at: 1)
        let names = Set(history.record(at: 1, after: 0, of: nil).links.map(\.from))
        #expect(names == Set((0..<LinkHistory.maximumPaths).map { "b\($0)" }))
        // Those that are there stay; others get the places of those that were forgotten only.
        history.add([Self.path("new", mean: -1)], at: 2)
        #expect(history.record(at: 2, after: 0, of: "new").links.isEmpty)
    }

    @Test func recordIsOfANameAndATime() {
        var history = LinkHistory()
        for time in [1.0, 2, 3] { history.add([Self.path("door"), Self.path("shelf", to: "tablet")], at: time) }
        #expect(history.record(at: 3, after: 0, of: "tablet").links.map(\.from) == ["shelf"])
        #expect(history.record(at: 3, after: 0, of: "door").links.map(\.to) == ["phone"])
        #expect(history.record(at: 3, after: 0, of: "lift").links.isEmpty)
        let later = history.record(at: 3, after: 2, of: nil)
        #expect(later.times == [3] && later.links.map(\.rssi) == [[-60], [-60]])
        #expect(history.record(at: 3, after: 3, of: nil).times.isEmpty)
    }

    @Test func missingValuesAreNullInJSON() throws {
        var history = LinkHistory()
        history.add([Self.path("door")], at: 1)
        history.add([], at: 2)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(history.record(at: 2.5, after: 0, of: nil)), as: UTF8.self)
        #expect(
            text == #"{"elapsed":2.5,"links":[{"from":"door","rssi":[-60,null],"to":"phone"}],"times":[1,2]}"#)
    }
}
