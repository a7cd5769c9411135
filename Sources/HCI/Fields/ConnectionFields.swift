// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A device's part in a connection (Core 5.4, Vol 4, Part E, 7.7.65.1).
package struct ConnectionRole: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It asked for the connection.
    package static let central = ConnectionRole(rawValue: 0)
    /// It advertised.
    package static let peripheral = ConnectionRole(rawValue: 1)
}

/// How well the central keeps time (Core 5.4, Vol 4, Part E, 7.7.65.1): parts per million, at most.
package struct ClockAccuracy: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 500 parts per million.
    package static let parts500 = ClockAccuracy(rawValue: 0)
    /// 250 parts per million.
    package static let parts250 = ClockAccuracy(rawValue: 1)
    /// 150 parts per million.
    package static let parts150 = ClockAccuracy(rawValue: 2)
    /// 100 parts per million.
    package static let parts100 = ClockAccuracy(rawValue: 3)
    /// 75 parts per million.
    package static let parts75 = ClockAccuracy(rawValue: 4)
    /// 50 parts per million.
    package static let parts50 = ClockAccuracy(rawValue: 5)
    /// 30 parts per million.
    package static let parts30 = ClockAccuracy(rawValue: 6)
    /// 20 parts per million.
    package static let parts20 = ClockAccuracy(rawValue: 7)
}

/// How a connection hops (Core 5.4, Vol 4, Part E, 7.7.65.20).
package struct ChannelSelectionAlgorithm: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The one of Core 4.
    package static let algorithm1 = ChannelSelectionAlgorithm(rawValue: 0)
    /// The one of Core 5.
    package static let algorithm2 = ChannelSelectionAlgorithm(rawValue: 1)
}

/// What a peer may show as its address (Core 5.4, Vol 4, Part E, 7.8.77).
package struct PrivacyMode: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Only resolvable private ones.
    package static let network = PrivacyMode(rawValue: 0)
    /// Its identity too.
    package static let device = PrivacyMode(rawValue: 1)
}

/// A version of the Core specification, for HCI, the link layer and the link manager alike (Assigned Numbers, 2.1).
package struct CoreVersion: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Core 4.0, the first with LE.
    package static let core40 = CoreVersion(rawValue: 6)
    /// Core 4.1.
    package static let core41 = CoreVersion(rawValue: 7)
    /// Core 4.2.
    package static let core42 = CoreVersion(rawValue: 8)
    /// Core 5.0.
    package static let core50 = CoreVersion(rawValue: 9)
    /// Core 5.1.
    package static let core51 = CoreVersion(rawValue: 10)
    /// Core 5.2.
    package static let core52 = CoreVersion(rawValue: 11)
    /// Core 5.3.
    package static let core53 = CoreVersion(rawValue: 12)
    /// Core 5.4.
    package static let core54 = CoreVersion(rawValue: 13)
    /// Core 6.0.
    package static let core60 = CoreVersion(rawValue: 14)
}
