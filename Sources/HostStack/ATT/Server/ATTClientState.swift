// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The state of one client, which a server saves with its bond (Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3).
package struct ATTClientState: Hashable, Sendable {
    /// The client's subscriptions, by the handle of the characteristic value; without empty ones.
    var configurations: [AttributeHandle: ClientCharacteristicConfiguration]
    /// The features that the client supports.
    var features: ClientSupportedFeatures
    /// The hash of the attribute table that the client last knew; `nil` for a new client.
    var databaseHash: [UInt8]?

    /// The state of a client; by default, of a new one.
    init(
        configurations: [AttributeHandle: ClientCharacteristicConfiguration] = [:],
        features: ClientSupportedFeatures = [], databaseHash: [UInt8]? = nil
    ) {
        self.configurations = configurations
        self.features = features
        self.databaseHash = databaseHash
    }
}

/// The features that a client supports: the first byte of Client Supported Features (Core 5.4, Vol 3, Part G, 7.2).
struct ClientSupportedFeatures: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// Robust caching: the server reports when the client's copy of the attribute table is out of date.
    static let robustCaching = ClientSupportedFeatures(rawValue: 0x01)
    /// Enhanced bearers.
    static let enhancedBearer = ClientSupportedFeatures(rawValue: 0x02)
    /// Notifications of several values.
    static let multipleHandleValueNotifications = ClientSupportedFeatures(rawValue: 0x04)

    /// All features that are defined.
    static let known: ClientSupportedFeatures = [.robustCaching, .enhancedBearer, .multipleHandleValueNotifications]
}
