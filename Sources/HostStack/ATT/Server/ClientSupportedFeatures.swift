// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a client understands (Core 5.4, Vol 3, Part G, 7.2); in its first octet.
package struct ClientSupportedFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It is to be told when its picture of the server is old.
    package static let robustCaching = ClientSupportedFeatures(rawValue: 0x01)
    /// It uses enhanced bearers.
    package static let enhancedBearer = ClientSupportedFeatures(rawValue: 0x02)
    /// It takes notifications of several values.
    package static let multipleHandleValueNotifications = ClientSupportedFeatures(rawValue: 0x04)
}

extension ClientSupportedFeatures {
    /// All that have a meaning.
    static let known: ClientSupportedFeatures = [.robustCaching, .enhancedBearer, .multipleHandleValueNotifications]
}
