// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Indications: one at a time is under way, the others wait (Core 5.4, Vol 3, Part F, 3.3.2).
struct IndicationQueue: Sendable {
    private struct Indication: Sendable {
        let handle: AttributeHandle
        let value: [UInt8]
    }

    private let capacity: Int
    private var underWay: (handle: AttributeHandle, deadline: Duration)?
    private var waiting: [Indication] = []

    init(capacity: Int) { self.capacity = capacity }

    /// When the one that is under way should have been confirmed.
    var deadline: Duration? { underWay?.deadline }
    /// Whether one can be sent now.
    var isIdle: Bool { underWay == nil }

    /// Whether one of this attribute waits.
    func isWaiting(for handle: AttributeHandle) -> Bool { waiting.contains { $0.handle == handle } }

    /// Has one wait.
    /// - Returns: whether there was room.
    mutating func append(_ value: [UInt8], of handle: AttributeHandle) -> Bool {
        guard waiting.count < capacity else { return false }
        waiting.append(Indication(handle: handle, value: value))
        return true
    }

    /// The next one that waits.
    mutating func removeFirst() -> (handle: AttributeHandle, value: [UInt8])? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        return (first.handle, first.value)
    }

    /// One is on its way.
    mutating func begin(_ handle: AttributeHandle, deadline: Duration) { underWay = (handle, deadline) }

    /// The one that is under way is confirmed.
    /// - Returns: whose it was; `nil` when there is none.
    mutating func confirm() -> AttributeHandle? {
        defer { underWay = nil }
        return underWay?.handle
    }

    /// Forgets all.
    /// - Returns: whose they were.
    mutating func removeAll() -> [AttributeHandle] {
        defer {
            underWay = nil
            waiting = []
        }
        return (underWay.map { [$0.handle] } ?? []) + waiting.map(\.handle)
    }
}
