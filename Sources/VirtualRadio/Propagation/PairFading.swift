// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Glibc

/// What chance adds to the RSSI between two antennas: shadowing, fading of each primary channel, and the noise of each packet.
///
/// All of it is the same in both directions. It exists for pairs between which packets are received only, and it changes with
/// the movement of either end: while both rest, shadowing and fading are constant.
struct PairFading: Sendable {
    /// The movement in metres after which the reflections add up differently: half a wavelength at 2.4 GHz.
    static let coherenceDistance = 0.06

    private enum Purpose {
        static let shadow: UInt64 = 0
        static let packet: UInt64 = 1
        static let reception: UInt64 = 2
        static let fade: UInt64 = 8
    }

    private let draws: Draws
    /// In dB.
    private var shadow: Double
    /// In dB, of channels 37, 38 and 39.
    private var fades: (Double, Double, Double)
    /// The places at the last packet.
    private var first: Position, second: Position
    /// The movement in metres since the fades were drawn.
    private var movement = 0.0
    private var shadowCount: UInt64 = 0
    private var fadeCount: UInt64 = 0
    private(set) var packetCount: UInt64 = 0
    private(set) var lostCount: UInt64 = 0
    /// The RSSI of the last packet that was received, in dBm.
    private(set) var lastRSSI: Double?

    /// The fading between two antennas at their present places, which are given in the same order from then on.
    init(_ propagation: Propagation, _ draws: Draws, _ first: Position, _ second: Position) {
        self.draws = draws
        self.first = first
        self.second = second
        shadow = (propagation.shadowing?.deviation ?? 0) * draws.normals(0, Purpose.shadow).0
        fades = (0, 0, 0)
        drawFades(propagation, isInSight: true)
    }

    /// A number for the next packet.
    var nextNumber: UInt64 { packetCount + 1 }

    /// The gain of a packet in dB, negative for a loss.
    /// - Parameters:
    ///   - number: selects the packet's random numbers.
    ///   - channel: 37, 38 or 39 as 0, 1 or 2; a packet on another channel has the fade of one of them.
    ///   - isInSight: whether no wall is between the antennas.
    mutating func gain(
        _ propagation: Propagation, packet number: UInt64, channel: Int, isInSight: Bool, from: Position, to: Position
    ) -> Double {
        move(propagation, isInSight: isInSight, from, to)
        var gain = shadow
        switch channel {
        case 0: gain += fades.0
        case 1: gain += fades.1
        default: gain += fades.2
        }
        if propagation.packetDeviation > 0 {
            gain += propagation.packetDeviation * draws.normals(number, Purpose.packet).0
        }
        return gain
    }

    /// Whether a packet is received, which is counted.
    /// - Parameters:
    ///   - number: as for its gain.
    ///   - bits: the length of the packet; `nil` for a packet that is not lost.
    ///   - isLost: whether it is lost for another reason than its RSSI.
    mutating func receives(
        _ propagation: Propagation, packet number: UInt64, rssi: Double, bits: Int?, isLost: Bool = false
    ) -> Bool {
        packetCount += 1
        let probability = bits.map { propagation.receptionProbability(rssi: rssi, bits: $0) } ?? 1
        guard !isLost, probability >= 1 || draws.unit(number, Purpose.reception) < probability else {
            lostCount += 1
            return false
        }
        lastRSSI = rssi
        return true
    }

    private mutating func move(_ propagation: Propagation, isInSight: Bool, _ from: Position, _ to: Position) {
        let distance = first.distance(to: from) + second.distance(to: to)
        guard distance > 0 else { return }
        (first, second) = (from, to)
        if let shadowing = propagation.shadowing {
            let correlation = exp(-distance / shadowing.distance)
            shadowCount += 1
            shadow =
                correlation * shadow + (1 - correlation * correlation).squareRoot() * shadowing.deviation
                * draws.normals(shadowCount, Purpose.shadow).0
        }
        movement += distance
        if movement >= Self.coherenceDistance { drawFades(propagation, isInSight: isInSight) }
    }

    /// Draws the fades of all channels, which are further apart than the coherence bandwidth of a room.
    private mutating func drawFades(_ propagation: Propagation, isInSight: Bool) {
        movement = 0
        guard let ratio = propagation.directPathRatio else { return }
        fadeCount += 1
        fades = (fade(0, ratio, isInSight), fade(1, ratio, isInSight), fade(2, ratio, isInSight))
    }

    /// The power of a direct path of amplitude √(K/(K+1)) and of reflections, in dB (Rice, 1944).
    private func fade(_ channel: UInt64, _ ratio: Double, _ isInSight: Bool) -> Double {
        let ratio = isInSight ? ratio : 0
        let (real, imaginary) = draws.normals(fadeCount, Purpose.fade + channel)
        let scale = (1 / (2 * (ratio + 1))).squareRoot()
        let direct = (ratio / (ratio + 1)).squareRoot()
        let power = (direct + scale * real) * (direct + scale * real) + scale * imaginary * scale * imaginary
        return 10 * log10(max(power, 1e-9))
    }
}
