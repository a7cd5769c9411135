// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The security that an operation on an attribute requires of the link (Core 5.4, Vol 3, Part F, 3.2.5).
public struct AttributeSecurity: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The link must be encrypted.
    public static let encryption = AttributeSecurity(rawValue: 0x01)
    /// The link must be encrypted with a key that is protected against a machine in the middle.
    public static let authentication = AttributeSecurity(rawValue: 0x02)
    /// The client must be authorized.
    public static let authorization = AttributeSecurity(rawValue: 0x04)
}

/// The security that the operations on a characteristic require. Its properties define which operations exist.
public struct AttributePermissions: Hashable, Sendable {
    /// The requirement for reading the value.
    public var read: AttributeSecurity
    /// The requirement for writing the value.
    public var write: AttributeSecurity
    /// The requirement for writing the client characteristic configuration.
    public var subscribe: AttributeSecurity
    /// The shortest acceptable key of an encrypted link, in bytes: 7 to 16.
    public var minimumKeySize: UInt8

    /// No security is required.
    public static let open = AttributePermissions()

    /// Permissions; by default without requirements.
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
