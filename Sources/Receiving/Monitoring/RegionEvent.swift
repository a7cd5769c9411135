// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Whether the receiver is inside a region.
public enum RegionState: String, Hashable, Sendable, CaseIterable {
    /// It has not been determined yet.
    case unknown
    /// A beacon of it is in range.
    case inside
    /// No beacon of it is in range.
    case outside
}

/// A change of a region's state.
package struct RegionEvent: Hashable, Sendable {
    /// The kinds of changes.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// From unknown or outside to inside: a beacon was received.
        case entered
        /// From inside to outside: nothing was received for the quiet time.
        case exited
        /// From unknown to outside: nothing was received since monitoring began. This is not an exit.
        case determined
    }

    /// The region.
    package let region: BeaconRegion
    /// The kind of change.
    package let kind: Kind
    /// The time of the change: of an exit, the end of the quiet time, which may be before the input that reports it.
    package let time: Duration
    /// The beacon that entered; `nil` for other changes.
    package let beacon: ReceivedBeacon?

    package init(region: BeaconRegion, kind: Kind, time: Duration, beacon: ReceivedBeacon? = nil) {
        self.region = region
        self.kind = kind
        self.time = time
        self.beacon = beacon
    }

    /// The state from now on.
    package var state: RegionState { kind == .entered ? .inside : .outside }
}

/// A region and its state, to be saved for a restart.
package struct RegionStatus: Hashable, Sendable {
    /// The region.
    package let region: BeaconRegion
    /// Its state.
    package let state: RegionState

    /// A region in this state.
    package init(region: BeaconRegion, state: RegionState) {
        self.region = region
        self.state = state
    }
}
