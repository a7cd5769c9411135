// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Space

/// The settings of a host.
package struct LEHostConfiguration: Hashable, Sendable {
    /// The address in scan requests and connection requests.
    ///
    /// A controller without advertising sets has only one random address. If advertising uses it, the central uses the
    /// public address instead, if there is one. A private address changes on controllers with advertising sets only.
    package var centralAddress: OwnAddress
    /// The static random address of the central on a controller without the public one.
    package var substituteAddress: BluetoothAddress
    /// The time that the controller may take to reply to a command: at least 2 s.
    package var commandTimeout: Duration
    /// The default time that a requested connection may take.
    package var connectionTimeout: Duration
    /// The duration of a turn of one of several sets on a legacy controller's only advertiser: at least 10 ms.
    ///
    /// It is for one advertising event. Controllers send the first event within the link layer's random delay of 10 ms.
    var legacyDwell: Duration
    /// The random seed for the delays between turns on a legacy controller.
    package var seed: UInt64
    /// The ATT MTU that the host offers, in bytes: 23 to 517.
    package var maximumTransmissionUnit: UInt16
    /// Whether the host has one identity in all roles, so that its bonds are valid in each; else each advertising set, and the
    /// central, is a device of its own.
    package var hasOneIdentity = false
    /// Where the controller is on a virtual air; other controllers refuse it. `nil` leaves that to the air.
    package var position: Position?

    /// Settings; by default the public address and the times that controllers need. Values out of range are clamped.
    package init(
        centralAddress: OwnAddress = .publicDevice, commandTimeout: Duration = .seconds(5),
        connectionTimeout: Duration = .seconds(20), legacyDwell: Duration = .milliseconds(20), seed: UInt64 = 0,
        maximumTransmissionUnit: UInt16 = 517, substituteAddress: BluetoothAddress = .substitute
    ) {
        self.centralAddress = centralAddress
        self.substituteAddress = substituteAddress
        self.commandTimeout = max(commandTimeout, .seconds(2))
        self.connectionTimeout = connectionTimeout
        self.legacyDwell = max(legacyDwell, .milliseconds(10))
        self.seed = seed
        self.maximumTransmissionUnit = min(max(maximumTransmissionUnit, 23), 517)
    }

    /// The address of the central on a controller.
    func centralAddress(on controller: LEHostCapabilities) -> OwnAddress {
        centralAddress == .publicDevice && controller.address == nil ? .random(substituteAddress) : centralAddress
    }
}

extension BluetoothAddress {
    /// The substitute by default, a static random address; hosts that are in range of each other need different ones.
    package static let substitute = BluetoothAddress("F2:BE:AC:00:00:01") ?? .zero
}
