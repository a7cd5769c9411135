// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The type of a legacy advertising PDU (Core 5.4, Vol 6, Part B, 2.3.1).
public enum AdvertisingPDU: String, Hashable, Sendable, CaseIterable {
    /// Connectable and scannable.
    case connectableScannable = "ADV_IND"
    /// Scannable, not connectable.
    case scannable = "ADV_SCAN_IND"
    /// Neither; it has no scan response.
    case nonConnectable = "ADV_NONCONN_IND"

    /// The maximum length of advertising data, and of scan response data, in a legacy PDU, in bytes.
    public static let capacity = 31

    /// Whether a central can connect to the advertiser.
    public var isConnectable: Bool { self == .connectableScannable }
    /// Whether the advertiser answers scan requests with a scan response.
    public var isScannable: Bool { self != .nonConnectable }
}
