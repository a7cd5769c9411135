// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Receiving

/// The RSSI of each beacon of a recording, or of what a command receives; its size is bounded.
///
/// A beacon is known by the identity in its frames, whatever its address, any other device by its address. All packets of a device
/// that has sent such a frame count for that beacon.
struct SeriesCollector: Sendable {
    private enum Source: Hashable {
        case beacon(BeaconIdentity)
        case device(RemoteAddress)
    }

    private struct Entry {
        var points: [RSSISeries.Point] = []
        /// The name that the device advertises; `nil` for none.
        var localName: String?
        var address: BluetoothAddress?
    }

    /// The names of beacons, from profiles.
    struct Names: Sendable {
        fileprivate var ofBeacons: [BeaconIdentity: String] = [:]
        fileprivate var ofDevices: [BluetoothAddress: String] = [:]

        /// The ids of the beacons in profiles, by their numbers and addresses.
        init(_ profiles: [Profile] = []) {
            for beacon in profiles.flatMap(\.beacons) {
                if let identity = beacon.device.identity { ofBeacons[identity] = beacon.id }
                if let address = beacon.device.firstAdvertisement?.address { ofDevices[address] = beacon.id }
            }
        }
    }

    /// Beyond this many beacons, packets of others are left out: some devices change their address with every packet.
    private static let sources = 1024
    /// The number of points beyond which every second one is dropped.
    private let limit: Int

    private var beacons: [RemoteAddress: BeaconIdentity] = [:]
    private var entries: [Source: Entry] = [:]
    private var order: [Source] = []
    /// The number of points of all beacons.
    private var stored = 0
    /// The number of packets, also of those that are left out.
    private(set) var packets = 0

    /// No packets.
    init(limit: Int = 1_000_000) { self.limit = limit }

    /// The number of beacons.
    var count: Int { order.count }

    /// Adds a packet, if its RSSI is known.
    /// - Parameter time: in seconds.
    mutating func add(_ sighting: Sighting, at time: Double) {
        guard let rssi = sighting.rssi, rssi != .unavailable else { return }
        let data = AdvertisingData(verbatim: sighting.data)
        if let identity = data.frames.lazy.compactMap(\.identity).first, beacons.count < Self.sources {
            // A device that sends frames of several formats is one beacon, by the first of them.
            if beacons[sighting.device]?.format ?? identity.format == identity.format {
                beacons[sighting.device] = identity
            }
        }
        let source = beacons[sighting.device].map { Source.beacon($0) } ?? .device(sighting.device)
        add(Double(rssi.decibelMilliwatts), of: source, at: time) { entry in
            if let name = data.localName { entry.localName = name }
            entry.address = sighting.device.address
        }
    }

    /// Adds the mean RSSI of a beacon.
    /// - Parameter time: in seconds.
    mutating func add(_ rssi: Double, of beacon: BeaconIdentity, at time: Double) {
        add(rssi, of: .beacon(beacon), at: time) { _ in }
    }

    private mutating func add(
        _ rssi: Double, of source: Source, at time: Double, _ note: (inout Entry) -> Void
    ) {
        packets += 1
        if entries[source] == nil {
            guard order.count < Self.sources else { return }
            order.append(source)
        }
        note(&entries[source, default: Entry()])
        entries[source]?.points.append(RSSISeries.Point(time: time, rssi: rssi))
        stored += 1
        if stored > limit { halve() }
    }

    /// Drops every second point.
    private mutating func halve() {
        stored = 0
        for source in order {
            let points = entries[source]?.points ?? []
            let kept = stride(from: 0, to: points.count, by: 2).map { points[$0] }
            entries[source]?.points = kept
            stored += kept.count
        }
    }

    /// The beacons in the order of their first packets, each with another name. If times are negative, as when a clock was
    /// set back, the earliest becomes 0.
    /// - Parameter prefix: what the names begin with, such as the name of a file.
    func series(_ names: Names = Names(), prefix: String = "") -> [RSSISeries] {
        let uuids = Set(
            order.compactMap { source in
                if case .beacon(let beacon) = source { beacon.numbers?.uuid } else { nil }
            })
        let earliest = min(0, entries.values.flatMap(\.points).map(\.time).min() ?? 0)
        var used: [String: Int] = [:]
        return order.map { source in
            let entry = entries[source] ?? Entry()
            var name = prefix + Self.name(of: source, entry, names, withUUID: uuids.count > 1)
            used[name, default: 0] += 1
            if let number = used[name], number > 1 { name += " #\(number)" }
            let points = entry.points.map { RSSISeries.Point(time: $0.time - earliest, rssi: $0.rssi) }
            return RSSISeries(name: name, points: points)
        }
    }

    private static func name(of source: Source, _ entry: Entry, _ names: Names, withUUID: Bool) -> String {
        if let name = entry.address.flatMap({ names.ofDevices[$0] }) { return name }
        switch source {
        case .beacon(let beacon):
            if let name = names.ofBeacons[beacon] { return name }
            guard let numbers = beacon.numbers else { return "\(beacon)" }
            let name = "\(beacon.format) \(numbers.major)/\(numbers.minor)"
            return withUUID ? "\(name) of \(numbers.uuid.description.prefix(8))" : name
        case .device(let device):
            return entry.localName.map { "\($0), \(device.address)" } ?? device.address.description
        }
    }
}
