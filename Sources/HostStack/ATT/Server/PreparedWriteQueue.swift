// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A write that is to be done.
struct PreparedWrite: Hashable, Sendable {
    let handle: AttributeHandle
    let offset: Int
    var value: [UInt8]
}

/// The writes that a client has prepared and not yet executed (Core 5.4, Vol 3, Part F, 3.4.6).
struct PreparedWriteQueue: Sendable {
    /// What a request holds beside the part of the value: opcode, handle and offset. It counts too, so that empty parts
    /// fill the queue.
    private static let overhead = 5

    private let capacity: Int
    private var octets = 0
    private var writes: [PreparedWrite] = []

    init(capacity: Int) { self.capacity = capacity }

    /// Notes a part; one that continues the last one becomes a part of it, so that a value is written in one go.
    /// - Returns: whether there was room.
    mutating func append(_ value: [UInt8], to handle: AttributeHandle, offset: Int) -> Bool {
        let size = value.count + Self.overhead
        guard octets + size <= capacity else { return false }
        octets += size
        if let last = writes.last, last.handle == handle, last.offset + last.value.count == offset {
            writes[writes.count - 1].value.append(contentsOf: value)
        } else {
            writes.append(PreparedWrite(handle: handle, offset: offset, value: value))
        }
        return true
    }

    /// Forgets all.
    /// - Returns: what was noted.
    mutating func removeAll() -> [PreparedWrite] {
        defer {
            writes = []
            octets = 0
        }
        return writes
    }
}
