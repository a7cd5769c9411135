// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Fragments of frames that wait for the controller, in order.
struct FragmentQueue: Sendable {
    struct Fragment {
        let bytes: [UInt8]
        /// Whether it begins a frame.
        let isStart: Bool
    }

    /// The number of waiting bytes from which nothing more should be appended.
    private static let capacity = 64 * 1024

    private var fragments: [Fragment] = []
    /// The index of the first fragment that waits.
    private var head = 0
    /// The number of bytes that wait.
    private var count = 0

    var isEmpty: Bool { head == fragments.count }
    var hasRoom: Bool { count < Self.capacity }

    mutating func append(_ frame: L2CAPFrame, fragmentLength: Int) {
        for (index, part) in frame.fragments(ofAtMost: fragmentLength).enumerated() {
            fragments.append(Fragment(bytes: part, isStart: index == 0))
            count += part.count
        }
    }

    mutating func popFirst() -> Fragment? {
        guard head < fragments.count else { return nil }
        let first = fragments[head]
        head += 1
        count -= first.bytes.count
        if head == fragments.count {
            // A small buffer is kept: it is needed again soon. A large one is freed, since most connections are idle.
            fragments.removeAll(keepingCapacity: fragments.capacity <= 16)
            head = 0
        } else if head >= 64, head * 2 > fragments.count {
            fragments.removeFirst(head)
            head = 0
        }
        return first
    }
}

/// The controller's buffers for data, which all connections share (Core 5.4, Vol 4, Part E, 4.1.1).
struct DataCredits: Sendable {
    /// The number of packets that the controller can hold.
    private let total: Int
    /// The number of packets that it has room for now.
    private(set) var available: Int
    /// The connection that sent last; the next in order sends first.
    private(set) var lastSender: ConnectionIdentifier?

    init(packets: Int = 0) {
        total = packets
        available = packets
    }

    mutating func spend(for sender: ConnectionIdentifier) {
        available -= 1
        lastSender = sender
    }

    mutating func release(_ count: Int) { available = min(available + count, total) }
}
