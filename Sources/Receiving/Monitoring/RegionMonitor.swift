// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
public import BluetoothCore

/// Watches regions: tells when a beacon of one is in range, and when none is any more.
///
/// A region is entered with the first advertisement of a beacon of it, and left when none was heard for the quiet time,
/// so that losses at the fringe of a beacon's range do not make it flap. A region whose state is not known yet is
/// outside when nothing was heard for the quiet time since it was added. A value without a clock: it is told what was
/// heard and when, as a time since an arbitrary start.
public struct RegionMonitor: Sendable {
    /// How to watch.
    public struct Settings: Hashable, Sendable {
        /// How long nothing is heard before a region is left.
        public var quietTime: Duration
        /// How many regions there may be; `nil` for any number.
        public var maximumRegions: Int?

        /// 30 seconds, and 20 regions as Core Location allows an app, unless said otherwise.
        public init(quietTime: Duration = .seconds(30), maximumRegions: Int? = 20) {
            self.quietTime = quietTime
            self.maximumRegions = maximumRegions
        }
    }

    /// There are so many regions already.
    public struct TooManyRegions: Error, Hashable, CustomStringConvertible {
        /// The region that was to be added.
        public let region: BeaconRegion
        /// How many there may be.
        public let limit: Int

        /// That this region is one too many.
        public init(region: BeaconRegion, limit: Int) {
            self.region = region
            self.limit = limit
        }

        /// One sentence, without its full stop.
        public var description: String {
            "region \(region.identifier) cannot be monitored: there are \(limit) already, which is the limit; remove "
                + "one, or raise the limit"
        }
    }

    private struct Watch {
        var region: BeaconRegion
        var entryRSSI: RSSI?
        var quietTime: Duration
        var state: RegionState
        /// When it was heard last; before that, when its watch began.
        var lastHeard: Duration

        /// When it is outside, if nothing is heard until then; `nil` when it is.
        var deadline: Duration? { state == .outside ? nil : lastHeard + quietTime }
    }

    /// How it watches.
    public let settings: Settings
    private var watches: [Watch] = []

    /// A monitor of no regions.
    public init(_ settings: Settings = Settings()) { self.settings = settings }

    /// The regions and their states, in the order in which they were added: what to keep over a restart.
    public var statuses: [RegionStatus] { watches.map { RegionStatus(region: $0.region, state: $0.state) } }

    /// A region's state; `nil` when there is none of this identifier.
    public func state(of identifier: String) -> RegionState? {
        watches.first { $0.region.identifier == identifier }?.state
    }

    /// Watches a region from now on.
    ///
    /// It replaces the region of the same identifier, in its place. When both have the same numbers the state stays;
    /// otherwise it is unknown, without an event for the region that is gone.
    /// - Parameters:
    ///   - entryRSSI: the strength with which an advertisement must be heard for the region to be entered; once inside,
    ///     any strength keeps it. `nil` for any strength, known or not.
    ///   - quietTime: how long nothing is heard before this region is left; `nil` for that of the settings.
    /// - Throws: `TooManyRegions`, when it replaces none and there are as many as there may be.
    public mutating func add(
        _ region: BeaconRegion, entryRSSI: RSSI? = nil, quietTime: Duration? = nil, at time: Duration
    ) throws(TooManyRegions) {
        var watch = Watch(
            region: region, entryRSSI: entryRSSI, quietTime: quietTime ?? settings.quietTime, state: .unknown,
            lastHeard: time)
        if let index = watches.firstIndex(where: { $0.region.identifier == region.identifier }) {
            if watches[index].region == region {
                watch.state = watches[index].state
                watch.lastHeard = watches[index].lastHeard
            }
            watches[index] = watch
            return
        }
        if let limit = settings.maximumRegions, watches.count >= limit {
            throw TooManyRegions(region: region, limit: limit)
        }
        watches.append(watch)
    }

    /// Watches the region of this identifier no more, without an event; whether there was one.
    @discardableResult
    public mutating func remove(_ identifier: String) -> Bool {
        let count = watches.count
        watches.removeAll { $0.region.identifier == identifier }
        return watches.count < count
    }

    /// Goes on with states from before a restart: no event tells of a state that is still so.
    ///
    /// Applies to regions that have been added and have the same identifier and numbers as then; others stay as they
    /// are. One that was inside is left when nothing is heard for the quiet time from now on.
    public mutating func restore(_ statuses: [RegionStatus], at time: Duration) {
        for status in statuses {
            guard let index = watches.firstIndex(where: { $0.region == status.region }) else { continue }
            watches[index].state = status.state
            watches[index].lastHeard = time
        }
    }

    /// Counts every quiet time from now, since the receiver did not run until now: what it received meanwhile comes only after
    /// this.
    public mutating func restartQuietTimes(at time: Duration) {
        for index in watches.indices { watches[index].lastHeard = max(watches[index].lastHeard, time) }
    }

    /// When the next region is left, if nothing is heard until then.
    public var nextDeadline: Duration? { watches.compactMap(\.deadline).min() }

    /// An advertisement was heard.
    /// - Returns: what changed until then, and with it.
    public mutating func hear(_ beacon: IBeacon, rssi: RSSI?, at time: Duration) -> [RegionEvent] {
        var events = advance(to: time)
        for index in watches.indices where watches[index].region.contains(beacon) {
            if watches[index].state != .inside {
                guard Self.reaches(watches[index].entryRSSI, rssi) else { continue }
                watches[index].state = .inside
                events.append(
                    RegionEvent(region: watches[index].region, kind: .entered, time: time, beacon: beacon))
            }
            watches[index].lastHeard = max(watches[index].lastHeard, time)
        }
        return events
    }

    /// Time has passed.
    /// - Returns: what changed, in the order of time, and of regions where that is one.
    public mutating func advance(to time: Duration) -> [RegionEvent] {
        var events: [RegionEvent] = []
        for index in watches.indices {
            guard let deadline = watches[index].deadline, deadline <= time else { continue }
            let kind: RegionEvent.Kind = watches[index].state == .inside ? .exited : .determined
            watches[index].state = .outside
            events.append(RegionEvent(region: watches[index].region, kind: kind, time: deadline))
        }
        let ordered = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        return ordered.map(\.element)
    }

    private static func reaches(_ minimum: RSSI?, _ rssi: RSSI?) -> Bool {
        guard let minimum else { return true }
        return rssi.known.map { $0 >= minimum } ?? false
    }
}
