// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore

/// What a radio that emulates the air must know of a beacon besides what it advertises.
public struct BeaconSite: Hashable, Sendable {
    /// Where it is; `nil` stands 1 m from everybody.
    public var position: Position?
    /// The strength that a receiver at 1 m measures, in dBm; `nil` leaves it to the radio.
    public var measuredPower: MeasuredPower?
    /// The radiated power at which it does; `nil` is 0 dBm.
    public var transmitPower: TransmitPower?

    /// A site of these values.
    public init(
        position: Position? = nil, measuredPower: MeasuredPower? = nil, transmitPower: TransmitPower? = nil
    ) {
        self.position = position
        self.measuredPower = measuredPower
        self.transmitPower = transmitPower
    }
}
