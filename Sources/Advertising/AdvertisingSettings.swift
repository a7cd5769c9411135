// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// How often, how strongly and from which address an advertisement is sent; profiles of all kinds of devices may give it.
public struct AdvertisingSettings: Hashable, Sendable {
    /// The time between advertising events, without the random delay of up to 10 ms that the link layer adds.
    public var interval: AdvertisingInterval
    /// The transmit power; `nil` if the radio chooses it.
    public var transmitPower: TransmitPower?
    /// The address that the profile gives; `nil` if the radio chooses it.
    public var address: BluetoothAddress?

    /// Settings; by default every 100 ms, and the radio chooses power and address.
    public init(
        interval: AdvertisingInterval = AdvertisingInterval(160), transmitPower: TransmitPower? = nil,
        address: BluetoothAddress? = nil
    ) {
        self.interval = interval
        self.transmitPower = transmitPower
        self.address = address
    }
}
