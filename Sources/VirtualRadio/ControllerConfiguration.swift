// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// What an emulated controller is born with.
package struct ControllerConfiguration: Hashable, Sendable {
    /// Its public device address.
    package var publicAddress: BluetoothAddress
    /// Where it is; parties without a place are one metre from everybody.
    package var position: Position?
    /// What its antenna adds to every strength measured between it and others, in dB: of what it sends, and of what it
    /// receives.
    package var strengthCorrection: Double
    /// The power it sends with unless its host asks for another.
    package var transmitPower: TransmitPower

    /// A controller with this public address.
    package init(
        publicAddress: BluetoothAddress, position: Position? = nil, strengthCorrection: Double = 0,
        transmitPower: TransmitPower = TransmitPower(0)
    ) {
        self.publicAddress = publicAddress
        self.position = position
        self.strengthCorrection = strengthCorrection
        self.transmitPower = transmitPower
    }
}

/// A controller on an air. It is not used again for another, also when the controller is gone.
package struct ControllerIdentifier: Hashable, Sendable {
    /// Its place in the air's array.
    let index: Int
    /// A number that no other controller has at the same time; small, and given again when it is free.
    package var number: Int { index }
    /// How many had that place before.
    let generation: UInt32
}
