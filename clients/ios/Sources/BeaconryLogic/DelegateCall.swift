// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BeaconRegions

/// A location manager of the app. Numbers are never used again, unlike addresses.
public struct ManagerID: Hashable, Sendable {
    private let number: UInt64

    /// The manager with this number.
    public init(_ number: UInt64) { self.number = number }
}

/// What a manager ranges.
public enum RangingRequest: Hashable, Sendable {
    /// The beacons of a constraint, reported with `didRange:satisfying:`.
    case constraint(BeaconConstraint)
    /// The beacons of a region, reported with `didRangeBeacons:in:`, which is deprecated.
    case region(identifier: String, BeaconConstraint)

    /// The beacons.
    public var constraint: BeaconConstraint {
        switch self {
        case .constraint(let constraint), .region(_, let constraint): constraint
        }
    }
}

/// A call of a delegate of Core Location.
public enum DelegateCall: Hashable, Sendable {
    /// `didRange:satisfying:` or `didRangeBeacons:in:`
    case didRange([RangedBeacon], RangingRequest)
    /// `didFailRangingFor:error:` or `rangingBeaconsDidFailFor:withError:`
    case didFailRanging(RangingRequest, ReceiverObstacle)
    /// `didStartMonitoringFor:`
    case didStartMonitoring(MonitoredRegion)
    /// `didDetermineState:for:`
    case didDetermineState(RegionState, MonitoredRegion)
    /// `didEnterRegion:`
    case didEnter(MonitoredRegion)
    /// `didExitRegion:`
    case didExit(MonitoredRegion)
    /// `monitoringDidFailFor:withError:`
    case monitoringDidFail(MonitoredRegion, reason: String)
    /// The same, since the user denies the location.
    case monitoringWasDenied(MonitoredRegion)
}

/// A call, and who gets it.
public struct Delivery: Hashable, Sendable {
    /// The manager whose delegate is called; `nil` for all managers of the app, which share its regions.
    public var manager: ManagerID?
    /// The call.
    public var call: DelegateCall

    /// A call of the delegates of one or all managers.
    public init(_ manager: ManagerID?, _ call: DelegateCall) {
        self.manager = manager
        self.call = call
    }
}
