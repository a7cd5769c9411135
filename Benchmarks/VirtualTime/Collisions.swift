// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import HCI
import Space
import VirtualRadio

/// How many packets beacons take from each other, and when each is received first: the table of docs/physics.md.
///
/// The beacons were switched on before the run, each at its own time, and all are 1 m from a scanner without pauses.
enum Collisions {
    private static let cells = [100, 1000].flatMap { interval in
        [3, 20, 100, 400].map { (beacons: $0, interval: interval) }
    }
    /// The intervals for which each run lasts.
    private static let intervals = 20
    private static let runs = 200

    /// The rows of the table, in Markdown.
    static func table() -> [String] {
        let head = [
            "| beacons | interval | lost | formula | first packet: mean | 95 % within |", "|---|---|---|---|---|---|",
        ]
        return head + cells.map { row(beacons: $0.beacons, interval: $0.interval) }
    }

    private static func row(beacons: Int, interval: Int) -> String {
        var losses: [Double] = []
        var firsts: [Double] = []
        for seed in 1...runs {
            let result = run(beacons, interval, seed: UInt64(seed))
            losses.append(result.lost)
            firsts += result.firsts
        }
        let mean = losses.reduce(0, +) / Double(runs)
        let variance = losses.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(runs - 1)
        let error = (variance / Double(runs)).squareRoot()
        // As docs/physics.md has it.
        let expected = 1 - exp(-2 * 0.376 * Double(beacons - 1) / (Double(interval) + 5))
        firsts.sort()
        let first = firsts.reduce(0, +) / Double(firsts.count)
        let cells = [
            "\(beacons)", interval < 1000 ? "\(interval) ms" : "\(interval / 1000) s",
            "\((mean * 100).text(2)) ± \((error * 100).text(2)) %", "\((expected * 100).text(2)) %",
            "\(first.text(2)) s", "\(firsts[firsts.count * 95 / 100].text(2)) s",
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// - Returns: the share of the packets that were lost, and the seconds until the first packet of each beacon.
    private static func run(_ beacons: Int, _ interval: Int, seed: UInt64) -> (lost: Double, firsts: [Double]) {
        var room = Room(Propagation(capture: 8), seed: seed)
        // It stays on one channel.
        let scanner = room.addScanner(interval: ScanTime(16384), window: ScanTime(16384))
        room.air.setDrawsPhases(true)
        for number in 0..<beacons {
            room.addBeacon(UInt32(number), interval: AdvertisingInterval(UInt32(interval) * 8 / 5))
        }
        room.air.setDrawsPhases(false)
        var firsts: [BluetoothAddress: Double] = [:]
        var received = 0
        // The packet of an event may be under way at the end.
        let end = room.air.now + Int64(interval * intervals) * 1000
        while let next = room.air.nextDeadline, next <= end {
            room.air.advance(to: next)
            while case .event(let event)? = room.air.takeOutput(of: scanner) {
                guard let report = try? event.parameters(as: LEAdvertisingReport.self) else { continue }
                for each in report.reports {
                    received += 1
                    if firsts[each.address] == nil { firsts[each.address] = Double(room.air.now) / 1e6 }
                }
            }
        }
        let sent = Double(room.air.advertisingEvents)
        return (1 - Double(received) / sent, Array(firsts.values))
    }
}
