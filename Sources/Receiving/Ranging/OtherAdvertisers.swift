// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth

/// What is received beside the beacons that are ranged: iBeacons of other UUIDs or numbers, and advertisers without a frame.
///
/// Its size is bounded; beyond that, more is not counted.
package struct OtherAdvertisers: Sendable {
    private static let maximum = 1000
    /// The beacons that a sentence names.
    private static let named = 3

    private let filter: BeaconFilter
    private var beacons: [BeaconIdentity] = []
    private var known: Set<BeaconIdentity> = []
    private var devices: Set<RemoteAddress> = []

    /// Those beside the beacons of a filter.
    package init(beside filter: BeaconFilter) { self.filter = filter }

    /// Takes an advertisement.
    package mutating func take(_ sighting: Sighting) {
        let frames = sighting.beacons
        for beacon in frames where !filter.contains(beacon) && beacons.count < Self.maximum {
            let identity = BeaconIdentity(beacon)
            if known.insert(identity).inserted { beacons.append(identity) }
        }
        if frames.isEmpty, sighting.pdu?.isScanResponse != true, devices.count < Self.maximum {
            devices.insert(sighting.device)
        }
    }

    /// `received instead: 2 iBeacons (E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 1/7, … 1/8) and 5 other advertisers`; `nil` if
    /// nothing was received.
    package var sentence: String? {
        var parts: [String] = []
        if !beacons.isEmpty {
            let names = beacons.prefix(Self.named).map { "\($0.uuid) \($0.major)/\($0.minor)" }
            let rest = beacons.count > Self.named ? ["…"] : []
            parts.append(
                "\(beacons.count) iBeacon\(beacons.count == 1 ? "" : "s") (\((names + rest).joined(separator: ", ")))")
        }
        if !devices.isEmpty {
            let kind = beacons.isEmpty ? "advertiser" : "other advertiser"
            let without = beacons.isEmpty ? " without an iBeacon frame" : ""
            parts.append("\(devices.count) \(kind)\(devices.count == 1 ? "" : "s")\(without)")
        }
        return parts.isEmpty ? nil : "received instead: " + parts.joined(separator: " and ")
    }
}
