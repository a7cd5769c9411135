// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BlueZRadio
import HCIRadio
import Radio

/// The kinds of radios that this program has.
enum RadioDrivers {
    /// The drivers in the order in which help and `beaconry radios` list them.
    static let all: [any RadioDriver.Type] = [
        BlueZDriver.self,
        VirtualAirDriver.self,
        UserChannelDriver.self,
        TCPClientDriver.self,
        UnixSocketDriver.self,
        SerialDriver.self,
    ]

    /// The radio with a name, such as `bluez:hci0`; `nil` if no driver takes it.
    static func radio(named name: String) -> (any RadioDriver)? {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return all.first { $0.scheme == parts.first }?.init(argument: parts.count > 1 ? parts[1] : nil)
    }

    /// The radio for `auto`: an adapter under BlueZ if there is one, else the virtual air.
    /// - Parameter waits: whether to wait for an adapter instead of taking the virtual air.
    static func automatic(waits: Bool) -> any RadioDriver {
        guard !waits, AdapterPresence.names.isEmpty else { return BlueZDriver() }
        return VirtualAirDriver(reason: "this machine has no Bluetooth adapter")
    }
}
