// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import HCI

/// Another device, as a connection is asked for.
package struct PeerAddress: Hashable, Sendable {
    /// Its address.
    package var address: BluetoothAddress
    /// The kind of that address.
    package var type: AddressType

    /// The device of this address.
    package init(_ address: BluetoothAddress, type: AddressType) {
        self.address = address
        self.type = type
    }
}
