// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import Space

/// Which packets a receiver decodes, and from which mean RSSI on it may decode any.
struct PacketReception: Sendable {
    /// A packet that a receiver decodes with at most this probability, with all that chance may add to its mean RSSI, is out
    /// of range: it is lost, and nothing is drawn for it.
    static let negligibleProbability = 1e-6
    /// The bits of the shortest packet on a primary channel: a legacy PDU without data.
    private static let shortestPacket = 128
    /// The bits of the longest one: a legacy PDU with 31 bytes.
    private static let longestPacket = 376
    /// From this many dB above the sensitivity on, all packets are decoded; below the sensitivity by more than the second,
    /// none: their probabilities differ from 1 and from 0 by less than 1e-15.
    private static let certain = 8.0, impossible = -10.0
    private static let stepCount = 64
    /// The lowest RSSI in dB above the sensitivity with which the shortest packet is decoded, by its random number in steps.
    private static let thresholds = ConstantTable(
        (0..<stepCount).map { step in
            lowest(from: impossible, to: certain) {
                probability($0, bits: shortestPacket) > Double(step) / Double(stepCount)
            }
        })
    /// The RSSI in dB above the sensitivity above which the longest packet is decoded, in the same steps.
    private static let certainThresholds = ConstantTable(
        (1...stepCount).map { step in
            guard step < stepCount else { return certain }
            // A little above the lowest one, which is found to 0.3 mdB.
            return 0.001
                + lowest(from: impossible, to: certain) {
                    probability($0, bits: longestPacket) >= Double(step) / Double(stepCount)
                }
        })

    /// What follows from chance alone, without the sensitivity of a receiver.
    struct Bounds: Sendable {
        /// The mean RSSI in dB above the sensitivity below which a packet is out of range.
        let lowestExcess: Double
        /// Chance adds more than this many dB to a packet with a negligible probability.
        let maximumGain: Double

        init(_ fading: Fading) {
            let gains = fading.boundedGains().sorted { $0.gain > $1.gain }
            var rest = negligibleProbability
            maximumGain =
                gains.first { gain in
                    rest -= gain.probability
                    return rest < 0
                }?.gain ?? 0
            lowestExcess = lowest(from: impossible - maximumGain - 1, to: certain) { mean in
                var sum = 0.0
                for gain in gains {
                    let each = probability(mean + gain.gain, bits: shortestPacket)
                    if each == 0 { break }
                    sum += gain.probability * each
                }
                return sum > negligibleProbability
            }
        }

        fileprivate init() { (lowestExcess, maximumGain) = (-.infinity, 0) }
    }

    /// The mean RSSI in dBm below which a packet is out of range; -∞ without a sensitivity.
    let minimumMean: Double
    /// The bounds of the model; without meaning where it has no sensitivity.
    let bounds: Bounds
    private let thresholds = Self.thresholds
    private let certainThresholds = Self.certainThresholds

    init(_ propagation: Propagation, _ fading: Fading) {
        guard let sensitivity = propagation.sensitivity else {
            bounds = Bounds()
            minimumMean = -.infinity
            return
        }
        bounds = Bounds(fading)
        minimumMean = sensitivity + bounds.lowestExcess
    }

    /// The RSSI in dB above the sensitivity below which no packet is decoded; most packets that are too weak need no more than
    /// this (hot path).
    /// - Parameter draw: a random number from 0 up to but excluding 1.
    @inline(__always)
    func threshold(draw: Double) -> Double { thresholds[Int(draw * Double(Self.stepCount))] }

    /// Whether a packet above the threshold is decoded.
    /// - Parameter excess: its RSSI in dB above the sensitivity.
    @inline(__always)
    func decodes(excess: Double, bits: Int, draw: Double) -> Bool {
        if bits <= Self.longestPacket, excess > certainThresholds[Int(draw * Double(Self.stepCount))] { return true }
        return draw < Self.probability(excess, bits: bits)
    }

    /// The probability that a packet is decoded.
    /// - Parameter excess: its RSSI in dB above the sensitivity.
    @inline(never)
    private static func probability(_ excess: Double, bits: Int) -> Double {
        if excess < impossible { return 0 }
        if excess > certain { return 1 }
        return Propagation(sensitivity: 0).receptionProbability(rssi: excess, bits: bits)
    }

    /// The end of an interval where a condition that holds from some number on does not hold yet.
    private static func lowest(from low: Double, to high: Double, where isHigh: (Double) -> Bool) -> Double {
        var (low, high) = (low, high)
        for _ in 0..<16 {
            let middle = (low + high) / 2
            if isHigh(middle) { high = middle } else { low = middle }
        }
        return low
    }
}
