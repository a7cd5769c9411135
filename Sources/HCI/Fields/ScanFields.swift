// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Whether a scanner asks for scan responses (Core 5.4, Vol 4, Part E, 7.8.10).
package struct ScanType: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It only listens.
    package static let passive = ScanType(rawValue: 0)
    /// It sends scan requests.
    package static let active = ScanType(rawValue: 1)
}

/// Whose advertisements a scanner takes (Core 5.4, Vol 4, Part E, 7.8.10).
package struct ScanningFilterPolicy: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Everybody's but those directed to others.
    package static let unfiltered = ScanningFilterPolicy(rawValue: 0)
    /// Those of devices in the filter accept list.
    package static let filtered = ScanningFilterPolicy(rawValue: 1)
    /// Everybody's, and those directed to a resolvable private address.
    package static let extendedUnfiltered = ScanningFilterPolicy(rawValue: 2)
    /// Those of devices in the filter accept list, and those directed to a resolvable private address.
    package static let extendedFiltered = ScanningFilterPolicy(rawValue: 3)

    /// Whether the filter accept list decides.
    package var usesFilterAcceptList: Bool { rawValue & 1 == 1 }
}

/// To whom a central connects (Core 5.4, Vol 4, Part E, 7.8.12).
package struct InitiatorFilterPolicy: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To the peer that the command names.
    package static let peerAddress = InitiatorFilterPolicy(rawValue: 0)
    /// To any device in the filter accept list.
    package static let filterAcceptList = InitiatorFilterPolicy(rawValue: 1)
}

/// What a legacy report is of (Core 5.4, Vol 4, Part E, 7.7.65.2).
package struct AdvertisingReportType: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// ADV_IND.
    package static let connectableUndirected = AdvertisingReportType(rawValue: 0)
    /// ADV_DIRECT_IND.
    package static let connectableDirected = AdvertisingReportType(rawValue: 1)
    /// ADV_SCAN_IND.
    package static let scannableUndirected = AdvertisingReportType(rawValue: 2)
    /// ADV_NONCONN_IND.
    package static let nonConnectableUndirected = AdvertisingReportType(rawValue: 3)
    /// SCAN_RSP.
    package static let scanResponse = AdvertisingReportType(rawValue: 4)
}

/// What an extended report is of (Core 5.4, Vol 4, Part E, 7.7.65.13).
package struct ExtendedAdvertisingEventType: HCIFlags {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A central may connect.
    package static let connectable = ExtendedAdvertisingEventType(rawValue: 1 << 0)
    /// A scanner may ask for a scan response.
    package static let scannable = ExtendedAdvertisingEventType(rawValue: 1 << 1)
    /// For one peer.
    package static let directed = ExtendedAdvertisingEventType(rawValue: 1 << 2)
    /// The data is a scan response.
    package static let scanResponse = ExtendedAdvertisingEventType(rawValue: 1 << 3)
    /// It came in legacy PDUs.
    package static let legacy = ExtendedAdvertisingEventType(rawValue: 1 << 4)
    /// More data follows in another report.
    package static let incomplete = ExtendedAdvertisingEventType(rawValue: 1 << 5)
    /// The data was cut, and no more of it follows.
    package static let truncated = ExtendedAdvertisingEventType(rawValue: 1 << 6)

    /// ADV_IND.
    package static let legacyConnectable: ExtendedAdvertisingEventType = [.legacy, .connectable, .scannable]
    /// ADV_DIRECT_IND.
    package static let legacyDirected: ExtendedAdvertisingEventType = [.legacy, .connectable, .directed]
    /// ADV_SCAN_IND.
    package static let legacyScannable: ExtendedAdvertisingEventType = [.legacy, .scannable]
    /// ADV_NONCONN_IND.
    package static let legacyNonConnectable: ExtendedAdvertisingEventType = [.legacy]
    /// SCAN_RSP to an ADV_IND.
    package static let legacyScanResponseOfConnectable: ExtendedAdvertisingEventType = [
        .legacy, .scanResponse, .connectable, .scannable,
    ]
    /// SCAN_RSP to an ADV_SCAN_IND.
    package static let legacyScanResponseOfScannable: ExtendedAdvertisingEventType = [
        .legacy, .scanResponse, .scannable,
    ]
}
