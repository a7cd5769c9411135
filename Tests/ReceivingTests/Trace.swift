// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import TestSupport

/// The receptions of one beacon, as they might be recorded.
struct Trace: Sendable {
    /// One received advertisement.
    struct Sample: Sendable {
        let time: Duration
        let beacon: IBeacon
        let rssi: RSSI?
    }

    var samples: [Sample]

    /// RSSI values, one for each interval: `-59`, `?` for an unknown one, `.` for a lost advertisement.
    static func recorded(
        _ text: String, of beacon: IBeacon = .sample(), every interval: Duration = .milliseconds(100),
        from start: Duration = .zero
    ) -> Trace {
        let strengths = text.split(whereSeparator: \.isWhitespace)
        let samples: [Sample?] = strengths.enumerated().map { index, text in
            guard text != "." else { return nil }
            return Sample(time: start + interval * index, beacon: beacon, rssi: Int8(text).map { RSSI($0) })
        }
        return Trace(samples: samples.compactMap(\.self))
    }

    /// A beacon that does not move, from `start` up to, not including, `end`.
    static func steady(
        _ rssi: Int8, of beacon: IBeacon = .sample(), every interval: Duration = .milliseconds(100),
        from start: Duration = .zero, to end: Duration
    ) -> Trace {
        moving(of: beacon, every: interval, from: start, to: end) { _ in Double(rssi) }
    }

    /// A beacon whose RSSI changes with the time since `start`, with noise of this deviation in dB, and this number of
    /// lost advertisements in 1,000.
    static func moving(
        of beacon: IBeacon = .sample(), every interval: Duration = .milliseconds(100), from start: Duration = .zero,
        to end: Duration, noise: Double = 0, lostPerMille: UInt64 = 0, seed: UInt64 = 1, _ strength: (Double) -> Double
    ) -> Trace {
        var generator = SplitMix64(seed: seed)
        var samples: [Sample] = []
        var time = start
        while time < end {
            let deviation = noise * noiseSample(&generator)
            let isReceived = generator.next() % 1000 >= lostPerMille
            if isReceived {
                let level = strength((time - start) / .seconds(1)) + deviation
                let rssi = RSSI(Int8(min(max(level.rounded(), -127), 20)))
                samples.append(Sample(time: time, beacon: beacon, rssi: rssi))
            }
            time += interval
        }
        return Trace(samples: samples)
    }

    /// Approximately normal with deviation 1: the sum of twelve uniform numbers less its mean.
    private static func noiseSample(_ generator: inout SplitMix64) -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double(generator.next() >> 11) / Double(UInt64(1) << 53) }
    }

    /// The receptions of both traces, sorted by time.
    static func + (left: Trace, right: Trace) -> Trace {
        var merged = left.samples + right.samples
        let order = merged.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        merged = order.map(\.element)
        return Trace(samples: merged)
    }

    static let nothing = Trace(samples: [])
}

extension IBeacon {
    /// A beacon of the museum.
    static func sample(
        _ major: UInt16 = 1, _ minor: UInt16 = 1, uuid: UUID128 = .museum, power: Int8 = -59
    ) -> IBeacon {
        IBeacon(uuid: uuid, major: major, minor: minor, measuredPower: MeasuredPower(power))
    }
}

extension ReceivedBeacon {
    /// A beacon of the museum, as a receiver finds it.
    static func sample(
        _ major: UInt16 = 1, _ minor: UInt16 = 1, uuid: UUID128 = .museum, power: Int8 = -59
    ) -> ReceivedBeacon {
        ReceivedBeacon(IBeacon.sample(major, minor, uuid: uuid, power: power))
    }
}

extension UUID128 {
    static let museum = UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    static let shop = UUID128("2173E519-9155-4862-AB64-7953AB146156")
    private static var zero: UUID128 { fatalError("a UUID of the tests is invalid") }
}

extension BeaconRegion {
    /// A region of the museum.
    static func museum(_ identifier: String = "museum", _ major: UInt16? = nil, _ minor: UInt16? = nil) -> BeaconRegion
    {
        BeaconRegion(identifier: identifier, uuid: .museum, major: major, minor: minor)
    }
}

extension Duration {
    /// In seconds with three decimals, as in the tables.
    var text: String {
        let milliseconds = Int((self / .milliseconds(1)).rounded())
        return "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
    }
}
