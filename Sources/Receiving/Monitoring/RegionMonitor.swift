// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// Monitors regions: reports when the first beacon of a region comes into range, and when the last one leaves.
///
/// A region is entered with the first advertisement of one of its beacons, and left when none was received for the quiet
/// time, so that losses at the fringe of a beacon's range do not make it flap. A region whose state is not known yet is
/// outside when nothing was received for the quiet time since it was added. A value without a clock: its inputs
/// have times since an arbitrary start.
package struct RegionMonitor: Sendable {
    /// The parameters of monitoring.
    package struct Settings: Hashable, Sendable {
        /// The time without an advertisement after which a region is left.
        package var quietTime: Duration
        /// The maximum number of regions; `nil` for no limit.
        package var maximumRegions: Int?
        /// How beacons are found in packets.
        package var reader = FrameReader.specified

        /// By default 30 seconds, and 20 regions, which Core Location allows an app.
        package init(quietTime: Duration = .seconds(30), maximumRegions: Int? = 20) {
            self.quietTime = quietTime
            self.maximumRegions = maximumRegions
        }
    }

    /// The error for a region beyond the maximum number.
    package struct TooManyRegions: Error, Hashable, CustomStringConvertible {
        /// The region that was to be added.
        package let region: BeaconRegion
        /// The maximum number.
        package let limit: Int

        /// An error for this region.
        package init(region: BeaconRegion, limit: Int) {
            self.region = region
            self.limit = limit
        }

        /// One clause, without what to do.
        package var message: String {
            "region \(region.identifier) cannot be monitored: there are \(limit) already, which is the limit"
        }

        /// One sentence, without its full stop.
        package var description: String { "\(message); remove one, or raise the limit" }
    }

    private struct Watch {
        var region: BeaconRegion
        var entryRSSI: RSSI?
        var presence: Presence
    }

    /// The state of a region, apart from the region: it is read for each packet, and the region would be copied with it.
    private struct Presence {
        var quietTime: Duration
        var state: RegionState
        /// When it was last seen; before that, when monitoring began.
        var lastSeen: Duration

        /// When it is outside, if nothing is received until then; `nil` if it is outside already.
        var deadline: Duration? { state == .outside ? nil : lastSeen + quietTime }
    }

    /// The parameters.
    package let settings: Settings
    private var watches: [Watch] = []
    private var found: RememberedBeacons

    /// A monitor without regions.
    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        found = RememberedBeacons(settings.reader)
    }

    /// The regions and their states, in the order in which they were added. Save them for a restart.
    package var statuses: [RegionStatus] { watches.map { RegionStatus(region: $0.region, state: $0.presence.state) } }

    /// A region's state; `nil` when there is none of this identifier.
    package func state(of identifier: String) -> RegionState? {
        watches.first { $0.region.identifier == identifier }?.presence.state
    }

    /// Monitors a region from now on.
    ///
    /// It replaces the region of the same identifier, in its place. When both have the same numbers the state stays;
    /// otherwise it is unknown, without an event for the region that is gone.
    /// - Parameters:
    ///   - entryRSSI: the minimum RSSI of an advertisement that enters the region; once inside,
    ///     any RSSI counts. `nil` for any RSSI, known or not.
    ///   - quietTime: the time without an advertisement after which this region is left; `nil` for the time in the
    ///     settings.
    /// - Throws: `TooManyRegions`, if it does not replace a region and the maximum number is reached.
    package mutating func add(
        _ region: BeaconRegion, entryRSSI: RSSI? = nil, quietTime: Duration? = nil, at time: Duration
    ) throws(TooManyRegions) {
        var watch = Watch(
            region: region, entryRSSI: entryRSSI,
            presence: Presence(quietTime: quietTime ?? settings.quietTime, state: .unknown, lastSeen: time))
        if let index = watches.firstIndex(where: { $0.region.identifier == region.identifier }) {
            if watches[index].region == region {
                watch.presence.state = watches[index].presence.state
                watch.presence.lastSeen = watches[index].presence.lastSeen
            }
            watches[index] = watch
            return
        }
        if let limit = settings.maximumRegions, watches.count >= limit {
            throw TooManyRegions(region: region, limit: limit)
        }
        watches.append(watch)
    }

    /// Stops monitoring the region of this identifier, without an event.
    /// - Returns: whether there was one.
    @discardableResult
    package mutating func remove(_ identifier: String) -> Bool {
        let count = watches.count
        watches.removeAll { $0.region.identifier == identifier }
        return watches.count < count
    }

    /// Restores states from before a restart: there is no event for a state that has not changed.
    ///
    /// Applies to regions that have been added and have the same identifier and numbers as then; others stay as they
    /// are. One that was inside is left when nothing is received for the quiet time from now on.
    package mutating func restore(_ statuses: [RegionStatus], at time: Duration) {
        for status in statuses {
            guard let index = watches.firstIndex(where: { $0.region == status.region }) else { continue }
            watches[index].presence.state = status.state
            watches[index].presence.lastSeen = time
        }
    }

    /// Extends the present quiet times by a time in which nothing could be received.
    package mutating func postponeQuietTimes(by pause: Duration) {
        for index in watches.indices { watches[index].presence.lastSeen += pause }
    }

    /// Begins all quiet times again, because the receiver did not run until now.
    package mutating func restartQuietTimes(at time: Duration) {
        for index in watches.indices { watches[index].presence.lastSeen = max(watches[index].presence.lastSeen, time) }
    }

    /// When the next region is left, if nothing is received until then.
    package var nextDeadline: Duration? { watches.compactMap(\.presence.deadline).min() }

    /// Takes an input.
    /// - Returns: the changes until then, and those that it caused.
    package mutating func take(_ reception: Reception) -> [RegionEvent] {
        guard case .received(let sighting, let time) = reception else { return advance(to: reception.time) }
        return receive(found.beacons(in: sighting), rssi: sighting.rssi, at: time)
    }

    /// Takes the beacons of a packet.
    /// - Returns: the changes until then, and those that it caused.
    mutating func receive(_ beacons: [ReceivedBeacon], rssi: RSSI?, at time: Duration) -> [RegionEvent] {
        var events = advance(to: time)
        for beacon in beacons { note(beacon, rssi: rssi, at: time, &events) }
        return events
    }

    /// Takes an advertisement.
    /// - Returns: the changes until then, and those that it caused.
    package mutating func receive(_ beacon: ReceivedBeacon, rssi: RSSI?, at time: Duration) -> [RegionEvent] {
        var events = advance(to: time)
        note(beacon, rssi: rssi, at: time, &events)
        return events
    }

    private mutating func note(
        _ beacon: ReceivedBeacon, rssi: RSSI?, at time: Duration, _ events: inout [RegionEvent]
    ) {
        for index in watches.indices where watches[index].region.contains(beacon.identity) {
            if watches[index].presence.state != .inside {
                guard Self.reaches(watches[index].entryRSSI, rssi) else { continue }
                watches[index].presence.state = .inside
                events.append(
                    RegionEvent(region: watches[index].region, kind: .entered, time: time, beacon: beacon))
            }
            watches[index].presence.lastSeen = max(watches[index].presence.lastSeen, time)
        }
    }

    /// Advances the time.
    /// - Returns: the changes, in the order of time; of equal times, in the order of the regions.
    package mutating func advance(to time: Duration) -> [RegionEvent] {
        var events: [RegionEvent] = []
        for index in watches.indices {
            guard let deadline = watches[index].presence.deadline, deadline <= time else { continue }
            let kind: RegionEvent.Kind = watches[index].presence.state == .inside ? .exited : .determined
            watches[index].presence.state = .outside
            events.append(RegionEvent(region: watches[index].region, kind: kind, time: deadline))
        }
        guard events.count > 1 else { return events }
        let ordered = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        return ordered.map(\.element)
    }

    private static func reaches(_ minimum: RSSI?, _ rssi: RSSI?) -> Bool {
        guard let minimum else { return true }
        return rssi.known.map { $0 >= minimum } ?? false
    }
}
