// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Space

/// The packets of other networks on the primary channels.
///
/// Time is divided into periods, each of which has one packet on each channel, at a random time in it. So a packet is found from the
/// time alone, and nothing is kept.
struct Interference: Sendable {
    /// The packets on one channel.
    private struct Channel {
        let period: AirTime
        let draws: Draws
    }

    /// 0 to 2 for 37 to 39; `nil` for a channel without packets.
    private let channels: [Channel?]
    /// The length of a packet.
    private let length: AirTime
    /// The RSSI in dBm that a packet needs to be received beside them.
    private let limit: Double

    /// - Parameter capture: how many dB a packet must be above them.
    init(_ model: Propagation.Interference, capture: Double, seed: UInt64) {
        let length = max(1, AirTime((model.burst * 1_000_000).rounded()))
        self.length = length
        limit = model.level + capture
        channels = model.shares.enumerated().map { index, share in
            guard share > 0 else { return nil }
            let period = max(length, AirTime((Double(length) / share).rounded()))
            return Channel(period: period, draws: Draws(seed: seed, "interference", "\(37 + index)"))
        }
    }

    /// Whether one of them overlaps a packet that is not strong enough.
    func covers(_ rssi: Double, on channel: Int, from start: AirTime, to end: AirTime) -> Bool {
        guard rssi < limit, channels.indices.contains(channel), let channel = channels[channel] else { return false }
        let first = Self.period(of: start - length, channel.period)
        let last = Self.period(of: end, channel.period)
        return (first...last).contains { number in
            let phase = channel.draws.upTo(channel.period - length, UInt64(bitPattern: number), 0)
            let begin = number * channel.period + phase
            return begin < end && begin + length > start
        }
    }

    /// The number of the period that contains a time; also before 0.
    private static func period(of time: AirTime, _ length: AirTime) -> AirTime {
        time >= 0 ? time / length : (time - length + 1) / length
    }
}
