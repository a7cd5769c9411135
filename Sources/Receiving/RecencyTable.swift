// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Values by key, limited to the most recently used ones.
///
/// Its size is bounded, whatever a peer sends: when it is full, a new key evicts the least recently used eighth.
///
/// (An `OrderedDictionary` has only the order of first use. To keep the order of last use in it, each use would move a key
/// to the end, which takes time in proportion to the size; here a use takes constant time, and only an eviction sorts.)
struct RecencyTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        let firstUse: UInt64
        var lastUse: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private let capacity: Int
    /// Whether something has been forgotten.
    private(set) var hasForgotten = false

    /// A table of at most `capacity` values, and at least one.
    init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// How many values there are.
    var count: Int { entries.count }
    /// The values, in the order in which their keys were used first.
    var values: [Value] { entries.values.sorted { $0.firstUse < $1.firstUse }.map(\.value) }

    /// A key's value, without using it.
    subscript(_ key: Key) -> Value? { entries[key]?.value }

    /// Changes a key's value in place; `initial` when it has none yet.
    mutating func use<Result>(
        _ key: Key, initial: @autoclosure () -> Value, change: (inout Value) -> Result
    ) -> Result {
        uses += 1
        if let index = entries.index(forKey: key) {
            entries.values[index].lastUse = uses
            return change(&entries.values[index].value)
        }
        if entries.count >= capacity { forgetOldest() }
        var value = initial()
        let result = change(&value)
        entries[key] = Entry(value: value, firstUse: uses, lastUse: uses)
        return result
    }

    /// Changes all values, and removes those for which `change` returns `false`.
    mutating func keep(where change: (inout Value) -> Bool) {
        for (key, var entry) in entries {
            entries[key] = change(&entry.value) ? entry : nil
        }
    }

    private mutating func forgetOldest() {
        hasForgotten = true
        let excess = entries.count - capacity + max(capacity / 8, 1)
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(excess)
        for (key, _) in oldest { entries[key] = nil }
    }
}
