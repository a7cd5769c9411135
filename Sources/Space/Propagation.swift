// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How the RSSI of a packet depends on power, distance, obstacles, channel and chance, and whether a receiver decodes it.
///
/// By default there is only the log-distance model: no obstacle, no randomness, and every packet is received. The presets of
/// `environments` add what was measured in rooms of that kind (docs/physics.md).
package struct Propagation: Hashable, Sendable {
    /// How much the RSSI falls with distance: 10 times this many decibels for each tenfold distance. 2 in free space. Where walls
    /// have places, `openSpace` has precedence.
    package private(set) var exponent: Double
    /// The loss in dB for each metre beyond the first, through furniture and people that are not modelled one by one.
    package var clutter: Double
    /// The loss at one metre in dB.
    package var lossAtOneMetre: Double
    /// Obstacles that are not modelled one by one; `nil` for none. Where walls have places, `openSpace` has precedence.
    package private(set) var shadowing: Shadowing?
    /// What exponent and shadowing are between walls that have places; `nil` if they are the same with walls and without.
    package var openSpace: OpenSpace?
    /// The ratio of the direct path's power to the power of all reflections (Rice's K) in sight of each other; `nil` for no
    /// reflections. Behind a wall the ratio is 0.
    package var directPathRatio: Double?
    /// The standard deviation in dB of what differs from packet to packet: people, orientation, quantisation.
    package var packetDeviation: Double
    /// The standard deviation in dB of the gain of a receiver's antenna over all directions; 0 for isotropic antennas.
    package var antennaDeviation: Double
    /// The RSSI in dBm at which one bit in 1,000 is wrong (Core 5.4, Vol 6, Part A, 4.1); `nil` if every packet is received.
    package var sensitivity: Double?
    /// How many dB the RSSI of a packet must be above the RSSI of each packet that overlaps it on its channel, so that
    /// the packet is received; `nil` if packets do not collide.
    package var capture: Double?
    /// The packets of other networks; `nil` for none.
    package var interference: Interference?
    /// The loss in dB through the body of a person who has a receiver in a pocket, from the side that the body faces away from.
    package var bodyLoss: Double
    /// The same for a person who has it in the hand.
    package var handLoss: Double
    /// Walls and other obstacles with a place.
    package var walls: [Wall]
    /// The slabs between floors.
    package var slabs: [Slab]

    /// Shadowing: a loss between two places that changes slowly while one of the antennas moves or turns.
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

    /// What remains of exponent and shadowing where the walls have places of their own.
    package struct OpenSpace: Hashable, Sendable {
        /// The path-loss exponent.
        package var exponent: Double
        /// The standard deviation of the shadowing in dB.
        package var deviation: Double

        package init(exponent: Double, deviation: Double) {
            self.exponent = exponent
            self.deviation = deviation
        }
    }

    /// Packets of other networks on the advertising channels, such as those of Wi-Fi, which come at random times.
    package struct Interference: Hashable, Sendable {
        /// The shares of the time in which they are on 37, 38 and 39: three numbers from 0 to 1.
        package var shares: [Double]
        /// The length of a packet in seconds.
        package var burst: Double
        /// Their power within a channel at every receiver, in dBm.
        package var level: Double

        package init(shares: [Double], burst: Double, level: Double) {
            self.shares = shares
            self.burst = burst
            self.level = level
        }
    }

    /// A straight wall between two heights.
    package struct Wall: Hashable, Sendable {
        /// The ends; `z` is not used.
        package var from, to: Position
        /// The loss of a path that crosses it, in dB.
        package var loss: Double
        /// The heights at which it begins and ends, in metres: it has its bottom and not its top. Infinite for a wall at every height.
        package var bottom, top: Double

        package init(
            from: Position, to: Position, loss: Double, bottom: Double = -.infinity, top: Double = .infinity
        ) {
            self.from = from
            self.to = to
            self.loss = loss
            self.bottom = bottom
            self.top = top
        }
    }

    /// A slab at a height, without bounds to the sides.
    package struct Slab: Hashable, Sendable {
        /// In metres. What is at this height is above it.
        package var height: Double
        /// The loss of a path that crosses it, in dB.
        package var loss: Double

        package init(height: Double, loss: Double) {
            self.height = height
            self.loss = loss
        }
    }

    package init(
        exponent: Double = 2, clutter: Double = 0, lossAtOneMetre: Double = 59, shadowing: Shadowing? = nil,
        openSpace: OpenSpace? = nil, directPathRatio: Double? = nil, packetDeviation: Double = 0,
        antennaDeviation: Double = 0, sensitivity: Double? = nil, capture: Double? = nil, bodyLoss: Double = 9,
        handLoss: Double = 5.5, interference: Interference? = nil, walls: [Wall] = [], slabs: [Slab] = []
    ) {
        self.exponent = exponent
        self.clutter = clutter
        self.lossAtOneMetre = lossAtOneMetre
        self.shadowing = shadowing
        self.openSpace = openSpace
        self.directPathRatio = directPathRatio
        self.packetDeviation = packetDeviation
        self.antennaDeviation = antennaDeviation
        self.sensitivity = sensitivity
        self.capture = capture
        self.bodyLoss = bodyLoss
        self.handLoss = handLoss
        self.interference = interference
        self.walls = walls
        self.slabs = slabs
    }

    /// The presets by name. Exponents and shadowing reproduce published measurements and recordings in such rooms, and the other
    /// parameters recordings of moving and resting devices (see docs/physics.md).
    package static let environments: [(name: String, propagation: Propagation)] = [
        ("free", room(exponent: 2, shadowing: 2.7, directPathRatio: nil, bodyLoss: 19)),
        ("hall", room(exponent: 1.6, shadowing: 2.6, distance: 0.75, antenna: 1)),
        ("office", room(exponent: 1.6, clutter: 0.4, shadowing: 3.5)),
        ("home", room(exponent: 2.7, shadowing: 5, openSpace: OpenSpace(exponent: 1.4, deviation: 3.7))),
        (
            "obstructed",
            room(exponent: 3, shadowing: 4, openSpace: OpenSpace(exponent: 2, deviation: 3.7), directPathRatio: 0)
        ),
    ]

    private static func room(
        exponent: Double, clutter: Double = 0, shadowing: Double, distance: Double = 0.9, openSpace: OpenSpace? = nil,
        directPathRatio: Double? = 4, antenna: Double = 2, bodyLoss: Double = 9
    ) -> Propagation {
        Propagation(
            exponent: exponent, clutter: clutter, shadowing: Shadowing(deviation: shadowing, distance: distance),
            openSpace: openSpace, directPathRatio: directPathRatio, packetDeviation: 3.2, antennaDeviation: antenna,
            sensitivity: -95, capture: 8, bodyLoss: bodyLoss)
    }

    /// The name of the preset with these values, `off` for the model without chance; `nil` if there is none.
    package var presetName: String? {
        self == Propagation() ? "off" : Self.environments.first { $0.propagation == self }?.name
    }

    /// Whether two packets over the same path have the same RSSI, and all packets are received.
    package var isDeterministic: Bool {
        shadowing == nil && directPathRatio == nil && packetDeviation == 0 && antennaDeviation == 0
            && sensitivity == nil && capture == nil && interference == nil
    }
}

// MARK: - Walls

extension Propagation {
    /// The exponent of the path between two places, apart from walls that have places.
    package var pathExponent: Double { walls.isEmpty ? exponent : openSpace?.exponent ?? exponent }

    /// The shadowing of the path between two places, apart from walls that have places.
    package var pathShadowing: Shadowing? {
        guard let shadowing, !walls.isEmpty, let openSpace else { return shadowing }
        return Shadowing(deviation: openSpace.deviation, distance: shadowing.distance)
    }

    /// Sets the exponent, with walls and without.
    package mutating func setExponent(_ new: Double) {
        exponent = new
        openSpace?.exponent = new
    }

    /// Sets the shadowing, with walls and without.
    package mutating func setShadowing(_ new: Shadowing?) {
        shadowing = new
        openSpace?.deviation = new?.deviation ?? 0
    }

    /// Whether the walls count twice: an exponent above that of free space contains walls, and the model has others with places.
    package var countsWallsTwice: Bool { !walls.isEmpty && pathExponent > 2 }
}

// MARK: - Loss

extension Propagation {
    /// Minimum distance in metres: closer to the antenna the model would have no loss, then a gain.
    package static let nearest = 0.01

    /// The loss over a distance in metres, in dB.
    package func loss(overMetres distance: Double) -> Double {
        guard distance.isFinite else { return .infinity }
        return lossAtOneMetre + 10 * pathExponent * log10(max(distance, Self.nearest)) + clutter * max(distance - 1, 0)
    }

    /// Whether something between two places may take from a signal.
    package var hasObstacles: Bool { !walls.isEmpty || !slabs.isEmpty }

    /// Whether a loss between two places is a gain, so that the range of a transmitter has no bound.
    package var hasGains: Bool {
        bodyLoss < 0 || handLoss < 0 || walls.contains { $0.loss < 0 } || slabs.contains { $0.loss < 0 }
    }

    /// The loss in dB of what is between two places; the same in both directions.
    package func obstacleLoss(from: Position, to: Position) -> Double {
        var loss = 0.0
        // Where a path passes an end of a wall, its direction counts.
        let isOrdered = (from.x, from.y) < (to.x, to.y)
        let (start, end) = isOrdered ? (from, to) : (to, from)
        for wall in walls where wall.crosses(start, end) { loss += wall.loss }
        for slab in slabs where slab.crosses(start, end) { loss += slab.loss }
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
    /// Whether the straight line between two places crosses the wall, at a height that the wall has there. A path that passes an end
    /// crosses one of two walls that meet there on one line.
    func crosses(_ start: Position, _ end: Position) -> Bool {
        let (first, second) = (side(start.x, start.y), side(end.x, end.y))
        guard first * second < 0 else { return false }
        let path = Propagation.Wall(from: start, to: end, loss: 0)
        guard (path.side(from.x, from.y) > 0) != (path.side(to.x, to.y) > 0) else { return false }
        guard bottom > -.infinity || top < .infinity else { return true }
        let height = Float(start.z + (end.z - start.z) * (first / (first - second)))
        return Float(bottom) <= height && height < Float(top)
    }

    /// Positive on one side of the line through the wall, negative on the other.
    private func side(_ x: Double, _ y: Double) -> Double {
        (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x)
    }
}

extension Propagation.Slab {
    /// Whether one of two places is above the slab and the other one below.
    func crosses(_ start: Position, _ end: Position) -> Bool {
        // The medium has heights of this precision.
        (Float(start.z) < Float(height)) != (Float(end.z) < Float(height))
    }
}
