// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Receiving

/// A report of hot and cold as `seek` tells it.
struct SeekingOutput: Encodable {
    private static let barWidth = 30

    let v = 1
    let event = "sought"
    let time: String
    /// The nearest beacon; absent when none is in range.
    let nearest: RangedRecord?
    /// 0 for cold, 1 for hot.
    let warmth: Double
    /// warmer, colder or steady.
    let trend: String
    private let text: String

    private enum CodingKeys: CodingKey {
        case v, event, time, nearest, warmth, trend
    }

    init(_ report: SeekingReport) {
        time = Timestamp.now
        nearest = report.nearest.map(RangedRecord.init)
        warmth = report.warmth
        trend = report.trend.rawValue
        text = report.text
    }

    /// A bar that grows warmer, and the accuracy behind it.
    var line: String {
        guard nearest != nil else { return text }
        let warm = Int((warmth * Double(Self.barWidth)).rounded())
        let bar = String(repeating: "#", count: warm) + String(repeating: ".", count: Self.barWidth - warm)
        return "cold [\(bar)] hot  \(text)" + (trend == "steady" ? "" : "  \(trend)")
    }
}
