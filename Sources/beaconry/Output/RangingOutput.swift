// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Receiving

/// A ranging report as `range` and `monitor` tell it.
struct RangingOutput: Encodable {
    let v = 1
    let event = "ranged"
    let time: String
    /// The region's identifier; absent where all regions are told together.
    var region: String?
    /// The nearest first.
    let beacons: [RangedRecord]

    init(_ report: RangingReport, in region: BeaconRegion? = nil) {
        time = Timestamp.now
        self.region = region?.identifier
        beacons = (region.map { report.beacons(in: $0) } ?? report.beacons).map(RangedRecord.init)
    }

    /// Sections by proximity, as AirLocate shows them; one line when no beacon is in range.
    var lines: [String] {
        guard !beacons.isEmpty else { return [SeekingReport.noneFound] }
        let sections = [Proximity.immediate, .near, .far, .unknown].map { proximity in
            (proximity, beacons.filter { $0.proximity == proximity.rawValue })
        }
        return sections.filter { !$0.1.isEmpty }.flatMap { proximity, rows in
            [Self.heading(proximity)] + rows.map { "  \($0.line)" }
        }
    }

    private static func heading(_ proximity: Proximity) -> String {
        switch proximity {
        case .immediate: "Immediate"
        case .near: "Near"
        case .far: "Far"
        case .unknown: "Unknown"
        }
    }

    /// The same for a terminal.
    var content: ListView.Content {
        ListView.Content(
            title: "\(beacons.count) beacon\(beacons.count == 1 ? "" : "s") in range; Ctrl-C ends", lines: lines)
    }
}

/// One beacon of a ranging report.
struct RangedRecord: Encodable {
    let uuid: String
    let major: UInt16
    let minor: UInt16
    /// unknown, immediate, near or far.
    let proximity: String
    /// In metres; -1 when it cannot be told.
    let accuracy: Double
    /// The mean since the report before, in dBm; 0 when nothing was heard.
    let rssi: Int8
    let measuredPower: Int8
    /// How many advertisements were heard since the report before.
    let packets: Int

    init(_ ranged: RangedBeacon) {
        uuid = ranged.beacon.uuid.description
        major = ranged.beacon.major
        minor = ranged.beacon.minor
        proximity = ranged.proximity.rawValue
        accuracy = ranged.accuracy
        rssi = ranged.rssi.decibelMilliwatts
        measuredPower = ranged.beacon.measuredPower.decibelMilliwatts
        packets = ranged.packets
    }

    /// In words, as AirLocate has them, and what it leaves out behind.
    var line: String {
        let strength = rssi == 0 && packets == 0 ? "not heard now" : "\(rssi) dBm"
        return "Major: \(major), Minor: \(minor), Acc: \(DecimalText.hundredths(accuracy))m  \(strength)  \(uuid)"
    }
}
