// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What a legacy advertisement is (Core 5.4, Vol 4, Part E, 7.8.5).
public struct AdvertisingType: HCICode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// ADV_IND: whoever may connect, and scan.
    public static let connectableUndirected = AdvertisingType(rawValue: 0)
    /// ADV_DIRECT_IND with high duty cycle, for at most 1.28 s.
    public static let connectableDirectedHighDutyCycle = AdvertisingType(rawValue: 1)
    /// ADV_SCAN_IND: whoever may scan.
    public static let scannableUndirected = AdvertisingType(rawValue: 2)
    /// ADV_NONCONN_IND.
    public static let nonConnectableUndirected = AdvertisingType(rawValue: 3)
    /// ADV_DIRECT_IND with low duty cycle.
    public static let connectableDirectedLowDutyCycle = AdvertisingType(rawValue: 4)
}

/// The primary advertising channels, a bit each (Core 5.4, Vol 4, Part E, 7.8.5).
public struct AdvertisingChannelMap: HCIFlags {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 2402 MHz.
    public static let channel37 = AdvertisingChannelMap(rawValue: 1 << 0)
    /// 2426 MHz.
    public static let channel38 = AdvertisingChannelMap(rawValue: 1 << 1)
    /// 2480 MHz.
    public static let channel39 = AdvertisingChannelMap(rawValue: 1 << 2)
    /// All three.
    public static let all: AdvertisingChannelMap = [.channel37, .channel38, .channel39]
}

/// Whose requests an advertiser takes (Core 5.4, Vol 4, Part E, 7.8.5); empty: everybody's.
public struct AdvertisingFilterPolicy: HCIFlags {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Scan requests only of devices in the filter accept list.
    public static let scanRequestsOfList = AdvertisingFilterPolicy(rawValue: 1 << 0)
    /// Connection requests only of devices in the filter accept list.
    public static let connectionRequestsOfList = AdvertisingFilterPolicy(rawValue: 1 << 1)
}

/// What an extended advertising set sends (Core 5.4, Vol 4, Part E, 7.8.53).
public struct AdvertisingEventProperties: HCIFlags {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A central may connect.
    public static let connectable = AdvertisingEventProperties(rawValue: 1 << 0)
    /// A scanner may ask for a scan response.
    public static let scannable = AdvertisingEventProperties(rawValue: 1 << 1)
    /// For one peer.
    public static let directed = AdvertisingEventProperties(rawValue: 1 << 2)
    /// Directed, connectable, and as often as every 3.75 ms.
    public static let highDutyCycle = AdvertisingEventProperties(rawValue: 1 << 3)
    /// In legacy PDUs.
    public static let legacy = AdvertisingEventProperties(rawValue: 1 << 4)
    /// Without the advertiser's address.
    public static let anonymous = AdvertisingEventProperties(rawValue: 1 << 5)
    /// With the transmit power in the extended header.
    public static let includesTransmitPower = AdvertisingEventProperties(rawValue: 1 << 6)

    /// ADV_IND.
    public static let legacyConnectable: AdvertisingEventProperties = [.legacy, .connectable, .scannable]
    /// ADV_SCAN_IND.
    public static let legacyScannable: AdvertisingEventProperties = [.legacy, .scannable]
    /// ADV_NONCONN_IND.
    public static let legacyNonConnectable: AdvertisingEventProperties = [.legacy]
}

/// Which part of an extended set's data a command has (Core 5.4, Vol 4, Part E, 7.8.54).
public struct AdvertisingDataOperation: HCICode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A fragment between first and last.
    public static let intermediateFragment = AdvertisingDataOperation(rawValue: 0)
    /// The first fragment.
    public static let firstFragment = AdvertisingDataOperation(rawValue: 1)
    /// The last fragment.
    public static let lastFragment = AdvertisingDataOperation(rawValue: 2)
    /// All of it.
    public static let complete = AdvertisingDataOperation(rawValue: 3)
    /// The data stays; only the number that marks a change of it is new.
    public static let unchanged = AdvertisingDataOperation(rawValue: 4)
}

extension TransmitPower {
    /// 127: the controller may choose, or does not know.
    public static let unspecified = TransmitPower(127)
}
