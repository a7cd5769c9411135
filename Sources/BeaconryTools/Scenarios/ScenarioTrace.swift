// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import BluetoothCore
import Profiles
import Receiving

/// What happened in a scenario, for the check of its expectations. Times are since the start.
package struct ScenarioTrace: Sendable {
    /// A ranging report.
    struct Ranged: Sendable {
        let time: Duration
        /// The beacons, the nearest first.
        let beacons: [(address: BluetoothAddress, distance: Double?, proximity: Proximity)]
    }

    /// What one receiver received.
    struct Receiver: Sendable {
        /// The advertisements by the sender's address, in the order of time.
        var reports: [BluetoothAddress: [(time: Duration, rssi: Double?)]] = [:]
        var regions: [RegionEvent] = []
        /// The hellos and goodbyes of regions, in the order of time.
        var announcements: [Announcement] = []
        var ranged: [Ranged] = []
        /// When connections to beacons began or ended, in the order of time.
        var connections: [String: [(time: Duration, isOn: Bool)]] = [:]
        /// The values of beacons that were read, or that they notified of, in the order of time.
        var values: [String: [(time: Duration, characteristic: BluetoothUUID, value: [UInt8])]] = [:]
    }

    /// The receivers by id.
    var receivers: [String: Receiver] = [:]
    /// The beacons by the addresses that they have had.
    var owners: [BluetoothAddress: String] = [:]
    /// When beacons came on the air or left it, in the order of time.
    var air: [String: [(time: Duration, isOn: Bool)]] = [:]

    /// An empty trace.
    package init() {}

    /// Adds a change of a beacon.
    package mutating func note(_ beacon: String, isOn: Bool, address: BluetoothAddress?, at time: Duration) {
        if let address { owners[address] = beacon }
        if air[beacon]?.last?.isOn != isOn { air[beacon, default: []].append((time, isOn)) }
    }

    /// Adds an event on a connection.
    mutating func note(_ event: ScenarioConnections.Event, _ pair: ScenarioConnections.Pair, at time: Duration) {
        let (receiver, beacon) = (pair.receiver, pair.beacon)
        switch event {
        case .connected, .disconnected:
            var isOn = false
            if case .connected = event { isOn = true }
            receivers[receiver, default: Receiver()].connections[beacon, default: []].append((time, isOn))
        case .value(let characteristic, let value):
            receivers[receiver, default: Receiver()].values[beacon, default: []].append((time, characteristic, value))
        }
    }

    /// The advertisements of a beacon at a receiver, in the order of time.
    func reports(of beacon: String, at receiver: String) -> [(time: Duration, rssi: Double?)] {
        let lists = receivers[receiver]?.reports.filter { owners[$0.key] == beacon } ?? [:]
        guard lists.count > 1 else { return lists.first?.value ?? [] }
        return lists.values.flatMap(\.self).sorted { $0.time < $1.time }
    }
}

/// A receiver of a scenario: a phone that monitors the regions and ranges all beacons.
struct ScenarioReceiver: Sendable {
    private var monitor: RegionMonitor
    private var announcer: Announcer
    private var ranging: Ranging
    /// The address from which a beacon's numbers came last.
    private var addresses: [BeaconIdentity: BluetoothAddress] = [:]
    /// When each device was received last.
    private(set) var devices: [RemoteAddress: Duration] = [:]
    private(set) var trace = ScenarioTrace.Receiver()

    /// A receiver that starts at time zero.
    /// - Parameter exponent: the path-loss exponent with which it estimates distances.
    init(_ regions: [RegionList.Entry], exponent: Double) {
        monitor = RegionMonitor(RegionMonitor.Settings(maximumRegions: nil))
        for region in regions {
            // There is no limit, so that this does not fail.
            try? monitor.add(BeaconRegion(region), quietTime: region.exitAfter, at: .zero)
        }
        announcer = Announcer(
            Dictionary(
                regions.map { region in
                    let rule = AnnouncementRule(
                        hello: region.hello, goodbye: region.goodbye, atMostOncePer: region.atMostOncePer)
                    return (region.identifier, rule)
                }, uniquingKeysWith: { first, _ in first }))
        ranging = Ranging([], settings: Ranging.Settings(model: .logDistance(exponent: exponent)), at: .zero)
    }

    /// Takes an advertisement.
    mutating func receive(_ sighting: Sighting, at time: Duration) {
        advance(to: time)
        let rssi = sighting.rssi.map { Double($0.decibelMilliwatts) }
        devices[sighting.device] = time
        trace.reports[sighting.device.address, default: []].append((time, rssi))
        note(monitor.take(.received(sighting, at: time)))
        for beacon in sighting.beacons {
            addresses[BeaconIdentity(beacon)] = sighting.device.address
            if !ranging.regions.contains(where: { $0.contains(beacon) }) {
                ranging.setRegions(
                    ranging.regions + [BeaconRegion(identifier: beacon.uuid.description, uuid: beacon.uuid)])
            }
            _ = ranging.receive(beacon, rssi: sighting.rssi, at: time)
        }
    }

    /// Advances the time, with a ranging report each second while there are beacons.
    mutating func advance(to time: Duration) {
        while ranging.nextDeadline <= time {
            guard let report = ranging.advance(to: ranging.nextDeadline) else { break }
            // Of a time without beacons, which may last hours, only the first report counts.
            if report.beacons.isEmpty, trace.ranged.last?.beacons.isEmpty ?? true { continue }
            trace.ranged.append(
                ScenarioTrace.Ranged(
                    time: report.time,
                    beacons: report.beacons.compactMap { beacon in
                        addresses[beacon.identity].map { ($0, beacon.distance, beacon.proximity) }
                    }))
        }
        note(monitor.advance(to: time))
    }

    private mutating func note(_ events: [RegionEvent]) {
        trace.regions += events
        for event in events {
            if let announcement = announcer.announce(event) { trace.announcements.append(announcement) }
        }
    }
}
