// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus

/// What programs can set of an adapter, and what they read of it.
struct AdapterProperties {
    private let name: String
    private var setAlias: String?
    /// Whether it is switched on.
    var isPowered = true
    /// Whether a program, or a discovery with such a filter, requests that it be discoverable.
    var isDiscoverable = false
    private var isConnectable = true
    private var discoverableTimeout: UInt32 = 180
    /// Whether it makes bonds, and accepts pairings that make one. Agents set it (`Adapter.agentChanged`).
    private(set) var isPairable = false
    private var pairableTimeout: UInt32 = 0

    init(name: String) { self.name = name }

    /// The name for people, which a program may set.
    var alias: String { setAlias ?? name }
    /// The time after which it ceases to be discoverable; `nil` for none.
    var discoverableTime: Duration? { discoverableTimeout == 0 ? nil : .seconds(Int(discoverableTimeout)) }

    /// The time after which it ceases to be pairable; `nil` for none.
    var pairableTime: Duration? { pairableTimeout == 0 ? nil : .seconds(Int(pairableTimeout)) }

    /// Sets a property other than `Powered`.
    /// - Returns: the names of the properties that changed.
    mutating func set(_ property: String, _ value: DBusValue) -> [String] {
        let former = properties
        switch (property, value) {
        case ("Alias", .string(let text)): setAlias = text.isEmpty ? nil : text
        case ("Connectable", .boolean(let flag)): isConnectable = flag
        case ("Discoverable", .boolean(let flag)): isDiscoverable = flag
        case ("DiscoverableTimeout", .uint32(let seconds)): discoverableTimeout = seconds
        case ("Pairable", .boolean(let flag)): isPairable = flag
        case ("PairableTimeout", .uint32(let seconds)): pairableTimeout = seconds
        default: break
        }
        let new = properties
        return new.keys.filter { new[$0] != former[$0] }
    }

    /// The properties of `Adapter1` that these settings make.
    var properties: [String: DBusValue] {
        [
            "Name": .string(name), "Alias": .string(alias), "Connectable": .boolean(isConnectable),
            "Powered": .boolean(isPowered), "PowerState": .string(isPowered ? "on" : "off"),
            "Discoverable": .boolean(isPowered && isDiscoverable), "DiscoverableTimeout": .uint32(discoverableTimeout),
            "Pairable": .boolean(isPairable), "PairableTimeout": .uint32(pairableTimeout),
        ]
    }
}
