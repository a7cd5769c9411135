// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// What a server knows of one client, and keeps over connections when they are bonded
/// (Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3).
package struct ATTClientState: Hashable, Sendable {
    /// What the client wants to be told, by the handle of the characteristic's value; what it does not want is absent.
    package var configurations: [AttributeHandle: ClientCharacteristicConfiguration]
    /// What the client understands.
    package var features: ClientSupportedFeatures
    /// The hash of the table that the client was last aware of; `nil` for a client that is new here.
    package var databaseHash: [UInt8]?

    /// The state of a client; without arguments, of one that is new here.
    package init(
        configurations: [AttributeHandle: ClientCharacteristicConfiguration] = [:],
        features: ClientSupportedFeatures = [], databaseHash: [UInt8]? = nil
    ) {
        self.configurations = configurations
        self.features = features
        self.databaseHash = databaseHash
    }
}
