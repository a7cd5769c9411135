// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// What an app on a phone reports of the packets that it receives: ranging, and the states of regions.
///
/// A value without a clock: its inputs have times since an arbitrary start.
package struct PhoneReceiver: Sendable {
    /// A report of the app.
    package enum Report: Hashable, Sendable {
        case ranging(RangingReport)
        case region(RegionEvent)
    }

    /// A change of a region that the app has not reported yet.
    private struct Pending {
        let event: RegionEvent
        /// `nil` for the end of the turn.
        var due: Duration?
    }

    /// The phone.
    package let phone: PhoneModel
    private var ranging: Ranging
    private var monitor: RegionMonitor
    private var found: RememberedBeacons
    /// The states that were reported, by the identifiers of the regions.
    private var reported: [String: RegionState] = [:]
    private var pending: [Pending] = []
    /// The times of regions that have one of their own.
    private var exits: [String: Duration] = [:]
    private var random: SplitMix64
    /// Whether the phone scans. Otherwise no region is left, because nothing can be received.
    package private(set) var isScanning = false
    private var stopped = Duration.zero
    /// When ranging ends, for an app that ranges after changes of regions only.
    private var rangesUntil: Duration?

    /// A receiver that begins now, and does not scan yet.
    /// - Parameters:
    ///   - seed: of the random delays.
    ///   - regions: the maximum number of regions; `nil` for no limit.
    package init(_ phone: PhoneModel, seed: UInt64, regions: Int? = 20, at time: Duration) {
        self.phone = phone
        ranging = Ranging(.anyUUID(major: nil, minor: nil), settings: phone.ranging, at: time)
        var monitoring = RegionMonitor.Settings(quietTime: phone.exitAfter, maximumRegions: regions)
        monitoring.reader = phone.reader
        monitor = RegionMonitor(monitoring)
        found = RememberedBeacons(phone.reader)
        random = SplitMix64(seed: seed)
        nextDeadline = ranging.nextDeadline
    }

    /// The same receiver as another phone, which begins now: regions and their reported states stay.
    package func replaced(by phone: PhoneModel, at time: Duration) -> PhoneReceiver {
        var next = PhoneReceiver(phone, seed: 0, regions: monitor.settings.maximumRegions, at: time)
        next.random = random
        next.isScanning = isScanning
        next.stopped = stopped
        for status in monitor.statuses {
            // There is room: it is the same number.
            try? next.monitor.add(status.region, quietTime: exits[status.region.identifier], at: time)
        }
        next.exits = exits
        next.monitor.restore(monitor.statuses, at: time)
        next.reported = reported
        for var change in pending {
            // The other phone has other turns, or none.
            change.due = change.due ?? time + next.delay(in: phone.exitDelay)
            next.pending.append(change)
        }
        next.nextDeadline = next.deadline()
        return next
    }

    /// Whether its app gets ranging reports at a time: always, or only for a while after changes of regions.
    package func isRanging(at time: Duration) -> Bool {
        phone.rangingTime == nil || rangesUntil.map { time <= $0 } == true
    }

    /// The regions with their reported states, in the order in which they were added.
    package var regions: [RegionStatus] {
        monitor.statuses.map {
            RegionStatus(region: $0.region, state: reported[$0.region.identifier] ?? .unknown)
        }
    }

    /// Monitors a region from now on; see `RegionMonitor.add`.
    /// - Parameter exitAfter: the time without an advertisement after which it is left; `nil` for the phone's time.
    package mutating func add(
        _ region: BeaconRegion, exitAfter: Duration? = nil, at time: Duration
    ) throws(RegionMonitor.TooManyRegions) {
        let former = monitor.statuses.first { $0.region.identifier == region.identifier }?.region
        try monitor.add(region, quietTime: exitAfter, at: time)
        exits[region.identifier] = exitAfter
        if let former, former != region { forget(region.identifier) }
        nextDeadline = deadline()
    }

    /// Stops monitoring a region.
    /// - Returns: whether there was one.
    package mutating func remove(_ identifier: String) -> Bool {
        forget(identifier)
        exits[identifier] = nil
        return monitor.remove(identifier)
    }

    private mutating func forget(_ identifier: String) {
        reported[identifier] = nil
        pending.removeAll { $0.event.region.identifier == identifier }
    }

    /// Before this time no report is due, if nothing is received until then.
    ///
    /// It is computed after reports only: other packets postpone what is due.
    package private(set) var nextDeadline: Duration

    private func deadline() -> Duration {
        let changes = pending.compactMap(\.due) + [isScanning ? monitor.nextDeadline : nil].compactMap(\.self)
        return min(ranging.nextDeadline, changes.min() ?? ranging.nextDeadline)
    }

    /// Notes that the phone begins or stops to scan.
    /// - Returns: the reports that are due, as of `take`.
    package mutating func setScanning(_ isScanning: Bool, at time: Duration) -> [Report] {
        guard isScanning != self.isScanning else { return take(.passed(time)) }
        // What is due until now is of the former state.
        var reports = advance(to: time)
        self.isScanning = isScanning
        if isScanning {
            // Nothing could be received meanwhile.
            monitor.postponeQuietTimes(by: time - stopped)
        } else {
            stopped = time
            for index in pending.indices where pending[index].due == nil {
                pending[index].due = time + delay(in: phone.exitDelay)
            }
            reports += duePending(at: time)
        }
        nextDeadline = deadline()
        return reports
    }

    /// Takes a packet, or the time.
    /// - Returns: the reports that are due, in the order of their times.
    package mutating func take(_ reception: Reception) -> [Report] {
        let time = reception.time
        // The time first: what was due before the packet does not include it.
        var reports = time >= nextDeadline ? advance(to: time) : []
        guard case .received(let sighting, _) = reception, isScanning else { return reports }
        let beacons = found.beacons(in: sighting)
        let events = monitor.receive(beacons, rssi: sighting.rssi, at: time)
        if !events.isEmpty {
            delay(events)
            reports += duePending(at: time)
            nextDeadline = deadline()
        }
        _ = ranging.receive(beacons, rssi: sighting.rssi, at: time)
        return reports
    }

    private mutating func advance(to time: Duration) -> [Report] {
        if isScanning { delay(monitor.advance(to: time)) }
        var reports = duePending(at: time)
        if let report = ranging.advance(to: time), isRanging(at: report.time) { reports.append(.ranging(report)) }
        nextDeadline = deadline()
        return reports.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    /// Delays changes by what the phone needs for them. One that is undone meanwhile is not reported.
    private mutating func delay(_ events: [RegionEvent]) {
        for event in events {
            let identifier = event.region.identifier
            let hadPending = pending.contains { $0.event.region.identifier == identifier }
            pending.removeAll { $0.event.region.identifier == identifier }
            if hadPending, reported[identifier] == event.state { continue }
            var event = event
            if event.kind == .exited, hadPending, reported[identifier] == nil {
                // The app has not reported that it was entered.
                event = RegionEvent(region: event.region, kind: .determined, time: event.time)
            }
            switch event.kind {
            case .entered: pending.append(Pending(event: event, due: event.time + delay(in: phone.entryDelay)))
            case .exited where phone.exitsAtCycleEnds:
                pending.append(Pending(event: event, due: endOfCycle(from: event.time)))
            case .exited where phone.scan.turns != nil: pending.append(Pending(event: event, due: nil))
            case .exited: pending.append(Pending(event: event, due: event.time + delay(in: phone.exitDelay)))
            case .determined: pending.append(Pending(event: event, due: event.time))
            }
        }
    }

    /// The end of the cycle of ranging that a time is in.
    private func endOfCycle(from time: Duration) -> Duration {
        var end = ranging.nextDeadline
        while end < time { end += phone.ranging.period }
        return end
    }

    private mutating func delay(in range: ClosedRange<Duration>) -> Duration {
        guard range.lowerBound < range.upperBound else { return range.lowerBound }
        let fraction = Double.random(in: 0...1, using: &random)
        return range.lowerBound + (range.upperBound - range.lowerBound) * fraction
    }

    private mutating func duePending(at time: Duration) -> [Report] {
        let isDue = { (change: Pending) in change.due.map { $0 <= time } ?? false }
        let due = pending.filter(isDue).sorted { ($0.due ?? .zero) < ($1.due ?? .zero) }
        guard !due.isEmpty else { return [] }
        pending.removeAll(where: isDue)
        return due.map { change in
            let event = change.event
            let due = change.due ?? time
            reported[event.region.identifier] = event.state
            if let rangingTime = phone.rangingTime, event.kind != .determined { rangesUntil = due + rangingTime }
            return .region(RegionEvent(region: event.region, kind: event.kind, time: due, beacon: event.beacon))
        }
    }
}

extension PhoneReceiver.Report {
    /// The time of the report.
    package var time: Duration {
        switch self {
        case .ranging(let report): report.time
        case .region(let event): event.time
        }
    }
}
