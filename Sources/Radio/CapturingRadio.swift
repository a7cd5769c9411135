// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A radio whose packets can be captured at any time.
package protocol CapturingRadio: PeripheralRadio {
    /// Begins to write what passes between hosts and controllers to a sink, as a btsnoop file.
    /// - Returns: the number of the capture.
    func beginCapture(_ sink: any CaptureSink) async -> Int

    /// Ends a capture; an unknown number is ignored.
    func endCapture(_ number: Int) async
}
