// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The beacon formats that are known here, by the names that commands take.
public enum BeaconFormat: String, Hashable, Sendable, CaseIterable {
    /// Apple's proximity beacon.
    case iBeacon = "ibeacon"
    /// Radius Networks' open one.
    case altBeacon = "altbeacon"
    /// Eddystone with an identifier.
    case eddystoneUID = "eddystone-uid"
    /// Eddystone with an address of the web.
    case eddystoneURL = "eddystone-url"
    /// Eddystone with telemetry.
    case eddystoneTLM = "eddystone-tlm"
    /// Eddystone with telemetry that is encrypted.
    case eddystoneEncryptedTLM = "eddystone-etlm"
    /// Eddystone with an identifier that changes.
    case eddystoneEID = "eddystone-eid"

    /// The formats of a name: one by its own, all of Eddystone's by `eddystone`; empty when there is no such name.
    public static func formats(named name: String) -> [BeaconFormat] {
        allCases.filter { $0.rawValue == name || name == "eddystone" && $0.rawValue.hasPrefix("eddystone-") }
    }
}
