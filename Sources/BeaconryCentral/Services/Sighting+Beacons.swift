// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Advertising
import BluetoothCore
public import Radio

extension Sighting {
    /// The iBeacon frames in it, whether or not all of its data is well-formed.
    public var beacons: [IBeacon] {
        var reader = ByteReader(data)
        return AdvertisingData.parsePrefix(of: &reader).0.structures.compactMap(IBeacon.init)
    }
}
