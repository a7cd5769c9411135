// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Something that an owner has a device do, past the radio.
package enum DeviceCommand: Hashable, Sendable {
    /// To have a phone act on one of its notifications.
    case act(ANCSAction, notification: UInt32)
}

/// Something that a device shows to people.
package enum DeviceReport: Hashable, Sendable {
    /// A phone's notifications, on the device's display.
    case notifications(ANCSReport, from: Central)
    /// It does nothing until its owner does something: a clause for people says what for, and the settings that do it one
    /// after the other, as `ctl set` takes them.
    case waiting(String, until: [String])
}
