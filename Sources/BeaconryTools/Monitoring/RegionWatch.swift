// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Profiles
import Radio
import Receiving

/// Watches a list of regions: state changes, their messages, and the beacons in range of the regions that are inside.
///
/// It has no clock. Times are relative to a start, which it knows in time since 1970 to save and restore states.
struct RegionWatch {
    /// A result to report.
    enum Output {
        /// A region's state has changed. The message is `nil` if the region has none; it is held back if the previous
        /// one was too recent.
        case changed(RegionEvent, message: String?, isHeldBack: Bool)
        /// The beacons in range of a region that is inside.
        case ranged(RangingReport, BeaconRegion)
    }

    /// A placeholder for a missing message, so that the rate limit applies to the region as well.
    private static let noMessage = "\u{0}"
    /// Time advances at least every 50 ms. After a longer gap the process was not running (SIGSTOP, a suspended machine),
    /// and receptions of that time are still to come.
    private static let longestGap = Duration.seconds(1)

    private var monitor: RegionMonitor
    private var announcer: Announcer
    private var ranging: Ranging
    private let start: Duration
    private var lastTime = Duration.zero

    /// A watch of no regions.
    /// - Parameter start: the start of all times, since 1970.
    init(_ settings: RegionMonitor.Settings, ranging: Ranging.Settings, start: Duration) {
        monitor = RegionMonitor(settings)
        announcer = Announcer([:])
        self.ranging = Ranging([], settings: ranging, at: .zero)
        self.start = start
    }

    /// The regions and their states.
    var statuses: [RegionStatus] { monitor.statuses }

    /// The states to save for a restart.
    var savedStates: [SavedState] {
        monitor.statuses.map { SavedState($0, said: announcer.lastSaid, start: start) }
    }

    /// Replaces the watched regions; regions that stay keep their states.
    /// - Throws: `RegionMonitor.TooManyRegions`; then nothing changes.
    mutating func watch(
        _ entries: [RegionList.Entry], at time: Duration
    ) throws(RegionMonitor.TooManyRegions) {
        var changed = monitor
        let identifiers = Set(entries.map(\.identifier))
        for status in monitor.statuses where !identifiers.contains(status.region.identifier) {
            changed.remove(status.region.identifier)
        }
        for entry in entries { try changed.add(BeaconRegion(entry), quietTime: entry.exitAfter, at: time) }
        monitor = changed
        announcer.rules = Dictionary(
            entries.map { entry in
                let rule = AnnouncementRule(
                    hello: entry.hello ?? Self.noMessage, goodbye: entry.goodbye ?? Self.noMessage,
                    atMostOncePer: entry.atMostOncePer)
                return (entry.identifier, rule)
            }, uniquingKeysWith: { _, last in last })
        rangeInside()
    }

    /// Restores saved states.
    mutating func restore(_ states: [SavedState], at time: Duration) {
        monitor.restore(states.compactMap(\.status), at: time)
        let said = states.reduce(into: [:]) { $0.merge($1.said(start: start)) { _, last in last } }
        announcer = Announcer(announcer.rules, lastSaid: said)
        rangeInside()
    }

    /// Handles a reception or the passing of time.
    mutating func take(_ reception: Reception) -> [Output] {
        if reception.time - lastTime > Self.longestGap { monitor.restartQuietTimes(at: reception.time) }
        lastTime = max(lastTime, reception.time)
        // A report that is due now covers the regions that were inside before this reception.
        let ranged = ranging.regions
        let report = ranging.advance(to: reception.time)
        var outputs: [Output] = []
        for event in monitor.take(reception) {
            let announcement = announcer.announce(event)
            let message = announcement.flatMap { $0.text == Self.noMessage ? nil : $0.text }
            let isHeldBack = announcement == nil && event.kind != .determined
            outputs.append(.changed(event, message: message, isHeldBack: isHeldBack))
        }
        if !outputs.isEmpty { rangeInside() }
        _ = ranging.take(reception)
        guard let report else { return outputs }
        return ranged.map { .ranged(report, $0) } + outputs
    }

    private mutating func rangeInside() {
        ranging.setRegions(monitor.statuses.filter { $0.state == .inside }.map(\.region))
    }
}
