// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import Space

/// Random effects on the RSSI between two antennas: shadowing, fading of each primary channel, and the noise of each packet.
///
/// All of it is a function of the seed, the names of both ends, their places, and the number of the packet: nothing is
/// remembered, so a packet that is not looked at changes no other, and an antenna that returns to a place finds the same
/// shadowing there. It is the same in both directions.
///
/// Each end divides space into cells of its own. Shadowing and fades are constant while both ends stay in their cells, and
/// independent between cells. The cells of fading have half a wavelength; the cells of shadowing have a random size for
/// each end, such that over all pairs its correlation falls exponentially with the movement along an axis.
struct Fading: Sendable {
    /// The movement in metres after which the reflections add up differently: half a wavelength at 2.4 GHz.
    static let coherenceDistance = 0.06

    private enum Purpose {
        static let shadow: UInt64 = 0x5D58_6B3A_9C4F_1E27
        static let fade: UInt64 = 0x2545_F491_4F6C_DD1D
        static let packet: UInt64 = 0xD6E8_FEB8_6659_FD93
    }

    /// What the random numbers of an antenna are drawn from.
    struct Antenna: Sendable {
        /// Of its name and the seed.
        let key: UInt64
        /// Of the cells that it is in; without a place, of its name as well.
        fileprivate(set) var shadowPlace: UInt64, fadePlace: UInt64

        /// An antenna without a place.
        init(key: UInt64) {
            self.key = key
            shadowPlace = Draws.mixed(key ^ Purpose.shadow)
            fadePlace = Draws.mixed(key ^ Purpose.fade)
        }
    }

    private let shadowDeviation: Double
    private let shadowDistance: Double
    private let packetDeviation: Double
    private let hasFades: Bool, hasObstacles: Bool
    private let directPathRatio: Double
    private let inSight: RiceQuantiles, outOfSight: RiceQuantiles
    private let normals = NormalQuantiles()
    let logarithm = NaturalLogarithm()

    init(_ propagation: Propagation) {
        shadowDeviation = propagation.shadowing?.deviation ?? 0
        shadowDistance = propagation.shadowing?.distance ?? 0
        packetDeviation = propagation.packetDeviation
        hasFades = propagation.directPathRatio != nil
        hasObstacles = propagation.hasObstacles
        directPathRatio = propagation.directPathRatio ?? 0
        inSight = .quantiles(ratio: directPathRatio)
        outOfSight = .quantiles(ratio: 0)
    }

    // MARK: - Antennas

    /// An antenna without a place.
    func antenna(_ draws: Draws) -> Antenna { Antenna(key: draws.bits(0, 0)) }

    /// The side of the cells of shadowing of an antenna in metres.
    func shadowSide(_ draws: Draws) -> Double {
        // A gamma distribution of shape 2: then the mean of max(0, 1 - Δ/side), the probability that a movement by Δ along an
        // axis ends in the same cell, is exp(-Δ/distance).
        max(-shadowDistance * log((draws.unit(1, 0) + 0x1p-53) * (draws.unit(2, 0) + 0x1p-53)), 1e-3)
    }

    /// Moves an antenna.
    func move(_ antenna: inout Antenna, shadowSide: Double, to place: Position) {
        if shadowDeviation > 0 {
            antenna.shadowPlace = Self.cell(of: place, side: shadowSide, antenna.key ^ Purpose.shadow)
        }
        if hasFades {
            antenna.fadePlace = Self.cell(of: place, side: Self.coherenceDistance, antenna.key ^ Purpose.fade)
        }
    }

    /// A number of the cell of a place, by the key of its antenna.
    private static func cell(of place: Position, side: Double, _ key: UInt64) -> UInt64 {
        // The first cell begins anywhere. A place that is not finite has a cell as well.
        let offset = Double(key >> 11) * 0x1p-53
        var bits = Draws.mixed(key ^ (place.x / side + offset).rounded(.down).bitPattern)
        bits = Draws.mixed(bits ^ (place.y / side + offset).rounded(.down).bitPattern)
        return Draws.mixed(bits ^ (place.z / side + offset).rounded(.down).bitPattern)
    }

    // MARK: - Packets

    /// The random bits of a packet on the path between two antennas: half of them for its noise, half for its reception.
    /// - Parameter number: distinguishes the packets of a pair.
    @inline(__always)
    func bits(_ one: Antenna, _ other: Antenna, number: UInt64) -> UInt64 {
        Draws.mixed((one.key ^ other.key) &+ number &* Purpose.packet)
    }

    /// A number from 0 up to but excluding 1: a packet with these bits is decoded if its probability is above it.
    @inline(__always)
    func reception(_ bits: UInt64) -> Double { Double(UInt32(truncatingIfNeeded: bits)) * 0x1p-32 }

    /// The gain of a packet in dB, negative for a loss; any lower number for a gain below `least`.
    /// - Parameters:
    ///   - bits: the random bits of the packet.
    ///   - packetDeviation: the standard deviation in dB of what differs from packet to packet, of the receiver.
    ///   - channel: 37, 38 or 39 as 0, 1 or 2; a packet on another channel has the fade of one of them.
    ///   - isInSight: whether no wall is between the antennas.
    @inline(__always)
    func gain(
        _ one: Antenna, _ other: Antenna, bits: UInt64, packetDeviation: Double, channel: Int, isInSight: Bool,
        least: Double
    ) -> Double {
        var gain = 0.0
        if packetDeviation > 0 { gain += packetDeviation * normals.number(UInt32(truncatingIfNeeded: bits >> 32)) }
        if shadowDeviation > 0 {
            let bits = Draws.mixed(one.shadowPlace ^ other.shadowPlace)
            gain += shadowDeviation * normals.number(UInt32(truncatingIfNeeded: bits >> 32))
        }
        guard hasFades else { return gain }
        let fades = isInSight ? inSight : outOfSight
        guard gain + fades.highest >= least else { return -.infinity }
        let fadeBits = Draws.mixed((one.fadePlace ^ other.fadePlace) &+ UInt64(truncatingIfNeeded: channel))
        return gain + fades.power(UInt32(truncatingIfNeeded: fadeBits >> 32))
    }

    // MARK: - Bounds

    /// An upper bound of the distribution of the gain in dB: values with their probabilities, in steps of about 0.5 dB. The
    /// fade of each value assumes reflections in the phase of the direct path.
    func boundedGains() -> [(gain: Double, probability: Double)] {
        let deviation = (shadowDeviation * shadowDeviation + packetDeviation * packetDeviation).squareRoot()
        let steps = deviation > 0 ? 64 : 1
        var gains: [(gain: Double, probability: Double)] = []
        let ratios = hasObstacles ? [directPathRatio, 0] : [directPathRatio]
        for step in 0..<steps {
            // From -8 to 8 standard deviations; the gain of a step is the gain at its upper end.
            let (low, high) = (Double(step) / 4 - 8, Double(step + 1) / 4 - 8)
            let probability =
                deviation > 0 ? NormalQuantiles.probability(above: low) - NormalQuantiles.probability(above: high) : 1
            let gain = deviation > 0 ? deviation * high : 0
            guard hasFades else {
                gains.append((gain, probability))
                continue
            }
            for ring in 0..<32 {
                // The amplitude of the reflections has a Rayleigh distribution.
                let (inner, outer) = (Double(ring) / 4, Double(ring + 1) / 4)
                let share = exp(-inner * inner / 2) - exp(-outer * outer / 2)
                let amplitude = ratios.map { RiceQuantiles.amplitude(ratio: $0, reflections: outer) }.max() ?? 1
                gains.append((gain + 20 * log10(amplitude), probability * share))
            }
        }
        return gains
    }
}
