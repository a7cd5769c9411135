// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a device address in a report or a peer's place is (Core 5.4, Vol 4, Part E, 7.7.65.2 and 7.8.12).
public struct AddressType: HCICode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Assigned by the IEEE.
    public static let `public` = AddressType(rawValue: 0)
    /// Made up by the device: static or private.
    public static let random = AddressType(rawValue: 1)
    /// The public identity behind a resolvable private address that the controller resolved.
    public static let publicIdentity = AddressType(rawValue: 2)
    /// The static random identity behind a resolvable private address that the controller resolved.
    public static let randomIdentity = AddressType(rawValue: 3)
    /// In an event of a directed advertisement: the controller could not resolve the address.
    public static let unresolved = AddressType(rawValue: 0xFE)
    /// In a report: the advertisement has no address. In a filter accept list: every such advertisement.
    public static let anonymous = AddressType(rawValue: 0xFF)
}

/// Which of its addresses a controller uses (Core 5.4, Vol 4, Part E, 7.8.5).
public struct OwnAddressType: HCICode {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The public one.
    public static let `public` = OwnAddressType(rawValue: 0)
    /// The random one that the host set.
    public static let random = OwnAddressType(rawValue: 1)
    /// A resolvable private one of the resolving list, else the public one.
    public static let resolvableOrPublic = OwnAddressType(rawValue: 2)
    /// A resolvable private one of the resolving list, else the random one that the host set.
    public static let resolvableOrRandom = OwnAddressType(rawValue: 3)

    /// Whether it is the random one where no resolving list decides.
    public var isRandom: Bool { rawValue & 1 == 1 }
}
