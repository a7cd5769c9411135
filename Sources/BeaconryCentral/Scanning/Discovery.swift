// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Radio

/// A device that was heard by a scan.
public struct Discovery: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// What was heard now.
    public let sighting: Sighting
    /// All that the device advertises, as far as it was heard until now.
    public let advertisement: ReceivedAdvertisement
    /// When it was heard: the time since the `Central` was made.
    public var time: Duration { advertisement.time }
}
