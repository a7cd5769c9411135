// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a device address in a report or a peer's place is (Core 5.4, Vol 4, Part E, 7.7.65.2 and 7.8.12).
package struct AddressType: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Assigned by the IEEE.
    package static let `public` = AddressType(rawValue: 0)
    /// Made up by the device: static or private.
    package static let random = AddressType(rawValue: 1)
    /// The public identity behind a resolvable private address that the controller resolved.
    package static let publicIdentity = AddressType(rawValue: 2)
    /// The static random identity behind a resolvable private address that the controller resolved.
    package static let randomIdentity = AddressType(rawValue: 3)
    /// In an event of a directed advertisement: the controller could not resolve the address.
    package static let unresolved = AddressType(rawValue: 0xFE)
    /// In a report: the advertisement has no address. In a filter accept list: every such advertisement.
    package static let anonymous = AddressType(rawValue: 0xFF)
}

/// Which of its addresses a controller uses (Core 5.4, Vol 4, Part E, 7.8.5).
package struct OwnAddressType: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The public one.
    package static let `public` = OwnAddressType(rawValue: 0)
    /// The random one that the host set.
    package static let random = OwnAddressType(rawValue: 1)
    /// A resolvable private one of the resolving list, else the public one.
    package static let resolvableOrPublic = OwnAddressType(rawValue: 2)
    /// A resolvable private one of the resolving list, else the random one that the host set.
    package static let resolvableOrRandom = OwnAddressType(rawValue: 3)

    /// Whether it is the random one where no resolving list decides.
    package var isRandom: Bool { rawValue & 1 == 1 }
}
