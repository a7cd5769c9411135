// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import HCI
import Receiving
import VirtualRadio

/// How long phones need to receive beacons: each preset of Android against beacons of usual intervals, in virtual time.
///
/// A beacon that advertises already is measured from a random time of the scan until its next packet, and its packets are
/// counted; each is 1 m from the phone, and no packet collides. The median and the 95th percentile are those of all beacons.
enum Phones {
    /// In ticks of 0.625 ms.
    private static let intervals: [UInt32] = [160, 510, 874, 1364, 1636, 2056]

    /// A row for each preset with windows of its own.
    static func figures(beacons: Int = 1000) -> [BeaconryBench.Figure] {
        PhoneModel.presets.filter { $0.name.hasPrefix("android") }.map { phone in
            let cells = intervals.map { ticks in
                let result = measure(phone, AdvertisingInterval(ticks), beacons: beacons)
                return "\(result.median.text(1))/\(result.late.text(1)) s \(result.rate.text(2))"
            }
            return BeaconryBench.Figure(what: "\(phone.name), 100 to 1285 ms", ours: cells.joined(separator: ", "))
        }
    }

    /// - Returns: in seconds, and packets per second.
    private static func measure(
        _ phone: PhoneModel, _ interval: AdvertisingInterval, beacons: Int
    ) -> (median: Double, late: Double, rate: Double) {
        let scan = phone.scan.parameters
        var room = Room()
        let receiver = room.addScanner(
            interval: ScanTime(scan.interval.count), window: ScanTime(scan.window.count))
        // Times of the air are in microseconds.
        let start = room.air.now
        var begins: [BluetoothAddress: Int64] = [:]
        var firsts: [BluetoothAddress: Int64] = [:]
        var packets = 0
        let period = Int64(scan.interval.count) * 625
        var random = SplitMix64(seed: 7)
        // Over a whole number of scan intervals, which are long compared with the beacons' own ones.
        let joins = (0..<beacons).map { _ in Int64(random.unit() * Double(period * 8)) }.sorted()
        func take() {
            while case .event(let event)? = room.air.takeOutput(of: receiver) {
                guard let report = try? event.parameters(as: LEAdvertisingReport.self) else { continue }
                for each in report.reports {
                    packets += 1
                    guard firsts[each.address] == nil, let begin = begins[each.address], room.air.now >= begin else {
                        continue
                    }
                    firsts[each.address] = room.air.now
                }
            }
        }
        for (number, join) in joins.enumerated() {
            while room.air.now - start < join {
                room.air.advance(to: min(start + join, room.air.now + 5_000))
                take()
            }
            let address = room.addBeacon(UInt32(number), interval: interval)
            // Its first advertising event follows at once; a phone that comes into its range waits for any of them.
            begins[address] = room.air.now + Int64(random.unit() * Double(interval.count) * 625)
        }
        let counted = (packets, room.air.now)
        let end = room.air.now + 400_000_000
        while room.air.now < end {
            room.air.advance(to: room.air.now + 5_000)
            take()
        }
        let waits = begins.map { Double((firsts[$0.key] ?? end) - $0.value) / 1e6 }.sorted()
        let seconds = Double(room.air.now - counted.1) / 1e6
        return (
            waits[waits.count / 2], waits[waits.count * 95 / 100],
            Double(packets - counted.0) / seconds / Double(beacons)
        )
    }
}
