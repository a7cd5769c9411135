// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The state of one client, which a server saves with its bond (Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3).
package struct ATTClientState: Hashable, Sendable {
    /// The client's subscriptions, by the handle of the characteristic value; without empty ones.
    package var configurations: [AttributeHandle: ClientCharacteristicConfiguration]
    /// The features that the client supports.
    package var features: ClientSupportedFeatures
    /// The hash of the attribute table that the client last knew; `nil` for a new client.
    package var databaseHash: [UInt8]?

    /// The state of a client; by default, of a new one.
    package init(
        configurations: [AttributeHandle: ClientCharacteristicConfiguration] = [:],
        features: ClientSupportedFeatures = [], databaseHash: [UInt8]? = nil
    ) {
        self.configurations = configurations
        self.features = features
        self.databaseHash = databaseHash
    }
}

/// The features that a client supports: the first byte of Client Supported Features (Core 5.4, Vol 3, Part G, 7.2).
package struct ClientSupportedFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Robust caching: the server reports when the client's copy of the attribute table is out of date.
    package static let robustCaching = ClientSupportedFeatures(rawValue: 0x01)
    /// Enhanced bearers.
    package static let enhancedBearer = ClientSupportedFeatures(rawValue: 0x02)
    /// Notifications of several values.
    package static let multipleHandleValueNotifications = ClientSupportedFeatures(rawValue: 0x04)

    /// All features that are defined.
    static let known: ClientSupportedFeatures = [.robustCaching, .enhancedBearer, .multipleHandleValueNotifications]
}
