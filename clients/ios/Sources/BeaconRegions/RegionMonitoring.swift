// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Whether the phone is in the range of one of a region's beacons.
public enum RegionState: String, Hashable, Sendable, Codable {
    /// Not determined yet.
    case unknown
    /// At least one beacon is received.
    case inside
    /// No beacon is received.
    case outside
}

/// The state of a condition, when it was determined first and whenever it changed.
public struct RegionStateChange: Hashable, Sendable {
    /// The identifier of the condition.
    public var identifier: String
    /// Its state. `unknown` for a condition that cannot be monitored, such as one beyond the limit of 20.
    public var state: RegionState

    /// A change of the condition with this identifier.
    public init(identifier: String, state: RegionState) {
        self.identifier = identifier
        self.state = state
    }
}

/// Monitors beacons: a protocol between an app and `CLMonitor`, whose events cannot be made in a simulator.
///
/// `CoreLocationRegionMonitoring` is for phones, `BeaconryRegionMonitoring` for simulators and tests.
public protocol RegionMonitoring: Sendable {
    /// Monitors conditions, at most 20, until the stream is cancelled.
    /// - Parameter conditions: the beacons of each condition by its identifier.
    /// - Returns: the state of each condition when it was determined, and its changes, in their order.
    func states(of conditions: [String: BeaconConstraint]) -> AsyncStream<RegionStateChange>
}
