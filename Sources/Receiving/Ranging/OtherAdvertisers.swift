// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth

/// What is received beside the beacons that are ranged: other beacons, and advertisers without a frame.
///
/// Its size is bounded; beyond that, more is not counted.
package struct OtherAdvertisers: Sendable {
    private static let maximum = 1000
    /// The beacons, and the near misses, that a sentence names.
    private static let named = 3

    private let filter: BeaconFilter
    private var found: RememberedBeacons
    private var beacons: [BeaconIdentity] = []
    private var known: Set<BeaconIdentity> = []
    private var devices: Set<RemoteAddress> = []
    /// What is almost a frame, in the order in which it was received.
    private var nearMisses: [String] = []

    /// Those beside the beacons of a filter.
    /// - Parameter reader: how beacons are found in packets.
    package init(beside filter: BeaconFilter, reader: FrameReader = .specified) {
        self.filter = filter
        found = RememberedBeacons(reader)
    }

    /// Takes an advertisement.
    package mutating func take(_ sighting: Sighting) { take(sighting, with: found.beacons(in: sighting)) }

    /// Takes an advertisement with the beacons in it.
    mutating func take(_ sighting: Sighting, with received: [ReceivedBeacon]) {
        for beacon in received where !filter.contains(beacon.identity) && beacons.count < Self.maximum {
            if known.insert(beacon.identity).inserted { beacons.append(beacon.identity) }
        }
        guard received.isEmpty else { return }
        if sighting.pdu?.isScanResponse != true, devices.count < Self.maximum { devices.insert(sighting.device) }
        guard nearMisses.count < Self.named else { return }
        for miss in AdvertisingData.prefix(of: sighting.data).data.nearMisses where !nearMisses.contains(miss.text) {
            nearMisses.append(miss.text)
        }
    }

    /// `received instead: 2 iBeacons (E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 1/7, … 1/8) and 5 other advertisers`; `nil` if
    /// nothing was received.
    package var sentence: String? {
        var parts: [String] = []
        if !beacons.isEmpty {
            let names = beacons.prefix(Self.named).map(Self.name)
            let rest = beacons.count > Self.named ? ["…"] : []
            let kind = beacons.allSatisfy { $0.format == IBeacon.formatName } ? "iBeacon" : "beacon"
            parts.append(
                "\(beacons.count) \(kind)\(beacons.count == 1 ? "" : "s") (\((names + rest).joined(separator: ", ")))")
        }
        if !devices.isEmpty {
            let kind = beacons.isEmpty ? "advertiser" : "other advertiser"
            let without = beacons.isEmpty ? " without a beacon frame" : ""
            let almost = nearMisses.isEmpty ? "" : " (\(nearMisses.joined(separator: "; ")))"
            parts.append("\(devices.count) \(kind)\(devices.count == 1 ? "" : "s")\(without)\(almost)")
        }
        return parts.isEmpty ? nil : "received instead: " + parts.joined(separator: " and ")
    }

    private static func name(_ identity: BeaconIdentity) -> String {
        guard identity.format == IBeacon.formatName, let numbers = identity.numbers else { return "\(identity)" }
        return "\(numbers.uuid) \(numbers.major)/\(numbers.minor)"
    }
}
