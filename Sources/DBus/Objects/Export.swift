// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An exported object or handler.
struct Export {
    let identifier: UInt64
    let mailbox: Mailbox
    /// `nil` for a handler that serves the whole path by itself.
    let object: ExportedObject?
}
