// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What an LE controller can do, a bit each (Core 5.4, Vol 6, Part B, 4.6).
package struct LEFeatures: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Encrypted connections.
    package static let encryption = LEFeatures(rawValue: 1 << 0)
    /// Connection parameters asked for in the link layer.
    package static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
    /// LL_REJECT_EXT_IND.
    package static let extendedReject = LEFeatures(rawValue: 1 << 2)
    /// The peripheral may ask for the central's features.
    package static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
    /// LE Ping.
    package static let ping = LEFeatures(rawValue: 1 << 4)
    /// Packets of more than 27 octets.
    package static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
    /// Resolvable private addresses in the link layer.
    package static let privacy = LEFeatures(rawValue: 1 << 6)
    /// Scanning filter policies for directed advertisements to resolvable private addresses.
    package static let extendedScanningFilterPolicies = LEFeatures(rawValue: 1 << 7)
    /// LE 2M PHY.
    package static let twoMegabitPHY = LEFeatures(rawValue: 1 << 8)
    /// LE Coded PHY.
    package static let codedPHY = LEFeatures(rawValue: 1 << 11)
    /// Extended advertising.
    package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
    /// Periodic advertising.
    package static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
    /// Channel selection algorithm 2.
    package static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
}

/// What a BR/EDR controller can do, page 0, of which LE has little (Core 5.4, Vol 2, Part C, 3.3).
package struct LMPFeatures: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The controller has no BR/EDR.
    package static let noClassicRadio = LMPFeatures(rawValue: 1 << 37)
    /// The controller has LE.
    package static let lowEnergy = LMPFeatures(rawValue: 1 << 38)
}

/// Which states and roles a controller can have at once (Core 5.4, Vol 4, Part E, 7.8.27).
package struct LESupportedStates: HCIFlags {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// All that Core 5.4 knows: bits 0 to 41.
    package static let all = LESupportedStates(rawValue: 0x03FF_FFFF_FFFF)
}
