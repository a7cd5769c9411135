// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// The indications of one server: at most one is sent and not yet confirmed, the others wait (Core 5.4, Vol 3, Part F,
/// 3.3.2).
struct IndicationQueue: Sendable {
    private struct Indication: Sendable {
        let handle: AttributeHandle
        let value: [UInt8]
    }

    private let capacity: Int
    private var sent: (handle: AttributeHandle, deadline: Duration)?
    private var waiting: [Indication] = []

    /// A queue for this number of waiting indications.
    init(capacity: Int) { self.capacity = capacity }

    /// The time limit for the confirmation of the indication that was sent.
    var deadline: Duration? { sent?.deadline }
    /// Whether an indication can be sent now.
    var isIdle: Bool { sent == nil }

    /// Whether an indication of this attribute waits.
    func isWaiting(for handle: AttributeHandle) -> Bool { waiting.contains { $0.handle == handle } }

    /// Appends an indication.
    /// - Returns: whether there was room.
    mutating func append(_ value: [UInt8], of handle: AttributeHandle) -> Bool {
        guard waiting.count < capacity else { return false }
        waiting.append(Indication(handle: handle, value: value))
        return true
    }

    /// Removes the next indication that waits.
    mutating func removeFirst() -> (handle: AttributeHandle, value: [UInt8])? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        return (first.handle, first.value)
    }

    /// An indication of this attribute is sent.
    mutating func begin(_ handle: AttributeHandle, deadline: Duration) { sent = (handle, deadline) }

    /// The indication that was sent is confirmed.
    /// - Returns: its attribute; `nil` if none was sent.
    mutating func confirm() -> AttributeHandle? {
        defer { sent = nil }
        return sent?.handle
    }

    /// Removes all indications, the sent one too.
    /// - Returns: their attributes.
    mutating func removeAll() -> [AttributeHandle] {
        defer {
            sent = nil
            waiting = []
        }
        return (sent.map { [$0.handle] } ?? []) + waiting.map(\.handle)
    }
}
