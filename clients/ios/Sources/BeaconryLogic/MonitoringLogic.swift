// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BeaconRegions
public import Foundation

/// What must be changed at the receiver.
enum RegionChange: Hashable {
    case put(MonitoredRegion)
    case delete(String)
}

/// Which delegate calls follow from the states of regions, and which regions the receiver must have.
///
/// A state is of the app, not of a connection: while there is none, and when another run has taken the place of the last one, regions
/// stay what they were, and only a different state is a change. `unknown` from the receiver never replaces a known state.
///
/// | known before | receiver | calls of all managers |
/// |---|---|---|
/// | the same | the same | none; `didDetermineState` if the region was started since the last call |
/// | unknown | inside, as `entered` | `didDetermineState`, `didEnter` |
/// | unknown | inside or outside, otherwise | `didDetermineState` |
/// | outside | inside | `didDetermineState`, `didEnter` |
/// | inside | outside | `didDetermineState`, `didExit` |
/// | any | unknown, with Bluetooth off | `didDetermineState` with unknown, once; the next state again |
/// | any | unknown, with the permission denied | `monitoringDidFailFor`, once; the next state again |
///
/// A region with `notifyOnEntry` or `notifyOnExit` off gets none of the two calls of that change.
public struct MonitoringLogic: Sendable {
    /// The maximum number of regions of an app, in Core Location and at a receiver.
    public static let maximumRegions = 20

    private struct Entry: Codable {
        var region: MonitoredRegion
        var state: RegionState
        /// Whether the app gets the next state even if it is the same: it has started the region, perhaps again.
        var mustDetermine = false
        /// Why the receiver can receive nothing, as the app was told; `nil` if it can.
        var obstacle: ReceiverObstacle?

        private enum CodingKeys: CodingKey { case region, state }
    }

    private var entries: [Entry] = []
    /// The identifiers that the receiver may still have, and must not.
    private var removals: Set<String> = []

    /// Monitoring without regions.
    public init() {}

    /// Monitoring of the regions of an earlier launch of the app, with their states.
    /// - Parameter saved: `saved` of that launch; anything else is ignored.
    public init(saved: Data?) {
        entries = saved.flatMap { try? JSONDecoder().decode([Entry].self, from: $0) } ?? []
    }

    /// The regions and their states, for the next launch of the app.
    public var saved: Data {
        let encoder = JSONEncoder()
        // So that equal regions are saved as equal bytes.
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(entries)) ?? Data()
    }

    /// The regions, in the order in which they were started.
    public var regions: [MonitoredRegion] { entries.map(\.region) }

    /// Whether there is nothing to monitor, and nothing to remove.
    public var isIdle: Bool { entries.isEmpty && removals.isEmpty }

    /// The state of a region.
    public func state(of identifier: String) -> RegionState {
        entries.first { $0.region.identifier == identifier }?.state ?? .unknown
    }

    /// Monitors a region instead of the one with the same identifier, if there is one. Its state is unknown then, unless the beacons
    /// are the same.
    /// - Parameters:
    ///   - manager: gets `didStartMonitoring`, or `monitoringDidFail` beyond 20 regions.
    ///   - others: the number of regions of the app that are monitored elsewhere, such as circular ones.
    public mutating func start(_ region: MonitoredRegion, for manager: ManagerID, others: Int = 0) -> [Delivery] {
        if let index = entries.firstIndex(where: { $0.region.identifier == region.identifier }) {
            if entries[index].region.constraint != region.constraint { entries[index].state = .unknown }
            entries[index].region = region
            entries[index].mustDetermine = true
        } else {
            guard entries.count + others < Self.maximumRegions else {
                let reason = "\(Self.maximumRegions) regions are monitored already, which is the limit"
                return [Delivery(manager, .monitoringDidFail(region, reason: reason))]
            }
            entries.append(Entry(region: region, state: .unknown, mustDetermine: true))
        }
        removals.remove(region.identifier)
        return [Delivery(manager, .didStartMonitoring(region))]
    }

    /// Stops monitoring the region with this identifier, without a call.
    public mutating func stop(_ identifier: String) {
        guard remove(identifier) else { return }
        removals.insert(identifier)
    }

    /// Answers a manager's question for the state of a region.
    public func requestState(of region: MonitoredRegion, for manager: ManagerID) -> [Delivery] {
        let entry = entries.first {
            $0.region.identifier == region.identifier && $0.region.constraint == region.constraint
        }
        return [Delivery(manager, .didDetermineState(entry?.state ?? .unknown, region))]
    }

    /// Takes the state of a region from the receiver. Of a region that is not monitored, or has other beacons, nothing follows.
    public mutating func take(_ report: RegionReport) -> [Delivery] {
        guard
            let index = entries.firstIndex(where: { $0.region.identifier == report.identifier }),
            entries[index].region.constraint == report.constraint
        else { return [] }
        if let obstacle = report.obstacle { return take(obstacle, ofEntry: index) }
        guard report.state != .unknown else { return [] }
        entries[index].obstacle = nil
        let former = entries[index].state
        let mustDetermine = entries[index].mustDetermine
        entries[index].state = report.state
        entries[index].mustDetermine = false
        let region = entries[index].region
        let determined = Delivery(nil, .didDetermineState(report.state, region))
        guard report.state != former else { return mustDetermine ? [determined] : [] }
        let isChange = former != .unknown || report.event == .entered
        guard isChange else { return [determined] }
        if report.state == .inside {
            return region.notifyOnEntry ? [determined, Delivery(nil, .didEnter(region))] : []
        }
        return region.notifyOnExit ? [determined, Delivery(nil, .didExit(region))] : []
    }

    private mutating func take(_ obstacle: ReceiverObstacle, ofEntry index: Int) -> [Delivery] {
        guard entries[index].obstacle != obstacle else { return [] }
        entries[index].obstacle = obstacle
        entries[index].mustDetermine = true
        let region = entries[index].region
        switch obstacle {
        case .bluetoothOff: return [Delivery(nil, .didDetermineState(.unknown, region))]
        case .permissionDenied: return [Delivery(nil, .monitoringWasDenied(region))]
        }
    }

    /// Compares the regions with those of the receiver.
    ///
    /// States are taken only where one is missing: the list may be older than what a stream has reported since.
    /// - Returns: the calls, and what must be changed at the receiver.
    mutating func compare(with present: [RegionReport]) -> (deliveries: [Delivery], changes: [RegionChange]) {
        let reports = Dictionary(present.map { ($0.identifier, $0) }) { first, _ in first }
        var deliveries: [Delivery] = []
        var changes: [RegionChange] = []
        for entry in entries {
            if var report = reports[entry.region.identifier], report.constraint == entry.region.constraint {
                report.event = .state
                if entry.state == .unknown || entry.mustDetermine { deliveries += take(report) }
            } else {
                changes.append(.put(entry.region))
            }
        }
        removals.formIntersection(reports.keys)
        changes += removals.sorted().map(RegionChange.delete)
        return (deliveries, changes)
    }

    /// Takes that the receiver refused a region: it is not monitored.
    mutating func refuse(_ region: MonitoredRegion, reason: String) -> [Delivery] {
        // Meanwhile, the app may have replaced it.
        guard regions.contains(region), remove(region.identifier) else { return [] }
        return [Delivery(nil, .monitoringDidFail(region, reason: reason))]
    }

    /// Takes that the receiver does not have a region any more that was stopped.
    mutating func takeRemoval(of identifier: String) {
        removals.remove(identifier)
    }

    /// Stops monitoring all regions.
    mutating func stopAll() {
        for region in regions { stop(region.identifier) }
    }

    private mutating func remove(_ identifier: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.region.identifier == identifier }
        return entries.count < count
    }
}
