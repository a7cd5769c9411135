// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A controller that wants a connection, and listens for an advertiser.
struct Initiator: Sendable {
    let controller: Int
    let schedule: ScanSchedule
    /// Whether it hears extended PDUs.
    let isExtended: Bool
    let ownAddress: PackedAddress
    /// `nil`: whoever is on the filter accept list.
    let peer: PackedAddress?
    let parameters: ConnectionParameters
}
