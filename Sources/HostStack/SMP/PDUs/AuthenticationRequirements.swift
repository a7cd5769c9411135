// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI

/// What a device wants of a pairing (Core 5.4, Vol 3, Part H, 3.5.1, figure 3.3); one octet.
package struct AuthenticationRequirements: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Keys are to be kept.
    package static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against a person in the middle.
    package static let protection = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    package static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications.
    package static let keypress = AuthenticationRequirements(rawValue: 0x10)
    /// The function h7 is known.
    package static let crossTransportFunction = AuthenticationRequirements(rawValue: 0x20)

    /// Whether the two bits of bonding have a value that asks for it.
    var wantsBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// Which keys go from one device to the other when a link is encrypted (Core 5.4, Vol 3, Part H, 3.6.1); one octet.
package struct KeyDistribution: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The long term key, with legacy pairing.
    package static let encryption = KeyDistribution(rawValue: 0x01)
    /// The key that resolves private addresses, and the identity address.
    package static let identity = KeyDistribution(rawValue: 0x02)
    /// The key that signs data.
    package static let signing = KeyDistribution(rawValue: 0x04)
    /// A key of BR/EDR is derived.
    package static let link = KeyDistribution(rawValue: 0x08)
}
