// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Profiles
import Receiving

/// What gives estimates from readings: an estimator of ours, or the command of a user.
protocol PlaceEstimating {
    /// Takes a reading; they come in the order of time.
    mutating func take(_ reading: AnchorReading) throws
    /// The estimate at a time, after the readings until then.
    mutating func estimate(at time: Duration) throws -> PlaceEstimate
    /// Ends what belongs to it.
    mutating func end()
}

extension PlaceEstimator: PlaceEstimating {
    mutating func end() {}
}

extension EstimatorChoice {
    /// An estimator without readings.
    /// - Parameters:
    ///   - subject: the name of the receiver, or of the beacon, whose place is estimated.
    /// - Throws: `Failure` if the command cannot be started.
    func estimator(_ map: AnchorMap, of subject: String, isBeacon: Bool) throws -> any PlaceEstimating {
        switch self {
        case .ours(let kind): PlaceEstimator(kind, map)
        case .command(let words):
            try ExternalEstimator(words, EstimatorHeader(map, of: subject, isBeacon: isBeacon), in: map.building)
        }
    }
}
