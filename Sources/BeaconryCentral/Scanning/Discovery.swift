// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Radio

/// A device that was seen by a scan.
public struct Discovery: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// The advertisement that was received.
    public let sighting: Sighting
    /// All that the device advertises, as far as it was received until now.
    public let advertisement: ReceivedAdvertisement
    /// When it was received: the time since the `Central` was created.
    public var time: Duration { advertisement.time }
}
