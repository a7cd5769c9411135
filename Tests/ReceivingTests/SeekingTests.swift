// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct SeekingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let trace: Trace
        let until: Int
        /// A report each: `text warmth trend`.
        let reports: [String]

        var testDescription: String { name }
    }

    /// With the free-space model, in which 6 dB are a factor of two.
    @Test(arguments: [
        Row(
            name: "nothing there", trace: .nothing, until: 2,
            reports: ["No Beacons Found 0 steady", "No Beacons Found 0 steady"]),
        Row(
            name: "approaching and moving away",
            trace: .recorded("-95 -89 -83 -77 -71 -65 -59 -53 -47 -41 -53 -65", every: .seconds(1)), until: 12,
            reports: [
                "63.10 m 0 steady", "31.62 m 0 warmer", "15.85 m 14 warmer", "7.94 m 29 warmer", "3.98 m 43 warmer",
                "2.00 m 57 warmer", "1.00 m 71 warmer", "0.50 m 86 warmer", "0.25 m 100 warmer", "0.13 m 100 warmer",
                "0.50 m 86 colder", "2.00 m 57 colder",
            ]),
        Row(
            name: "noise of one decibel is no movement, but single steps add up",
            trace: .recorded("-65 -66 -64 -65 -64 -63 -62 -61", every: .seconds(1)), until: 8,
            reports: [
                "2.00 m 57 steady", "2.24 m 55 steady", "1.78 m 60 steady", "2.00 m 57 steady", "1.78 m 60 steady",
                "1.58 m 62 warmer", "1.41 m 64 steady", "1.26 m 67 warmer",
            ]),
        Row(
            name: "not received for a while: the same warmth, then lost, then found again",
            trace: .recorded("-59 . . . . . . -47 ? -53", every: .seconds(1)), until: 10,
            reports: [
                "1.00 m 71 steady", "-1.00 m 71 steady", "-1.00 m 71 steady", "-1.00 m 71 steady",
                "No Beacons Found 0 steady", "No Beacons Found 0 steady", "No Beacons Found 0 steady",
                "0.25 m 100 steady", "-1.00 m 100 steady",
                "0.50 m 86 colder",
            ]),
        Row(
            name: "a beacon without measured power", trace: .recorded("-59", of: .sample(power: 0)), until: 1,
            reports: ["-1.00 m 0 steady"]),
        Row(
            name: "another beacon becomes the nearest: the trend restarts",
            trace: .recorded("-65 -65 -65", of: .sample(1, 1), every: .seconds(1))
                + .recorded("-71 -71 -53 -47", of: .sample(1, 2), every: .seconds(1)),
            until: 4,
            reports: ["2.00 m 57 steady", "2.00 m 57 steady", "0.50 m 86 steady", "0.25 m 100 warmer"]),
        Row(
            name: "a beacon with another UUID", trace: .recorded("-41", of: .sample(uuid: .shop)), until: 1,
            reports: ["No Beacons Found 0 steady"]),
    ])
    func tracesGiveTheirReports(_ row: Row) {
        var seeking = Seeking([.museum()], settings: Ranging.Settings(model: .freeSpace), at: .zero)
        var reports: [SeekingReport] = []
        for sample in row.trace.samples {
            while seeking.nextDeadline <= sample.time {
                if let report = seeking.advance(to: seeking.nextDeadline) { reports.append(report) }
            }
            let report = seeking.receive(ReceivedBeacon(sample.beacon), rssi: sample.rssi, at: sample.time)
            if let report { reports.append(report) }
        }
        while seeking.nextDeadline <= .seconds(row.until) {
            if let report = seeking.advance(to: seeking.nextDeadline) { reports.append(report) }
        }
        #expect(reports.map { "\($0.text) \(Int(($0.warmth * 100).rounded())) \($0.trend)" } == row.reports)
        #expect(reports.map(\.time) == (1...row.until).map { .seconds($0) })
    }

    @Test(
        arguments: [
            (0, 7), (0.25, 7), (0.5, 6), (1, 5), (8, 2), (32, 0), (1000, 0), (.infinity, 0),
        ] as [(Double, Double)])
    func eachHalvingIsAsMuchWarmer(_ distance: Double, _ sevenths: Double) {
        #expect(abs(Seeking.warmth(at: distance) - sevenths / 7) < 1e-12)
    }
}
