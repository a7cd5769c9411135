// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BlueZRadio
import HCIRadio
import KernelBluetooth
package import Radio

/// The kinds of radios of this program.
package enum RadioDrivers {
    /// The drivers in the order of help and `beaconry radios`.
    package static let all: [any RadioDriver.Type] = [
        BlueZDriver.self,
        VirtualAirDriver.self,
        UserChannelDriver.self,
        TCPClientDriver.self,
        UnixSocketDriver.self,
        SerialDriver.self,
        ProxyDriver.self,
    ]

    /// The names that `--radio` accepts.
    package static var forms: String {
        all.flatMap { $0.forms }.joined(separator: ", ") + ", or auto: bluez if there is an adapter, else virtual"
    }

    /// The radio with this name, such as `bluez:hci0` or `auto`.
    /// - Parameter waits: whether to wait for an adapter; then `auto` is an adapter, because the virtual air always exists.
    /// - Throws: `Failure` with examples if no driver accepts the name, or with the value that is not possible.
    package static func radio(named name: String, waits: Bool) throws(Failure) -> any RadioDriver {
        if name == "auto" {
            guard !waits, AdapterPresence.names.isEmpty else { return BlueZDriver() }
            return VirtualAirDriver(reason: "this machine has no Bluetooth adapter")
        }
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let driver = all.first { $0.scheme == parts.first }
        let named: (any RadioDriver)?
        do throws(RadioError) {
            named = try driver?.init(argument: parts.count > 1 ? parts[1] : nil)
        } catch {
            throw .usage(error.description)
        }
        guard let radio = named else {
            let examples = ["auto"] + all.flatMap { $0.examples }
            throw .usage(
                "\"\(name)\" is not a radio; write \(examples.dropLast().joined(separator: ", ")) or \(examples.last ?? "")"
            )
        }
        return radio
    }
}
