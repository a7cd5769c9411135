// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How the RSSI of a packet depends on power, distance, obstacles, channel and chance, and whether a receiver decodes it.
///
/// By default there is only the log-distance model: no obstacle, no randomness, and every packet is received. The presets of
/// `environments` add what was measured in rooms of that kind (docs/physics.md).
package struct Propagation: Hashable, Sendable {
    /// How much the RSSI falls with distance: 10 times this many decibels for each tenfold distance. 2 in free space.
    package var exponent: Double
    /// The loss at one metre in dB.
    package var lossAtOneMetre: Double
    /// Obstacles that are not modelled one by one; `nil` for none.
    package var shadowing: Shadowing?
    /// The ratio of the direct path's power to the power of all reflections (Rice's K) in sight of each other; `nil` for no
    /// reflections. Behind a wall the ratio is 0.
    package var directPathRatio: Double?
    /// The standard deviation in dB of what differs from packet to packet: people, orientation, quantisation.
    package var packetDeviation: Double
    /// The RSSI in dBm at which one bit in 1,000 is wrong (Core 5.4, Vol 6, Part A, 4.1); `nil` if every packet is received.
    package var sensitivity: Double?
    /// How many dB the RSSI of a packet must be above the RSSI of each packet that overlaps it on its channel, so that
    /// the packet is received; `nil` if packets do not collide.
    package var capture: Double?
    /// The loss in dB through the body of a person who has a receiver in a pocket, from the side that the body faces away from.
    package var bodyLoss: Double
    /// The same for a person who has it in the hand.
    package var handLoss: Double
    /// Walls and other obstacles with a place.
    package var walls: [Wall]

    /// Shadowing: a loss of each pair of antennas that changes slowly while one of them moves.
    package struct Shadowing: Hashable, Sendable {
        /// The standard deviation in dB.
        package var deviation: Double
        /// The movement in metres after which the correlation is 1/e.
        package var distance: Double

        package init(deviation: Double, distance: Double) {
            self.deviation = deviation
            self.distance = distance
        }
    }

    /// A straight wall, seen from above.
    package struct Wall: Hashable, Sendable {
        /// The ends; `z` is not used.
        package var from, to: Position
        /// The loss of a path that crosses it, in dB.
        package var loss: Double

        package init(from: Position, to: Position, loss: Double) {
            self.from = from
            self.to = to
            self.loss = loss
        }
    }

    package init(
        exponent: Double = 2, lossAtOneMetre: Double = 59, shadowing: Shadowing? = nil, directPathRatio: Double? = nil,
        packetDeviation: Double = 0, sensitivity: Double? = nil, capture: Double? = nil, bodyLoss: Double = 9,
        handLoss: Double = 5.5, walls: [Wall] = []
    ) {
        self.exponent = exponent
        self.lossAtOneMetre = lossAtOneMetre
        self.shadowing = shadowing
        self.directPathRatio = directPathRatio
        self.packetDeviation = packetDeviation
        self.sensitivity = sensitivity
        self.capture = capture
        self.bodyLoss = bodyLoss
        self.handLoss = handLoss
        self.walls = walls
    }

    /// The presets by name. The exponents are from published measurements in such rooms; the other parameters reproduce
    /// recordings of moving and resting devices (see docs/physics.md).
    package static let environments: [(name: String, propagation: Propagation)] = [
        ("free", room(exponent: 2, directPathRatio: nil, bodyLoss: 19)),
        ("hall", room(exponent: 1.6)),
        ("office", room(exponent: 1.9)),
        ("home", room(exponent: 2.4)),
        ("obstructed", room(exponent: 3, directPathRatio: 0)),
    ]

    private static func room(
        exponent: Double, directPathRatio: Double? = 4, bodyLoss: Double = 9
    ) -> Propagation {
        Propagation(
            exponent: exponent, shadowing: Shadowing(deviation: 2.7, distance: 0.75), directPathRatio: directPathRatio,
            packetDeviation: 3.2, sensitivity: -95, capture: 8, bodyLoss: bodyLoss)
    }

    /// Whether two packets over the same path have the same RSSI, and all packets are received.
    package var isDeterministic: Bool {
        shadowing == nil && directPathRatio == nil && packetDeviation == 0 && sensitivity == nil && capture == nil
    }
}

// MARK: - Loss

extension Propagation {
    /// Minimum distance in metres: closer to the antenna the model would have no loss, then a gain.
    package static let nearest = 0.01

    /// The loss over a distance in metres, in dB.
    package func loss(overMetres distance: Double) -> Double {
        guard distance.isFinite else { return .infinity }
        return lossAtOneMetre + 10 * exponent * log10(max(distance, Self.nearest))
    }

    /// Whether something between two places may take from a signal.
    package var hasObstacles: Bool { !walls.isEmpty }

    /// Whether a loss between two places is a gain, so that the range of a transmitter has no bound.
    package var hasGains: Bool { bodyLoss < 0 || handLoss < 0 || walls.contains { $0.loss < 0 } }

    /// The loss in dB of what is between two places.
    package func obstacleLoss(from: Position, to: Position) -> Double {
        var loss = 0.0
        for wall in walls where wall.crosses(from, to) { loss += wall.loss }
        return loss
    }

    /// The probability that a receiver decodes a packet.
    /// - Parameters:
    ///   - rssi: in dBm, before rounding.
    ///   - bits: the length of the packet with preamble, address and check sum.
    ///
    /// The bit error rate of noncoherent detection, 0.5·exp(-c·SNR), with c such that it is 0.001 at the sensitivity.
    package func receptionProbability(rssi: Double, bits: Int) -> Double {
        guard let sensitivity else { return 1 }
        let bitErrors = 0.5 * exp(-log(500) * pow(10, (rssi - sensitivity) / 10))
        return pow(1 - bitErrors, Double(bits))
    }
}

extension Propagation.Wall {
    /// Whether the wall and the straight line between two places cross, seen from above.
    func crosses(_ start: Position, _ end: Position) -> Bool {
        guard side(start.x, start.y) * side(end.x, end.y) < 0 else { return false }
        let path = Propagation.Wall(from: start, to: end, loss: 0)
        return path.side(from.x, from.y) * path.side(to.x, to.y) <= 0
    }

    /// Positive on one side of the line through the wall, negative on the other.
    private func side(_ x: Double, _ y: Double) -> Double {
        (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x)
    }
}
