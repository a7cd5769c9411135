// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// A sighting of a recording.
public struct RecordedSighting: Hashable, Sendable {
    /// The time since the recording began.
    public let offset: Duration
    /// The sighting.
    public let sighting: Sighting

    /// A sighting at a time since the recording began.
    public init(offset: Duration, sighting: Sighting) {
        self.offset = offset
        self.sighting = sighting
    }
}
