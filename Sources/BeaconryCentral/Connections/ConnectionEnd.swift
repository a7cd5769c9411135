// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Why a connection is gone.
public enum ConnectionEnd: Hashable, Sendable {
    /// `Peripheral.disconnect()` was called.
    case requested
    /// Nothing was heard of the device for as long as `Peripheral.watchdogInterval` allows.
    case watchdog(Duration)
    /// The device or the radio ended it, or it broke; a clause for people.
    case lost(String)
}

extension ConnectionEnd: CustomStringConvertible {
    /// A clause for people.
    public var description: String {
        switch self {
        case .requested: "it was ended here"
        case .watchdog(let interval): "nothing was heard for \(interval)"
        case .lost(let reason): reason
        }
    }
}
