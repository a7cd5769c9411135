// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import Space

/// Random effects on the RSSI between two antennas: shadowing, fading of each primary channel, and the noise of each packet.
///
/// All of it is a function of the seed, the places of both ends, their headings, and the number of the packet; fading and noise
/// also of the names of both ends. Nothing is remembered, so a packet that is not looked at changes no other, and an antenna that
/// returns to a place finds the same shadowing there. It is the same in both directions.
///
/// Shadowing belongs to places: space is divided into cells, the same for all antennas, and the value is constant while both ends
/// stay in their cells and within a quarter of a turn, and independent between cells. It is the sum of two parts with cells of two
/// sizes, such that its correlation falls nearly exponentially with the movement along an axis. The cells of fading have half a
/// wavelength, and each antenna has its own.
struct Fading: Sendable {
    /// The movement in metres after which the reflections add up differently: half a wavelength at 2.4 GHz.
    static let coherenceDistance = 0.06

    private enum Purpose {
        static let shadow: UInt64 = 0x5D58_6B3A_9C4F_1E27
        static let fade: UInt64 = 0x2545_F491_4F6C_DD1D
        static let packet: UInt64 = 0xD6E8_FEB8_6659_FD93
    }

    /// The parts of shadowing: 0.513·max(0, 1 - Δ/0.917) + 0.487·max(0, 1 - Δ/3.055) differs from exp(-Δ) by 0.06 at most.
    private static let parts = (
        fine: (side: 0.917, deviation: 0.513.squareRoot()), coarse: (side: 3.055, deviation: 0.487.squareRoot())
    )
    /// The number of sectors of headings in which shadowing, and fading, are constant.
    private static let shadowSectors = 4.0, fadeSectors = 12.0

    /// What the random numbers of an antenna are drawn from.
    struct Antenna: Sendable {
        /// Of its name and the seed.
        let key: UInt64
        /// Of the cells of shadowing that it is in, the fine one in the lower half; without a place, of its name.
        fileprivate(set) var shadowPlace: UInt64
        /// Of the cell of fading that it is in, and of its name.
        fileprivate(set) var fadePlace: UInt64

        /// An antenna without a place.
        init(key: UInt64) {
            self.key = key
            shadowPlace = Draws.mixed(key ^ Purpose.shadow)
            fadePlace = Draws.mixed(key ^ Purpose.fade)
        }
    }

    private let shadowDeviation: Double
    private let fineDeviation: Double, coarseDeviation: Double
    private let fineSide: Double, coarseSide: Double
    /// What the cells of shadowing are drawn from.
    private let fineKey: UInt64, coarseKey: UInt64
    private let packetDeviation: Double
    private let hasFades: Bool, hasObstacles: Bool
    private let directPathRatio: Double
    private let inSight: RiceQuantiles, outOfSight: RiceQuantiles
    private let normals = NormalQuantiles()
    let logarithm = NaturalLogarithm()

    init(_ propagation: Propagation, seed: UInt64 = 0) {
        let shadowing = propagation.pathShadowing
        shadowDeviation = shadowing?.deviation ?? 0
        fineDeviation = shadowDeviation * Self.parts.fine.deviation
        coarseDeviation = shadowDeviation * Self.parts.coarse.deviation
        fineSide = max(Self.parts.fine.side * (shadowing?.distance ?? 0), 1e-3)
        coarseSide = max(Self.parts.coarse.side * (shadowing?.distance ?? 0), 1e-3)
        let draws = Draws(seed: seed, "shadowing")
        (fineKey, coarseKey) = (draws.bits(0, 0), draws.bits(1, 0))
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

    /// Moves and turns an antenna.
    /// - Parameter heading: in degrees; `nil` for one that has the same properties in all directions.
    func move(_ antenna: inout Antenna, to place: Position, heading: Double?) {
        let turn = heading.map { heading in
            let turns = heading / 360
            return turns.isFinite ? turns - turns.rounded(.down) : 0
        }
        if shadowDeviation > 0 {
            var fine = Self.cell(of: place, side: fineSide, fineKey)
            var coarse = Self.cell(of: place, side: coarseSide, coarseKey)
            if let turn {
                fine = Self.sector(of: turn, Self.shadowSectors, fine)
                coarse = Self.sector(of: turn, Self.shadowSectors, coarse)
            }
            antenna.shadowPlace = coarse << 32 | fine >> 32
        }
        if hasFades {
            let cell = Self.cell(of: place, side: Self.coherenceDistance, antenna.key ^ Purpose.fade)
            antenna.fadePlace = turn.map { Self.sector(of: $0, Self.fadeSectors, cell) } ?? cell
        }
    }

    /// A number of the cell of a place, by a key.
    private static func cell(of place: Position, side: Double, _ key: UInt64) -> UInt64 {
        // The first cell begins anywhere. A place that is not finite has a cell as well.
        let offset = Double(key >> 11) * 0x1p-53
        var bits = Draws.mixed(key ^ (place.x / side + offset).rounded(.down).bitPattern)
        bits = Draws.mixed(bits ^ (place.y / side + offset).rounded(.down).bitPattern)
        return Draws.mixed(bits ^ (place.z / side + offset).rounded(.down).bitPattern)
    }

    /// A number of the sector of a heading in a cell.
    /// - Parameter turn: the heading, 0 to 1.
    @inline(__always)
    private static func sector(of turn: Double, _ count: Double, _ cell: UInt64) -> UInt64 {
        // The first sector begins anywhere.
        let sector = (turn * count + Double(cell >> 11) * 0x1p-53).rounded(.down)
        return Draws.mixed(cell ^ (sector < count ? sector : sector - count).bitPattern)
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
            // The sum of both ends: with an exclusive or, ends in the same cell would have the same shadowing everywhere.
            let fine = Draws.mixed(
                (one.shadowPlace & 0xFFFF_FFFF) &+ (other.shadowPlace & 0xFFFF_FFFF) ^ Purpose.shadow)
            let coarse = Draws.mixed((one.shadowPlace >> 32) &+ (other.shadowPlace >> 32) ^ coarseKey)
            gain += fineDeviation * normals.number(UInt32(truncatingIfNeeded: fine >> 32))
            gain += coarseDeviation * normals.number(UInt32(truncatingIfNeeded: coarse >> 32))
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
