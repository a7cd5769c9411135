// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
import Emulator
import Profiles
import Radio
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
        fileprivate(set) var reports: [BluetoothAddress: [(time: Duration, rssi: Double?)]] = [:]
        private(set) var regions: [RegionEvent] = []
        /// The hellos and goodbyes of regions, in the order of time.
        private(set) var announcements: [Announcement] = []
        private(set) var ranged: [Ranged] = []
        /// When connections to beacons began or ended, in the order of time.
        fileprivate(set) var connections: [String: [(time: Duration, isOn: Bool)]] = [:]
        /// The values of beacons that were read, or that they notified of, in the order of time.
        fileprivate(set) var values: [String: [(time: Duration, characteristic: BluetoothUUID, value: [UInt8])]] = [:]

        private var announcer: Announcer
        /// The address from which a beacon's numbers came last.
        private var addresses: [BeaconIdentity: BluetoothAddress] = [:]
        /// When each device was received last.
        fileprivate var devices: [RemoteAddress: Duration] = [:]

        /// A receiver that monitors these regions.
        init(_ regions: [RegionList.Entry] = []) {
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
                reports[sighting.device.address, default: []].append((time, rssi))
                for identity in sighting.frames.compactMap(\.identity) { addresses[identity] = sighting.device.address }
            case .report(.ranging(let report)):
                // Of a time without beacons, which may last hours, only the first report counts.
                if report.beacons.isEmpty, ranged.last?.beacons.isEmpty ?? true { return }
                ranged.append(
                    Ranged(
                        time: report.time,
                        beacons: report.beacons.compactMap { beacon in
                            addresses[beacon.identity].map { ($0, beacon.distance, beacon.proximity) }
                        }))
            case .report(.region(let event)):
                regions.append(event)
                if let announcement = announcer.announce(event) { announcements.append(announcement) }
            case .interrupted: break
            }
        }
    }

    /// The receivers by id.
    var receivers: [String: Receiver] = [:]
    /// The beacons by the addresses that they have had.
    var owners: [BluetoothAddress: String] = [:]
    /// When beacons came on the air or left it, in the order of time.
    var air: [String: [(time: Duration, isOn: Bool)]] = [:]

    /// An empty trace.
    package init() {}

    /// Adds what an event of the run says about a beacon.
    mutating func note(_ event: EmulatorEvent, at time: Duration) {
        switch event {
        case .beacon(let beacon, .advertising(let status, _, _)):
            note(beacon.name, isOn: true, address: status.effective.address.value, at: time)
        case .beacon(let beacon, .advertisingStopped): note(beacon.name, isOn: false, address: nil, at: time)
        default: break
        }
    }

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

    /// The address of a beacon's latest advertisement at a receiver; `nil` if it received none.
    func address(of beacon: String, at receiver: String) -> RemoteAddress? {
        let devices = (receivers[receiver]?.devices ?? [:]).filter { owners[$0.key.address] == beacon }
        return devices.max { ($0.value, $0.key.address.description) < ($1.value, $1.key.address.description) }?.key
    }

    /// The advertisements of a beacon at a receiver, in the order of time.
    func reports(of beacon: String, at receiver: String) -> [(time: Duration, rssi: Double?)] {
        let lists = receivers[receiver]?.reports.filter { owners[$0.key] == beacon } ?? [:]
        guard lists.count > 1 else { return lists.first?.value ?? [] }
        return lists.values.flatMap(\.self).sorted { $0.time < $1.time }
    }
}
