// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Reassembles frames from the fragments that a link delivers, one frame at a time (Core 5.4, Vol 3, Part A, 7.2).
///
/// The memory is bounded by one frame with the maximum payload.
///
///     idle --(start of a frame)--> collecting --(its last fragment)--> idle
///     idle or collecting --(a frame that is too long)--> skipping --(start of a frame)--> collecting
struct L2CAPReassembler: Sendable {
    /// A result of a fragment.
    enum Output: Hashable, Sendable {
        /// A frame is complete.
        case frame(L2CAPFrame)
        /// Bytes were dropped.
        case dropped(Fault)
    }

    /// The reason why bytes were dropped.
    enum Fault: Hashable, Sendable {
        /// Another frame started before this one was complete; with the number of its bytes so far.
        case incomplete(Int)
        /// A fragment of this length continues no frame.
        case unexpectedContinuation(Int)
        /// A frame announces a payload of this length, beyond the maximum.
        case tooLong(Int)
        /// A frame has this number of bytes more than it announced.
        case overrun(Int)
    }

    private enum State: Sendable {
        case idle
        /// The bytes of a frame so far, perhaps without a complete header.
        case collecting([UInt8])
        /// Fragments that continue a dropped frame follow.
        case skipping
    }

    /// The maximum payload, in bytes.
    let maximumPayload: Int
    private var state = State.idle

    /// A reassembler with a maximum payload, in bytes; the longest attribute PDU in use has 517.
    init(maximumPayload: Int = 1024) { self.maximumPayload = maximumPayload }

    /// Takes one fragment.
    /// - Parameter isStart: whether the fragment starts a frame.
    mutating func receive(_ fragment: some Collection<UInt8>, isStart: Bool) -> [Output] {
        switch (state, isStart) {
        case (.idle, true), (.skipping, true):
            return collect(Array(fragment))
        case (.collecting(let bytes), true):
            return [.dropped(.incomplete(bytes.count))] + collect(Array(fragment))
        case (.collecting(var bytes), false):
            // The state must not hold a second reference while the bytes grow.
            state = .idle
            bytes.append(contentsOf: fragment)
            return collect(bytes)
        case (.idle, false):
            return [.dropped(.unexpectedContinuation(fragment.count))]
        case (.skipping, false):
            return []
        }
    }

    private mutating func collect(_ bytes: [UInt8]) -> [Output] {
        guard bytes.count >= 2 else {
            state = .collecting(bytes)
            return []
        }
        let length = Int(bytes[0]) | Int(bytes[1]) << 8
        let missing = L2CAPFrame.headerLength + length - bytes.count
        if length > maximumPayload {
            state = missing > 0 ? .skipping : .idle
            return [.dropped(.tooLong(length))]
        }
        guard missing <= 0 else {
            state = .collecting(bytes)
            return []
        }
        state = .idle
        guard missing == 0, let frame = try? L2CAPFrame(parsing: bytes) else { return [.dropped(.overrun(-missing))] }
        return [.frame(frame)]
    }
}
