// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a host is told once.
package struct LEHostConfiguration: Hashable, Sendable {
    /// The address that scan requests and connection requests carry.
    ///
    /// A controller without advertising sets has one random address only; where beacons use it, the central uses the
    /// public address instead if there is one. A private address changes on controllers with advertising sets only.
    package var centralAddress: OwnAddress
    /// How long the controller may take to answer a command: 2 to 10 s.
    package var commandTimeout: Duration
    /// How long a peer may take to make a connection that was asked for.
    package var connectionTimeout: Duration
    /// How long one of several beacons keeps a legacy controller's only advertiser: for one advertising event.
    ///
    /// Controllers send the first event within the link layer's random delay of 10 ms.
    package var legacyDwell: Duration
    /// Decides the random delays between the turns of beacons on a legacy controller.
    package var seed: UInt64
    /// How many octets of an attribute protocol PDU the host offers to take: 23 to 517.
    package var maximumTransmissionUnit: UInt16

    /// The public address and the times that controllers need, unless said otherwise.
    package init(
        centralAddress: OwnAddress = .publicDevice, commandTimeout: Duration = .seconds(5),
        connectionTimeout: Duration = .seconds(20), legacyDwell: Duration = .milliseconds(20), seed: UInt64 = 0,
        maximumTransmissionUnit: UInt16 = 517
    ) {
        self.centralAddress = centralAddress
        self.commandTimeout = min(max(commandTimeout, .seconds(2)), .seconds(10))
        self.connectionTimeout = connectionTimeout
        self.legacyDwell = max(legacyDwell, .milliseconds(10))
        self.seed = seed
        self.maximumTransmissionUnit = min(max(maximumTransmissionUnit, 23), 517)
    }
}
