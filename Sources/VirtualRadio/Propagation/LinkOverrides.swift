// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Space

/// Two controllers, the one with the lower index first.
struct ControllerPair: Hashable, Sendable {
    let first: Int32
    let second: Int32

    init(_ one: Int, _ other: Int) {
        first = Int32(truncatingIfNeeded: min(one, other))
        second = Int32(truncatingIfNeeded: max(one, other))
    }

    func contains(_ controller: Int) -> Bool { Int(first) == controller || Int(second) == controller }
}

/// The paths whose RSSI or loss a user has overridden, each until its end.
struct LinkOverrides: Sendable {
    private struct Entry: Sendable {
        let override: LinkOverride
        let end: AirTime
        let draws: Draws
        var packetCount: UInt64 = 0
    }

    private var entries: [ControllerPair: Entry] = [:]
    /// The controllers whose paths were overridden, and a few whose overrides have ended.
    private var controllers: Set<Int> = []

    /// Whether no path is overridden (hot path: checked for each packet).
    var isEmpty: Bool { entries.isEmpty }

    /// Whether a path of a controller may be overridden.
    func contains(_ controller: Int) -> Bool { controllers.contains(controller) }

    /// Replaces the override of a path; `nil` removes it.
    /// - Parameter draws: the random numbers of the path.
    mutating func set(_ override: LinkOverride?, of pair: ControllerPair, _ draws: Draws, now: AirTime) {
        if entries.isEmpty { controllers.removeAll() }
        if override != nil { controllers.formUnion([Int(pair.first), Int(pair.second)]) }
        entries[pair] = override.map { override in
            // A century is without a limit, and does not overflow.
            let limit = override.duration.map { now + min($0, .seconds(3_155_760_000)).wholeMicroseconds }
            return Entry(override: override, end: limit ?? .never, draws: draws)
        }
    }

    /// The override of a path; its duration is the time that is left.
    mutating func current(_ pair: ControllerPair, now: AirTime) -> LinkOverride? {
        guard let entry = entries[pair] else { return nil }
        guard now < entry.end else {
            entries[pair] = nil
            return nil
        }
        guard entry.end < .never else { return entry.override }
        var override = entry.override
        override.duration = .microseconds(entry.end - now)
        return override
    }

    /// Whether the override of a path loses its next packet.
    mutating func losesPacket(_ pair: ControllerPair) -> Bool {
        guard let entry = entries[pair], entry.override.packetLoss > 0 else { return false }
        entries[pair]?.packetCount += 1
        return entry.draws.unit(entry.packetCount, 0) < entry.override.packetLoss
    }

    /// Removes the overrides of all paths of a controller.
    mutating func remove(_ controller: Int) {
        guard !isEmpty else { return }
        controllers.remove(controller)
        entries = entries.filter { !$0.key.contains(controller) }
    }
}

extension Duration {
    /// In microseconds, rounded down.
    fileprivate var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
