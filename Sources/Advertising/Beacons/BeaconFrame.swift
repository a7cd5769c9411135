// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The beacon formats that are known here.
public enum BeaconFormat: String, Hashable, Sendable, CaseIterable {
    /// Apple's proximity beacon.
    case iBeacon = "ibeacon"
}

/// A frame of a beacon format that is known here.
public enum BeaconFrame: Hashable, Sendable {
    /// Apple's proximity beacon.
    case iBeacon(IBeacon)

    /// The frame in this structure, if it is one.
    public init?(_ structure: AdvertisingStructure) {
        guard let frame = IBeacon(structure) else { return nil }
        self = .iBeacon(frame)
    }

    /// Of which format it is.
    public var format: BeaconFormat {
        switch self {
        case .iBeacon: .iBeacon
        }
    }
}

extension AdvertisingData {
    /// The beacon frames in it, in their order.
    public var frames: [BeaconFrame] { structures.compactMap(BeaconFrame.init) }

    /// The iBeacon frames in it, in their order.
    public var iBeacons: [IBeacon] { structures.compactMap(IBeacon.init) }
}
