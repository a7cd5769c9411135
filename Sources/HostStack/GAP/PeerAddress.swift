// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import HCI

/// Another device, as a connection is asked for.
public struct PeerAddress: Hashable, Sendable {
    /// Its address.
    public var address: BluetoothAddress
    /// The kind of that address.
    public var type: AddressType

    /// The device of this address.
    public init(_ address: BluetoothAddress, type: AddressType) {
        self.address = address
        self.type = type
    }
}
