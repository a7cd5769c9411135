// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a receiver is made of, and how a person carries it: how its reports differ from those of an ideal one.
package struct ReceiverHardware: Hashable, Sendable {
    /// What the gain of an antenna depends on.
    package enum Antenna: String, Hashable, CaseIterable, Sendable {
        /// A pattern that the seed and the name of the receiver draw, where the physics has one.
        case drawn
        /// The same gain in all directions.
        case isotropic
    }

    /// The RSSI offsets that are possible, in dB.
    package static let rssiOffsets: ClosedRange<Double> = -40...40

    /// Added to each RSSI that is reported, in dB; it has no influence on what is received.
    package var rssiOffset: Double
    /// The RSSI in dBm at which one bit in 1,000 is wrong; `nil` for the sensitivity of the physics.
    package var sensitivity: Double?
    /// The standard deviation in dB of what differs from packet to packet; `nil` for that of the physics.
    package var fast: Double?
    /// The antenna.
    package var antenna: Antenna
    /// Where a person carries it; `nil` for no body beside it.
    package var carried: Carrying.Place?
    /// The direction that the person, or the receiver, faces, in degrees clockwise from the second axis (north); `nil` for the
    /// direction of the movement, and at rest north.
    package var heading: Double?

    /// The hardware of an ideal receiver, but for what is given.
    package init(
        rssiOffset: Double = 0, sensitivity: Double? = nil, fast: Double? = nil, antenna: Antenna = .drawn,
        carried: Carrying.Place? = nil, heading: Double? = nil
    ) {
        self.rssiOffset = rssiOffset
        self.sensitivity = sensitivity
        self.fast = fast
        self.antenna = antenna
        self.carried = carried
        self.heading = heading
    }

    /// Whether it adds chance to what is received, where the physics has none.
    package var hasChance: Bool { sensitivity != nil || (fast ?? 0) > 0 }

    /// The heading in degrees of a receiver that moves so at a time in seconds since the start.
    package func heading(of motion: Motion?, atSeconds time: Double) -> Double {
        heading ?? motion?.heading(atSeconds: time) ?? 0
    }
}
