// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Changes of properties that were not signalled yet.
///
/// All changes of one interface of one object until the next `take` make one signal, as with bluetoothd
/// (bluez 5.82 gdbus/object.c, `process_changes`).
struct PropertyChanges {
    /// An interface of an object.
    struct Key: Hashable {
        let path: ObjectPath
        let interface: String
    }

    private var keys: [Key] = []
    private var names: [Key: Set<String>] = [:]

    /// Whether nothing has changed.
    var isEmpty: Bool { keys.isEmpty }

    /// Adds changed properties.
    mutating func add(_ changed: [String], of key: Key) {
        guard !changed.isEmpty else { return }
        if names[key] == nil { keys.append(key) }
        names[key, default: []].formUnion(changed)
    }

    /// Removes and returns all changes, in the order of the first change of each interface.
    mutating func take() -> [(key: Key, names: Set<String>)] {
        let changes = keys.map { ($0, names[$0] ?? []) }
        keys = []
        names = [:]
        return changes
    }
}
