// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The type of a legacy advertising PDU (Core 5.4, Vol 6, Part B, 2.3.1).
public enum AdvertisingPDU: String, Hashable, Sendable, CaseIterable {
    /// Connectable and scannable.
    case connectableScannable = "ADV_IND"
    /// Scannable, not connectable.
    case scannable = "ADV_SCAN_IND"
    /// Neither: it has no scan response.
    case nonConnectable = "ADV_NONCONN_IND"

    /// Octets of advertising data, and of scan response data, that a legacy PDU carries.
    public static let capacity = 31

    /// Whether a central can connect to it.
    public var isConnectable: Bool { self == .connectableScannable }
    /// Whether it answers scan requests, so that a scan response is on the air.
    public var isScannable: Bool { self != .nonConnectable }
}
