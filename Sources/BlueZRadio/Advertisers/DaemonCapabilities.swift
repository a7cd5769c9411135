// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What bluetoothd does with org.bluez.LEAdvertisement1 objects on one adapter.
///
/// A property that a daemon does not know is ignored without an error, so what the daemon does not publish follows from
/// its version. What is unknown counts as not supported.
struct DaemonCapabilities: Hashable, Sendable {
    /// The version; `nil` when the daemon does not publish it.
    var version: BlueZVersion?
    /// Whether it was started with its experimental interfaces (`-E`); `nil` when that is not known.
    var isExperimental: Bool?
    /// Whether `Includes` takes `tx-power` (SupportedIncludes).
    var canIncludeTransmitPower = false
    /// Whether `TxPower` is honoured (CanSetTxPower of SupportedFeatures).
    var canSetTransmitPower = false

    /// Whether there are the properties `ScanResponse…`, which no daemon needs `-E` for. Since BlueZ 5.80.
    var hasScanResponseProperties: Bool { isAtLeast(5, 80) }

    /// Whether `Discoverable` = false gives flags of 0x04 instead of none. Since BlueZ 5.69.
    var writesFlagsOfUndiscoverable: Bool { isAtLeast(5, 69) }

    /// Whether `Data` takes any resolvable set identifier. Until BlueZ 5.85; later ones refuse those of other keys.
    var takesAnySetIdentifier: Bool { version != nil && !isAtLeast(5, 86) }

    /// Whether intervals are honoured: since BlueZ 5.77, before that only when experimental; `nil` when that is not known.
    var honoursIntervals: Bool? {
        if isAtLeast(5, 77) { return true }
        return version == nil && isExperimental != true ? nil : isExperimental
    }

    private func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        version.map { $0 >= BlueZVersion(major, minor) } ?? false
    }
}
