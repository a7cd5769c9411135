// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// What a radio must remember so that a later run can clean up after a crash of this one.
///
/// The radio says what it is about to leave in the world (an advertising instance, say) before it does; somebody else
/// owns the file.
public protocol RadioLedger: Sendable {
    /// Replaces what this run has left under a key; an empty list forgets the key.
    func record(_ entries: [String], under key: String)

    /// What runs that are gone had left under a key. They are forgotten: the caller cleans up.
    func takeLeftovers(under key: String) -> [String]

    /// What other runs that are alive have recorded under a key.
    func heldByOthers(under key: String) -> [String]
}
