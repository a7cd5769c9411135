// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A frame of a beacon format that is known here.
public enum BeaconFrame: Hashable, Sendable {
    /// Apple's proximity beacon.
    case iBeacon(IBeacon)
    /// Radius Networks' open one.
    case altBeacon(AltBeacon)
    /// Eddystone with an identifier.
    case eddystoneUID(EddystoneUID)
    /// Eddystone with an address of the web.
    case eddystoneURL(EddystoneURL)
    /// Eddystone with telemetry.
    case eddystoneTLM(EddystoneTLM)
    /// Eddystone with telemetry that is encrypted.
    case eddystoneEncryptedTLM(EddystoneEncryptedTLM)
    /// Eddystone with an identifier that changes.
    case eddystoneEID(EddystoneEID)

    /// The frame in this structure, if it is one. It serialises to this structure.
    public init?(_ structure: AdvertisingStructure) {
        switch structure {
        case .manufacturerSpecific:
            guard let frame = IBeacon(structure).map(Self.iBeacon) ?? AltBeacon(structure).map(Self.altBeacon) else {
                return nil
            }
            self = frame
        case .serviceData16(Eddystone.service, let data):
            guard let frame = Self.eddystone(structure, type: data.first) else { return nil }
            self = frame
        default: return nil
        }
    }

    private static func eddystone(_ structure: AdvertisingStructure, type: UInt8?) -> BeaconFrame? {
        switch type {
        case 0x00: EddystoneUID(structure).map(Self.eddystoneUID)
        case 0x10: EddystoneURL(structure).map(Self.eddystoneURL)
        case 0x20:
            EddystoneTLM(structure).map(Self.eddystoneTLM)
                ?? EddystoneEncryptedTLM(structure).map(Self.eddystoneEncryptedTLM)
        case 0x30: EddystoneEID(structure).map(Self.eddystoneEID)
        default: nil
        }
    }

    /// Of which format it is.
    public var format: BeaconFormat {
        switch self {
        case .iBeacon: .iBeacon
        case .altBeacon: .altBeacon
        case .eddystoneUID: .eddystoneUID
        case .eddystoneURL: .eddystoneURL
        case .eddystoneTLM: .eddystoneTLM
        case .eddystoneEncryptedTLM: .eddystoneEncryptedTLM
        case .eddystoneEID: .eddystoneEID
        }
    }

    /// The AD structure that it is on the air.
    public var structure: AdvertisingStructure {
        switch self {
        case .iBeacon(let frame): frame.structure
        case .altBeacon(let frame): frame.structure
        case .eddystoneUID(let frame): frame.structure
        case .eddystoneURL(let frame): frame.structure
        case .eddystoneTLM(let frame): frame.structure
        case .eddystoneEncryptedTLM(let frame): frame.structure
        case .eddystoneEID(let frame): frame.structure
        }
    }
}

extension AdvertisingData {
    /// The beacon frames in it, in their order.
    public var frames: [BeaconFrame] { structures.compactMap(BeaconFrame.init) }

    /// The iBeacon frames in it, in their order.
    public var iBeacons: [IBeacon] { structures.compactMap(IBeacon.init) }
}
