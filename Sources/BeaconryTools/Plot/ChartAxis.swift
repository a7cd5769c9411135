// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Space

/// An axis of a chart: a range of values on a range of pixels, with ticks at round values.
struct ChartAxis: Hashable, Sendable {
    /// A tick and its label.
    struct Tick: Hashable, Sendable {
        let value: Double
        let label: String
    }

    /// The values at the ends.
    let values: ClosedRange<Double>
    /// The pixels of these values; the first may be the greater one.
    let first, last: Double
    /// Quantity and unit.
    let label: String
    /// In rising order.
    let ticks: [Tick]

    /// The pixel of a value.
    func pixel(_ value: Double) -> Double {
        first + (value - values.lowerBound) / (values.upperBound - values.lowerBound) * (last - first)
    }

    private init(
        _ values: ClosedRange<Double>, from first: Double, to last: Double, label: String, step: Double,
        unit: Double = 1
    ) {
        self.values = values
        self.first = first
        self.last = last
        self.label = label
        // A quotient that is not exactly whole belongs to its tick.
        let (low, high) = (values.lowerBound / step - 1e-6, values.upperBound / step + 1e-6)
        let numbers = Int(low.rounded(.up))...Int(high.rounded(.down))
        ticks = numbers.map { number in
            let value = Double(number) * step
            return Tick(value: value, label: SVGWriter.number(value / unit, decimals: 6))
        }
    }

    /// Time from 0, in seconds, minutes, hours or days.
    static func time(upTo end: Double, from first: Double, to last: Double) -> ChartAxis {
        // The smallest span has a width, and the largest one ticks that can be counted.
        let end = min(max(end, 0.001), 1e12)
        let (name, unit): (String, Double) =
            switch end {
            case ..<120: ("s", 1)
            case ..<7200: ("min", 60)
            case ..<172_800: ("h", 3600)
            default: ("days", 86_400)
            }
        let clock: [Double] = [
            15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
        ]
        let isClock = 60..<604_800 ~= end
        let step = isClock ? clock.first { end / $0 <= 10 } ?? 86_400 : roundStep(end / unit, atMost: 10) * unit
        return ChartAxis(0...end, from: first, to: last, label: "time (\(name))", step: step, unit: unit)
    }

    /// RSSI with whole tens of dBm at the ends, at least 20 dB apart.
    static func rssi(_ values: ClosedRange<Double>, from first: Double, to last: Double) -> ChartAxis {
        var low = (values.lowerBound / 10).rounded(.down) * 10
        var high = (values.upperBound / 10).rounded(.up) * 10
        if high == low { (low, high) = (low - 10, high + 10) }
        if high - low < 20 { low -= 10 }
        let step: Double = high - low > 100 ? 20 : high - low > 20 ? 10 : 5
        return ChartAxis(low...high, from: first, to: last, label: "RSSI (dBm)", step: step)
    }

    /// Metres.
    static func metres(_ values: ClosedRange<Double>, from first: Double, to last: Double, label: String) -> ChartAxis {
        let step = roundStep(values.upperBound - values.lowerBound, atMost: 8)
        return ChartAxis(values, from: first, to: last, label: label, step: step)
    }

    /// The axes of a map, seen from above: both have the same scale, and a margin around all places.
    static func square(
        around places: [Position], left: Double, top: Double, side: Double
    ) -> (x: ChartAxis, y: ChartAxis) {
        func range(_ coordinates: [Double]) -> (middle: Double, span: Double) {
            let (low, high) = (coordinates.min() ?? 0, coordinates.max() ?? 0)
            return ((low + high) / 2, high - low)
        }
        let (x, y) = (range(places.map(\.x)), range(places.map(\.y)))
        let half = max(x.span, y.span, 1) * 0.6
        return (
            .metres((x.middle - half)...(x.middle + half), from: left, to: left + side, label: "x (m)"),
            .metres((y.middle - half)...(y.middle + half), from: top + side, to: top, label: "y (m)")
        )
    }

    /// The smallest of 1, 2 and 5 times a power of ten that divides a span into at most `count` parts.
    private static func roundStep(_ span: Double, atMost count: Double) -> Double {
        var power = 1e-4
        while span / (power * 10) > count { power *= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { span / $0 <= count * 1.000001 } ?? power * 10
    }
}
