// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The reason for the end of a connection.
public enum ConnectionEnd: Hashable, Sendable {
    /// `Peripheral.disconnect()` was called.
    case requested
    /// The device was silent for `Peripheral.watchdogInterval`.
    case watchdog(Duration)
    /// The device or the radio ended it, or it was lost; a clause for people.
    case lost(String)
}

extension ConnectionEnd: CustomStringConvertible {
    /// A clause for people.
    public var description: String {
        switch self {
        case .requested: "it was ended here"
        case .watchdog(let interval): "nothing was received for \(interval)"
        case .lost(let reason): reason
        }
    }
}
