// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Radio

/// What was heard at one moment of a recording.
public struct RecordedSighting: Hashable, Sendable {
    /// How long after the recording began.
    public let offset: Duration
    /// What was heard.
    public let sighting: Sighting

    /// What was heard so long after the recording began.
    public init(offset: Duration, sighting: Sighting) {
        self.offset = offset
        self.sighting = sighting
    }
}
