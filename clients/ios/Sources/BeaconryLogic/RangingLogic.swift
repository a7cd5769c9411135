// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconRegions

/// Which delegate calls follow from ranging reports.
///
/// Each request of a manager gets one call for each report, with the beacons of its constraint, or an empty list. A beacon that is
/// not received any more is in one call with RSSI 0, accuracy -1 and unknown proximity, if an earlier call of that request had it, and
/// then absent. A second without a connection is a second in which nothing is received: the calls go on, as on a phone, and after the
/// one with what was lost they have empty lists. While the receiver can receive nothing, each request gets one failure instead, and no
/// more calls until it can.
public struct RangingLogic: Sendable {
    private struct Entry {
        var manager: ManagerID
        var request: RangingRequest
        /// The beacons that were received in the last report.
        var received: [RangedBeacon] = []
        /// Why it has failed; `nil` if it has not.
        var obstacle: ReceiverObstacle?
    }

    private var entries: [Entry] = []

    /// Ranging without requests.
    public init() {}

    /// Whether nothing is ranged.
    public var isIdle: Bool { entries.isEmpty }

    /// Starts a request. One that has been started already goes on.
    public mutating func start(_ request: RangingRequest, for manager: ManagerID) {
        guard !entries.contains(where: { $0.manager == manager && $0.request == request }) else { return }
        entries.append(Entry(manager: manager, request: request))
    }

    /// Stops a request.
    public mutating func stop(_ request: RangingRequest, for manager: ManagerID) {
        entries.removeAll { $0.manager == manager && $0.request == request }
    }

    /// Stops all requests of a manager.
    public mutating func stopAll(for manager: ManagerID) {
        entries.removeAll { $0.manager == manager }
    }

    /// The requests of a manager, in the order in which they were started.
    public func requests(of manager: ManagerID) -> [RangingRequest] {
        entries.filter { $0.manager == manager }.map(\.request)
    }

    /// Takes a report of the receiver.
    public mutating func take(_ report: RangingReport) -> [Delivery] {
        if let obstacle = report.obstacle { return fail(obstacle) }
        return entries.indices.map { index in
            entries[index].obstacle = nil
            let former = entries[index].received
            let constraint = entries[index].request.constraint
            let beacons = report.beacons.filter { beacon in
                constraint.matches(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor)
                    && (beacon.isReceived || former.contains(where: beacon.isSame))
            }
            entries[index].received = beacons.filter(\.isReceived)
            return Delivery(entries[index].manager, .didRange(beacons, entries[index].request))
        }
    }

    private mutating func fail(_ obstacle: ReceiverObstacle) -> [Delivery] {
        entries.indices.compactMap { index in
            guard entries[index].obstacle != obstacle else { return nil }
            entries[index].obstacle = obstacle
            entries[index].received = []
            return Delivery(entries[index].manager, .didFailRanging(entries[index].request, obstacle))
        }
    }

    /// Takes a second without a connection.
    public mutating func takeSilence() -> [Delivery] {
        entries.indices.map { index in
            entries[index].obstacle = nil
            let lost = entries[index].received.map(\.lost)
            entries[index].received = []
            return Delivery(entries[index].manager, .didRange(lost, entries[index].request))
        }
    }
}
