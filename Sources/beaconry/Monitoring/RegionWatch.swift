// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Profiles
import Radio
import Receiving

/// Watches a list of regions: what changes, what is to be said of it, and what is in range of those that are inside.
///
/// A value without a clock, as its parts are; times are since a start that it knows by the machine's clock.
struct RegionWatch {
    /// Something to tell.
    enum Output {
        /// A region's state has changed. What is to be said of it, if anything; and whether it is held back, since the
        /// last time is too short ago.
        case changed(RegionEvent, message: String?, isHeldBack: Bool)
        /// What is in range of a region that is inside.
        case ranged(RangingReport, BeaconRegion)
    }

    /// Stands for a message where a region has none, so that changes are held back all the same.
    private static let noMessage = "\u{0}"
    /// Time passes at least every 50 ms: where it jumps farther than this, the process did not run (SIGSTOP, a suspended
    /// machine), and what the radio received meanwhile is still to come.
    private static let longestGap = Duration.seconds(1)

    private var monitor: RegionMonitor
    private var announcer: Announcer
    private var ranging: Ranging
    private let start: Duration
    private var lastTime = Duration.zero

    /// A watch of no regions.
    /// - Parameter start: when the times begin, since 1970.
    init(_ settings: RegionMonitor.Settings, ranging: Ranging.Settings, start: Duration) {
        monitor = RegionMonitor(settings)
        announcer = Announcer([:])
        self.ranging = Ranging([], settings: ranging, at: .zero)
        self.start = start
    }

    /// The regions and their states.
    var statuses: [RegionStatus] { monitor.statuses }

    /// What to keep over a restart.
    var savedStates: [SavedState] {
        monitor.statuses.map { SavedState($0, said: announcer.lastSaid, start: start) }
    }

    /// Watches these regions from now on: those that were watched before keep their states.
    /// - Throws: `RegionMonitor.TooManyRegions`; nothing has changed then.
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

    /// Goes on with what was kept.
    mutating func restore(_ states: [SavedState], at time: Duration) {
        monitor.restore(states.compactMap(\.status), at: time)
        let said = states.reduce(into: [:]) { $0.merge($1.said(start: start)) { _, last in last } }
        announcer = Announcer(announcer.rules, lastSaid: said)
        rangeInside()
    }

    /// Takes what happened.
    mutating func take(_ reception: Reception) -> [Output] {
        if reception.time - lastTime > Self.longestGap { monitor.restartQuietTimes(at: reception.time) }
        lastTime = max(lastTime, reception.time)
        // What falls due now is of regions that were inside before this.
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

extension BeaconRegion {
    init(_ entry: RegionList.Entry) {
        self.init(identifier: entry.identifier, uuid: entry.uuid, major: entry.major, minor: entry.minor)
    }
}
