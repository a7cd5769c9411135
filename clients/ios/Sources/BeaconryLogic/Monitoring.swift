// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BeaconRegions
import Foundation

/// A region that an app monitors.
public struct MonitoredRegion: Hashable, Sendable, Codable {
    /// The identifier that the app gave it: a region of the same identifier replaces it.
    public var identifier: String
    /// The beacons of the region.
    public var constraint: BeaconConstraint
    /// Whether the app gets entries.
    public var notifyOnEntry: Bool
    /// Whether the app gets exits.
    public var notifyOnExit: Bool

    /// A region with these values.
    public init(
        identifier: String, constraint: BeaconConstraint, notifyOnEntry: Bool = true, notifyOnExit: Bool = true
    ) {
        self.identifier = identifier
        self.constraint = constraint
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
    }
}

/// A region of the receiver, with its state: an object of `monitoring`, or of the list of `regions`.
public struct RegionReport: Hashable, Sendable, Decodable {
    /// Why an object of `monitoring` was sent.
    public enum Event: String, Hashable, Sendable {
        /// The present state, at the beginning of a stream.
        case state
        /// A beacon was received, where none was before.
        case entered
        /// No beacon is received any more.
        case exited
        /// The state is known for the first time, without an entry or an exit.
        case determined
    }

    /// The identifier of the region.
    public var identifier: String
    /// The beacons of the region.
    public var constraint: BeaconConstraint
    /// Its state.
    public var state: RegionState
    /// Why it was sent.
    public var event: Event
    /// Why nothing can be received, so that the state is unknown; `nil` if it can.
    public var obstacle: ReceiverObstacle?

    /// A report of these values.
    public init(
        identifier: String, constraint: BeaconConstraint, state: RegionState, event: Event = .state,
        obstacle: ReceiverObstacle? = nil
    ) {
        self.obstacle = obstacle
        self.identifier = identifier
        self.constraint = constraint
        self.state = state
        self.event = event
    }

    private enum CodingKeys: CodingKey { case identifier, state, event, obstacle }

    /// Decodes a report. An event or a state of a later version is the present state, or an unknown one.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try values.decode(String.self, forKey: .identifier)
        constraint = try BeaconConstraint(from: decoder)
        state = RegionState(rawValue: try values.decode(String.self, forKey: .state)) ?? .unknown
        event = try values.decodeIfPresent(String.self, forKey: .event).flatMap(Event.init) ?? .state
        obstacle = try values.decodeIfPresent(String.self, forKey: .obstacle).flatMap(ReceiverObstacle.init)
    }
}

/// The regions of a receiver.
struct RegionList: Decodable {
    var regions: [RegionReport]
}

/// The body of a request that monitors a region.
struct RegionBody: Encodable {
    var uuid: String
    var major: UInt16?
    var minor: UInt16?

    init(_ constraint: BeaconConstraint) {
        uuid = constraint.uuid.uuidString
        major = constraint.major
        minor = constraint.minor
    }
}
