// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How a person carries a receiver: the body weakens what arrives from behind it.
package struct Carrying: Hashable, Sendable {
    /// Where a person carries a receiver.
    package enum Place: String, Hashable, CaseIterable, Sendable {
        /// In the hand, in front of the person.
        case hand
        /// In a pocket at the front.
        case pocket
    }

    /// Where the receiver is.
    package var place: Place
    /// The direction that the person faces, in degrees clockwise from the second axis: 0 is north and 90 is east if the
    /// axes are as on a map.
    package var heading: Double

    /// A receiver at a place of a person who faces a direction.
    package init(_ place: Place, heading: Double) {
        self.place = place
        self.heading = heading
    }

    /// The loss through the body on the path between the receiver and another antenna, in dB.
    ///
    /// It is 0 for an antenna in front of the person and `maximum` for one behind: maximum·(1 - cos θ)/2, where θ is the
    /// angle between the heading and the path. Antennas at the same place have no loss.
    /// - Parameters:
    ///   - position: of the receiver.
    ///   - other: the position of the other antenna.
    package func loss(at position: Position, towards other: Position, maximum: Double) -> Double {
        let distance = position.distance(to: other)
        guard distance > 0, distance.isFinite else { return 0 }
        let angle = heading * .pi / 180
        let ahead = (sin(angle) * (other.x - position.x) + cos(angle) * (other.y - position.y)) / distance
        return maximum * (1 - ahead) / 2
    }
}

extension Propagation {
    /// The loss in dB through the body of a person who carries a receiver at a place, from the front to the back.
    package func bodyLoss(of place: Carrying.Place) -> Double {
        switch place {
        case .hand: handLoss
        case .pocket: bodyLoss
        }
    }
}
