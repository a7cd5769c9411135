// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// The keys of `defaults`, which every beacon has unless its own entry has them.
enum BeaconDefaults {
    /// Values that are merged key by key; every other value replaces the default.
    private static let mergedKeys = ["ibeacon", "telemetry", "pairing", "schedule", "advertise"]
    /// Keys of which a beacon has one: with its own, it inherits none.
    private static let alternatives = ["position", "path", "track", "orbit", "grid"]

    /// An entry with the defaults that it does not replace; their keys are marked as defaults.
    static func merged(_ entry: ProfileNode, over defaults: ProfileNode?) -> ProfileNode {
        guard let inherited = defaults?.mapping, let own = entry.mapping else { return entry }
        let isPlaced = own.pairs.contains { alternatives.contains($0.key.text ?? "") }
        var pairs = own.pairs
        for (key, value) in inherited.pairs {
            guard let name = key.text else { continue }
            if let index = pairs.firstIndex(where: { $0.key.text == name }) {
                if mergedKeys.contains(name) { pairs[index].value = merged(pairs[index].value, over: value) }
            } else if !(isPlaced && alternatives.contains(name)) {
                pairs.append((ProfileNode(key.content, at: key.place, isDefault: true), value))
            }
        }
        return ProfileNode(.mapping(ProfileNode.Mapping(pairs)), at: entry.place)
    }
}
