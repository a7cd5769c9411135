// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Why a connection ends (Core 5.4, Vol 1, Part F).
package enum DisconnectionReason: String, CaseIterable, Hashable, Sendable {
    /// No packet arrived during the supervision timeout (0x08): a loss, which both ends notice.
    case supervisionTimeout = "supervision-timeout"
    /// An encrypted packet was not authentic (0x3D): a loss, too.
    case integrityFailure = "mic-failure"
    /// The user of the other device ended it (0x13).
    case remoteUser = "remote-user"
    /// The other device has too few resources (0x14).
    case lowResources = "low-resources"
    /// The other device is being switched off (0x15).
    case powerOff = "power-off"
    /// Authentication failed (0x05).
    case authenticationFailure = "authentication-failure"
    /// The connection parameters are unacceptable (0x3B).
    case unacceptableParameters = "unacceptable-parameters"

    /// Whether the link layer has this reason, which no host can request.
    package var isLoss: Bool { self == .supervisionTimeout || self == .integrityFailure }
}
