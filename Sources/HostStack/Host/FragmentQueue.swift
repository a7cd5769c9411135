// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Fragments of frames that wait for the controller, in order.
struct FragmentQueue: Sendable {
    /// A part of a frame.
    struct Fragment {
        let octets: [UInt8]
        let isStart: Bool
    }

    /// The octets beyond which no more should be added.
    static let capacity = 64 * 1024

    private var fragments: [Fragment] = []
    /// The first fragment that waits.
    private var head = 0
    /// The octets that wait.
    private(set) var octets = 0

    var isEmpty: Bool { head == fragments.count }
    var hasRoom: Bool { octets < Self.capacity }

    mutating func append(_ frame: L2CAPFrame, fragmentLength: Int) {
        for (index, part) in frame.fragments(ofAtMost: fragmentLength).enumerated() {
            fragments.append(Fragment(octets: part, isStart: index == 0))
            octets += part.count
        }
    }

    mutating func popFirst() -> Fragment? {
        guard head < fragments.count else { return nil }
        let first = fragments[head]
        head += 1
        octets -= first.octets.count
        if head == fragments.count {
            // A few are soon there again.
            fragments.removeAll(keepingCapacity: fragments.capacity <= 16)
            head = 0
        } else if head >= 64, head * 2 > fragments.count {
            fragments.removeFirst(head)
            head = 0
        }
        return first
    }
}
