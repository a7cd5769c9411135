// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising

/// Where the receiver is with regard to a region.
public enum RegionState: String, Hashable, Sendable, CaseIterable {
    /// It has not been determined yet.
    case unknown
    /// A beacon of it is in range.
    case inside
    /// None is.
    case outside
}

/// A region's state has changed.
public struct RegionEvent: Hashable, Sendable {
    /// Which change.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// From unknown or outside to inside: a beacon was heard.
        case entered
        /// From inside to outside: nothing was heard for the quiet time.
        case exited
        /// From unknown to outside: nothing was heard since monitoring began. Nobody left, so it is no exit.
        case determined
    }

    /// The region.
    public let region: BeaconRegion
    /// Which change.
    public let kind: Kind
    /// When: of an exit, when the quiet time was over, which may be before anybody asked.
    public let time: Duration
    /// Of an entry, the beacon that was heard.
    public let beacon: IBeacon?

    /// An event of these values.
    public init(region: BeaconRegion, kind: Kind, time: Duration, beacon: IBeacon? = nil) {
        self.region = region
        self.kind = kind
        self.time = time
        self.beacon = beacon
    }

    /// The state from now on.
    public var state: RegionState { kind == .entered ? .inside : .outside }
}

/// A region and its state: what to keep over a restart.
public struct RegionStatus: Hashable, Sendable {
    /// The region.
    public let region: BeaconRegion
    /// Its state.
    public let state: RegionState

    /// A region in this state.
    public init(region: BeaconRegion, state: RegionState) {
        self.region = region
        self.state = state
    }
}
