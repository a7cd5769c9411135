// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a link must offer before something is done with an attribute (Core 5.4, Vol 3, Part F, 3.2.5).
public struct AttributeSecurity: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The link must be encrypted.
    public static let encryption = AttributeSecurity(rawValue: 0x01)
    /// The link must be encrypted with a key that was made with protection against a person in the middle.
    public static let authentication = AttributeSecurity(rawValue: 0x02)
    /// The client must have been allowed to.
    public static let authorization = AttributeSecurity(rawValue: 0x04)
}

/// What the operations on a characteristic need; its properties say which there are.
public struct AttributePermissions: Hashable, Sendable {
    /// What reading the value needs.
    public var read: AttributeSecurity
    /// What writing the value needs.
    public var write: AttributeSecurity
    /// What writing the client configuration descriptor needs.
    public var subscribe: AttributeSecurity
    /// The shortest key, in octets, that encrypts a link well enough: 7 to 16.
    public var minimumKeySize: UInt8

    /// Everybody may do everything.
    public static let open = AttributePermissions()

    /// Permissions that ask for nothing unless they are told to.
    public init(
        read: AttributeSecurity = [], write: AttributeSecurity = [], subscribe: AttributeSecurity = [],
        minimumKeySize: UInt8 = 7
    ) {
        self.read = read
        self.write = write
        self.subscribe = subscribe
        self.minimumKeySize = minimumKeySize
    }
}
