// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Makes frames of the fragments that a link delivers, one frame at a time (Core 5.4, Vol 3, Part A, 7.2).
///
/// It never holds more than one frame of the longest payload that it takes.
package struct L2CAPReassembler: Sendable {
    /// What came of a fragment.
    package enum Output: Hashable, Sendable {
        /// A frame is complete.
        case frame(L2CAPFrame)
        /// Octets were thrown away.
        case dropped(Fault)
    }

    /// Why octets were thrown away.
    package enum Fault: Hashable, Sendable {
        /// A frame began before the one in front of it was complete; so many octets of that one had come.
        case incomplete(Int)
        /// A fragment continues nothing.
        case unexpectedContinuation(Int)
        /// A frame announces a longer payload than is taken.
        case tooLong(Int)
        /// A frame has more octets than it announced.
        case overrun(Int)
    }

    private enum State: Sendable {
        case idle
        /// The octets of a frame so far, whose header may not be complete.
        case collecting([UInt8])
        /// Continuing fragments of a frame that was thrown away follow.
        case skipping
    }

    /// The longest payload that is taken, in octets.
    package let maximumPayload: Int
    private var state = State.idle

    /// A reassembler that takes payloads of at most so many octets; the longest attribute PDU in use has 517.
    package init(maximumPayload: Int = 1024) { self.maximumPayload = maximumPayload }

    /// Takes one fragment; `isStart` says whether it begins a frame.
    package mutating func receive(_ fragment: some Collection<UInt8>, isStart: Bool) -> [Output] {
        switch (state, isStart) {
        case (.idle, true), (.skipping, true):
            return collect(Array(fragment))
        case (.collecting(let octets), true):
            return [.dropped(.incomplete(octets.count))] + collect(Array(fragment))
        case (.collecting(var octets), false):
            // The state must not keep a second reference while the octets grow.
            state = .idle
            octets.append(contentsOf: fragment)
            return collect(octets)
        case (.idle, false):
            return [.dropped(.unexpectedContinuation(fragment.count))]
        case (.skipping, false):
            return []
        }
    }

    private mutating func collect(_ octets: [UInt8]) -> [Output] {
        guard octets.count >= 2 else {
            state = .collecting(octets)
            return []
        }
        let length = Int(octets[0]) | Int(octets[1]) << 8
        let missing = L2CAPFrame.headerLength + length - octets.count
        if length > maximumPayload {
            state = missing > 0 ? .skipping : .idle
            return [.dropped(.tooLong(length))]
        }
        guard missing <= 0 else {
            state = .collecting(octets)
            return []
        }
        state = .idle
        guard missing == 0, let frame = try? L2CAPFrame(parsing: octets) else { return [.dropped(.overrun(-missing))] }
        return [.frame(frame)]
    }
}
