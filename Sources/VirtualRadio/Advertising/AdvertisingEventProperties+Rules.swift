// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

extension AdvertisingEventProperties {
    static let legacyDirectedHighDuty: Self = [.legacy, .connectable, .directed, .highDutyCycle]
    static let legacyDirectedLowDuty: Self = [.legacy, .connectable, .directed]

    /// The properties of the advertising types in the order of their numbers (Core 5.4, Vol 4, Part E, 7.8.5).
    static let ofLegacyTypes: [Self] = [
        .legacyConnectable, .legacyDirectedHighDuty, .legacyScannable, .legacyNonConnectable, .legacyDirectedLowDuty,
    ]

    /// Whether there are PDUs for this (Core 5.4, Vol 4, Part E, 7.8.53).
    var isValid: Bool {
        guard rawValue & ~0x7F == 0 else { return false }
        if contains(.legacy) { return Self.ofLegacyTypes.contains(self) }
        if contains(.highDutyCycle) || isSuperset(of: [.connectable, .scannable]) { return false }
        return !contains(.anonymous) || isDisjoint(with: [.connectable, .scannable])
    }

    /// Event type of a legacy report (Core 5.4, Vol 4, Part E, 7.7.65.2).
    var reportType: AdvertisingReportType {
        if contains(.directed) { return .connectableDirected }
        if contains(.connectable) { return .connectableUndirected }
        return contains(.scannable) ? .scannableUndirected : .nonConnectableUndirected
    }

    /// Event type of an extended report of complete data that is no scan response (Core 5.4, Vol 4, Part E, 7.7.65.13).
    var extendedEventType: ExtendedAdvertisingEventType { ExtendedAdvertisingEventType(rawValue: rawValue & 0x17) }

    /// Whether its PDUs have advertising data: directed legacy ones and scannable extended ones have none.
    var takesAdvertisingData: Bool { contains(.legacy) ? !contains(.directed) : !contains(.scannable) }
    /// Whether there are scan responses.
    var takesScanResponseData: Bool { contains(.scannable) }
}
