// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A record of what a run leaves on the machine, so that a later run can clean up after a crash.
///
/// The radio records an entry (an advertising instance, for example) before it creates it; the owner of the ledger
/// saves it.
package protocol RadioLedger: Sendable {
    /// Replaces the entries of this run under a key; an empty list removes the key.
    func record(_ entries: [String], under key: String)

    /// Adds entries under a key that this run could not remove. They outlive it, until `takeLeftovers`.
    func leave(_ entries: [String], under key: String)

    /// The entries under a key of runs that have ended, and those that were left; they stay.
    func leftovers(under key: String) -> [String]

    /// Removes and returns the entries under a key of runs that have ended, and those that were left: the caller cleans up.
    func takeLeftovers(under key: String) -> [String]

    /// The entries of other running processes under a key.
    func heldByOthers(under key: String) -> [String]
}

/// A sink for the bytes of a capture file, in order; its owner writes the file.
public protocol CaptureSink: Sendable {
    /// Appends bytes.
    func append(_ bytes: [UInt8])
}
