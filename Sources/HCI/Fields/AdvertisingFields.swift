// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// What a legacy advertisement is (Core 5.4, Vol 4, Part E, 7.8.5).
package struct AdvertisingType: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// ADV_IND: whoever may connect, and scan.
    package static let connectableUndirected = AdvertisingType(rawValue: 0)
    /// ADV_DIRECT_IND with high duty cycle, for at most 1.28 s.
    package static let connectableDirectedHighDutyCycle = AdvertisingType(rawValue: 1)
    /// ADV_SCAN_IND: whoever may scan.
    package static let scannableUndirected = AdvertisingType(rawValue: 2)
    /// ADV_NONCONN_IND.
    package static let nonConnectableUndirected = AdvertisingType(rawValue: 3)
    /// ADV_DIRECT_IND with low duty cycle.
    package static let connectableDirectedLowDutyCycle = AdvertisingType(rawValue: 4)
}

/// The primary advertising channels, a bit each (Core 5.4, Vol 4, Part E, 7.8.5).
package struct AdvertisingChannelMap: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 2402 MHz.
    package static let channel37 = AdvertisingChannelMap(rawValue: 1 << 0)
    /// 2426 MHz.
    package static let channel38 = AdvertisingChannelMap(rawValue: 1 << 1)
    /// 2480 MHz.
    package static let channel39 = AdvertisingChannelMap(rawValue: 1 << 2)
    /// All three.
    package static let all: AdvertisingChannelMap = [.channel37, .channel38, .channel39]
}

/// Whose requests an advertiser takes (Core 5.4, Vol 4, Part E, 7.8.5); empty: everybody's.
package struct AdvertisingFilterPolicy: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Scan requests only of devices in the filter accept list.
    package static let scanRequestsOfList = AdvertisingFilterPolicy(rawValue: 1 << 0)
    /// Connection requests only of devices in the filter accept list.
    package static let connectionRequestsOfList = AdvertisingFilterPolicy(rawValue: 1 << 1)
}

/// What an extended advertising set sends (Core 5.4, Vol 4, Part E, 7.8.53).
package struct AdvertisingEventProperties: HCIFlags {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A central may connect.
    package static let connectable = AdvertisingEventProperties(rawValue: 1 << 0)
    /// A scanner may ask for a scan response.
    package static let scannable = AdvertisingEventProperties(rawValue: 1 << 1)
    /// For one peer.
    package static let directed = AdvertisingEventProperties(rawValue: 1 << 2)
    /// Directed, connectable, and as often as every 3.75 ms.
    package static let highDutyCycle = AdvertisingEventProperties(rawValue: 1 << 3)
    /// In legacy PDUs.
    package static let legacy = AdvertisingEventProperties(rawValue: 1 << 4)
    /// Without the advertiser's address.
    package static let anonymous = AdvertisingEventProperties(rawValue: 1 << 5)
    /// With the transmit power in the extended header.
    package static let includesTransmitPower = AdvertisingEventProperties(rawValue: 1 << 6)

    /// ADV_IND.
    package static let legacyConnectable: AdvertisingEventProperties = [.legacy, .connectable, .scannable]
    /// ADV_SCAN_IND.
    package static let legacyScannable: AdvertisingEventProperties = [.legacy, .scannable]
    /// ADV_NONCONN_IND.
    package static let legacyNonConnectable: AdvertisingEventProperties = [.legacy]
}

/// Which part of an extended set's data a command has (Core 5.4, Vol 4, Part E, 7.8.54).
package struct AdvertisingDataOperation: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A fragment between first and last.
    package static let intermediateFragment = AdvertisingDataOperation(rawValue: 0)
    /// The first fragment.
    package static let firstFragment = AdvertisingDataOperation(rawValue: 1)
    /// The last fragment.
    package static let lastFragment = AdvertisingDataOperation(rawValue: 2)
    /// All of it.
    package static let complete = AdvertisingDataOperation(rawValue: 3)
    /// The data stays; only the number that marks a change of it is new.
    package static let unchanged = AdvertisingDataOperation(rawValue: 4)
}

extension TransmitPower {
    /// 127: the controller may choose, or does not know.
    package static let unspecified = TransmitPower(127)
}
