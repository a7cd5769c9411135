// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import BluetoothCore

/// One row of an attribute table (Core 5.4, Vol 3, Part F, 3.2).
package struct Attribute: Hashable, Sendable {
    /// Who knows the value.
    package enum Value: Hashable, Sendable {
        /// It never changes.
        case constant([UInt8])
        /// The owner of the services: the value of a characteristic.
        case owner
        /// Each client's own configuration of the characteristic whose value this handle has.
        case clientConfiguration(of: AttributeHandle, allowed: ClientCharacteristicConfiguration)
        /// The server's configuration of the characteristic whose value this handle has.
        case serverConfiguration(of: AttributeHandle)
        /// Each client's own features.
        case clientSupportedFeatures
        /// The hash of the table.
        case databaseHash
    }

    /// Its number.
    package let handle: AttributeHandle
    /// Its type; of a characteristic's value, that is the characteristic's.
    package let type: BluetoothUUID
    /// Who knows the value.
    package let value: Value
    /// Whether it can be read at all.
    package let isReadable: Bool
    /// Whether it can be written at all.
    package let isWritable: Bool
    /// What a link must offer for that.
    package let permissions: AttributePermissions
    /// The last attribute of the service that it declares; itself when it declares none.
    package let groupEnd: AttributeHandle
}
