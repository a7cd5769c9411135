// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio

/// The devices that a central remembers, up to a limit.
struct KnownPeripherals {
    private struct Entry {
        var peripheral: Peripheral
        /// The number of the last use: the lowest is the least recent.
        var use: UInt64
    }

    private let limit: Int
    private var entries: [RemoteAddress: Entry] = [:]
    private var lastUse: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    /// All of them, the most recently used last.
    var all: [Peripheral] { entries.values.sorted { $0.use < $1.use }.map(\.peripheral) }

    /// The peripheral of an address, created if necessary.
    mutating func find(_ address: RemoteAddress, orMake make: () -> Peripheral) -> Peripheral {
        lastUse += 1
        if let peripheral = entries[address]?.peripheral {
            entries[address]?.use = lastUse
            return peripheral
        }
        if entries.count >= limit { forgetOldest() }
        let peripheral = make()
        entries[address] = Entry(peripheral: peripheral, use: lastUse)
        return peripheral
    }

    mutating func forget(_ address: RemoteAddress) {
        guard case .disconnected = entries[address]?.peripheral.state else { return }
        entries[address] = nil
    }

    /// Removes a quarter of the limit at once, so that it is seldom done; peripherals that are in use stay, so that there
    /// is one object for each address.
    private mutating func forgetOldest() {
        let candidates = entries.sorted { $0.value.use < $1.value.use }.map(\.key)
        var excess = entries.count - limit + max(1, limit / 4)
        for address in candidates where excess > 0 {
            guard let index = entries.index(forKey: address), !isInUse(at: index) else { continue }
            entries.remove(at: index)
            excess -= 1
        }
    }

    private mutating func isInUse(at index: Dictionary<RemoteAddress, Entry>.Index) -> Bool {
        guard case .disconnected = entries.values[index].peripheral.state else { return true }
        return !isKnownUniquelyReferenced(&entries.values[index].peripheral)
    }
}
