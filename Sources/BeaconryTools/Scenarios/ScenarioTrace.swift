// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import BluetoothCore
import Emulator
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

/// What a receiver of a scenario gets, for its trace.
struct ScenarioReceiver: Sendable {
    private var announcer: Announcer
    /// The address from which a beacon's numbers came last.
    private var addresses: [BeaconIdentity: BluetoothAddress] = [:]
    /// When each device was received last.
    private(set) var devices: [RemoteAddress: Duration] = [:]
    private(set) var trace = ScenarioTrace.Receiver()

    init(_ regions: [RegionList.Entry]) {
        announcer = Announcer(
            Dictionary(
                regions.map { region in
                    let rule = AnnouncementRule(
                        hello: region.hello, goodbye: region.goodbye, atMostOncePer: region.atMostOncePer)
                    return (region.identifier, rule)
                }, uniquingKeysWith: { first, _ in first }))
    }

    mutating func take(_ observation: ListeningReceiver.Observation) {
        switch observation {
        case .packet(let sighting, let time):
            devices[sighting.device] = time
            let rssi = sighting.rssi.map { Double($0.decibelMilliwatts) }
            trace.reports[sighting.device.address, default: []].append((time, rssi))
            for beacon in sighting.beacons { addresses[BeaconIdentity(beacon)] = sighting.device.address }
        case .report(.ranging(let report)):
            // Of a time without beacons, which may last hours, only the first report counts.
            if report.beacons.isEmpty, trace.ranged.last?.beacons.isEmpty ?? true { return }
            trace.ranged.append(
                ScenarioTrace.Ranged(
                    time: report.time,
                    beacons: report.beacons.compactMap { beacon in
                        addresses[beacon.identity].map { ($0, beacon.distance, beacon.proximity) }
                    }))
        case .report(.region(let event)):
            trace.regions.append(event)
            if let announcement = announcer.announce(event) { trace.announcements.append(announcement) }
        case .interrupted: break
        }
    }
}
