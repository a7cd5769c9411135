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
        let beacons: [Beacon]

        /// A beacon in the report.
        struct Beacon: Sendable {
            let address: BluetoothAddress
            /// The mean RSSI in dBm; `nil` without a packet since the report before.
            let rssi: Double?
            /// The RSSI at 1 m in dBm that it claims; `nil` if it claims none.
            let power: Double?
            let distance: Double?
            let proximity: Proximity
        }
    }

    /// What one receiver received.
    struct Receiver: Sendable {
        /// An advertisement.
        fileprivate struct Report {
            let time: Duration
            let rssi: Double?
            /// The RSSI at 1 m in dBm that it claims; `nil` if it claims none.
            let power: Int8?
        }

        /// An advertiser, with what came from it.
        fileprivate struct Sender {
            let device: RemoteAddress
            /// The data of its last advertisement and of its last scan response, and the places of their beacons in `addresses`.
            var packets: [(data: [UInt8], beacons: [Int], power: Int8?)] = [([], [], nil), ([], [], nil)]
            /// Its advertisements in the order of time.
            var reports: [Report] = []
            /// When it was received last.
            var last = Duration.zero
        }

        private(set) var regions: [RegionEvent] = []
        /// The hellos and goodbyes of regions, in the order of time.
        private(set) var announcements: [Announcement] = []
        private(set) var ranged: [Ranged] = []
        /// When connections to beacons began or ended, in the order of time.
        fileprivate(set) var connections: [String: [(time: Duration, isOn: Bool)]] = [:]
        /// The values of beacons that were read, or that they notified of, in the order of time.
        fileprivate(set) var values: [String: [(time: Duration, characteristic: BluetoothUUID, value: [UInt8])]] = [:]

        private var announcer: Announcer
        /// The advertisers, in the order in which they were received first.
        fileprivate var senders: [Sender] = []
        private var senderPlaces: [RemoteAddress: Int] = [:]
        /// The address from which a beacon's numbers came last, by the place of the beacon.
        private var addresses: [BluetoothAddress] = []
        private var beaconPlaces: [BeaconIdentity: Int] = [:]

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
                let place = place(of: sighting.device)
                let kind = sighting.pdu?.isScanResponse == true ? 1 : 0
                if senders[place].packets[kind].data != sighting.data {
                    let frames = sighting.frames
                    senders[place].packets[kind] = (
                        sighting.data, places(of: frames.compactMap(\.identity), from: sighting.device.address),
                        frames.measuredPower
                    )
                }
                senders[place].last = time
                senders[place].reports.append(
                    Report(
                        time: time, rssi: sighting.rssi.map { Double($0.decibelMilliwatts) },
                        power: senders[place].packets[kind].power))
                for beacon in senders[place].packets[kind].beacons { addresses[beacon] = sighting.device.address }
            case .report(.ranging(let report)):
                // Of a time without beacons, which may last hours, only the first report counts.
                if report.beacons.isEmpty, ranged.last?.beacons.isEmpty ?? true { return }
                ranged.append(
                    Ranged(
                        time: report.time,
                        beacons: report.beacons.compactMap { beacon in
                            beaconPlaces[beacon.identity].map {
                                Ranged.Beacon(
                                    address: addresses[$0], rssi: beacon.meanRSSI,
                                    power: beacon.beacon.measuredPower.map { Double($0.decibelMilliwatts) },
                                    distance: beacon.distance, proximity: beacon.proximity)
                            }
                        }))
            case .report(.region(let event)):
                regions.append(event)
                if let announcement = announcer.announce(event) { announcements.append(announcement) }
            case .interrupted: break
            }
        }

        private mutating func place(of device: RemoteAddress) -> Int {
            if let place = senderPlaces[device] { return place }
            senderPlaces[device] = senders.count
            senders.append(Sender(device: device))
            return senders.count - 1
        }

        /// The places of the beacons in a packet, which is parsed when it differs from the one before.
        private mutating func places(of identities: [BeaconIdentity], from address: BluetoothAddress) -> [Int] {
            identities.map { identity in
                if let place = beaconPlaces[identity] { return place }
                let place = addresses.count
                beaconPlaces[identity] = place
                addresses.append(address)
                return place
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
        let senders = (receivers[receiver]?.senders ?? []).filter { owners[$0.device.address] == beacon }
        let latest = senders.max {
            ($0.last, $0.device.address.description) < ($1.last, $1.device.address.description)
        }
        return latest?.device
    }

    /// The advertisements of a beacon at a receiver, in the order of time.
    func reports(of beacon: String, at receiver: String) -> [(time: Duration, rssi: Double?)] {
        allReports(of: beacon, at: receiver).map { ($0.time, $0.rssi) }
    }

    /// The levels of a beacon's advertisements at a receiver, in dBm with the RSSI at 1 m that it claims, in the order of time.
    func levels(of beacon: String, at receiver: String) -> [(time: Duration, rssi: Double, power: Double?)] {
        allReports(of: beacon, at: receiver).compactMap { report in
            report.rssi.map { (report.time, $0, report.power.map(Double.init)) }
        }
    }

    /// The same of a beacon in the ranging reports of a receiver.
    func ranges(of beacon: String, at receiver: String) -> [(time: Duration, rssi: Double, power: Double?)] {
        (receivers[receiver]?.ranged ?? []).compactMap { ranged in
            guard let entry = ranged.beacons.first(where: { owners[$0.address] == beacon }), let rssi = entry.rssi
            else {
                return nil
            }
            return (ranged.time, rssi, entry.power)
        }
    }

    private func allReports(of beacon: String, at receiver: String) -> [Receiver.Report] {
        let lists = (receivers[receiver]?.senders ?? []).filter { owners[$0.device.address] == beacon }.map(\.reports)
        guard lists.count > 1 else { return lists.first ?? [] }
        return lists.flatMap(\.self).sorted { $0.time < $1.time }
    }
}
