// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconRegions
import BeaconryLogic
import Foundation

/// The UUIDs and beacons of the tests.
enum Sample {
    static let shop = UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")!
    static let museum = UUID(uuidString: "2173E519-9155-4862-AB64-7953AB146156")!

    static func beacon(
        _ major: UInt16, _ minor: UInt16, of uuid: UUID = shop, rssi: Int = -59, packets: Int = 9,
        proximity: Proximity = .near, accuracy: Double = 1
    ) -> RangedBeacon {
        RangedBeacon(
            uuid: uuid, major: major, minor: minor, rssi: rssi, packets: packets, proximity: proximity,
            accuracy: accuracy)
    }

    static func lost(_ major: UInt16, _ minor: UInt16, of uuid: UUID = shop) -> RangedBeacon {
        beacon(major, minor, of: uuid, rssi: 0, packets: 0, proximity: .unknown, accuracy: -1)
    }

    /// A beacon as the server writes it.
    static func json(_ beacon: RangedBeacon) -> String {
        """
        {"uuid":"\(beacon.uuid.uuidString)","major":\(beacon.major),"minor":\(beacon.minor),"rssi":\(beacon.rssi),\
        "measuredPower":-59,"packets":\(beacon.packets),"proximity":"\(beacon.proximity.rawValue)",\
        "accuracy":\(beacon.accuracy)}
        """
    }

    static func region(
        _ identifier: String, _ uuid: UUID = shop, major: UInt16? = nil, onEntry: Bool = true, onExit: Bool = true
    ) -> MonitoredRegion {
        MonitoredRegion(
            identifier: identifier, constraint: BeaconConstraint(uuid: uuid, major: major), notifyOnEntry: onEntry,
            notifyOnExit: onExit)
    }

    static func report(_ region: MonitoredRegion, _ state: RegionState, _ event: RegionReport.Event) -> RegionReport {
        RegionReport(identifier: region.identifier, constraint: region.constraint, state: state, event: event)
    }
}
