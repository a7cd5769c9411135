// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A sink for the bytes of a capture file, in order; its owner writes the file.
public protocol CaptureSink: Sendable {
    /// Appends bytes.
    func append(_ bytes: [UInt8])
}
