// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import KernelBluetooth
package import Radio

/// The BlueZ adapters of this machine, their capabilities, and the rights of this process.
package struct BlueZSurvey: Sendable {
    /// One adapter.
    package struct Adapter: Sendable {
        /// The adapter as bluetoothd describes it.
        package let adapter: BlueZAdapter
        /// How rfkill blocks the adapter; `nil` when it does not.
        package let block: String?
        /// What killed runs have left on it; `nil` if nothing.
        package let leftovers: LeftoverInstances?
    }

    /// The adapters in the order of their numbers.
    package let adapters: [Adapter]
    /// Adapters of the kernel that bluetoothd does not manage.
    package let unmanagedNames: [String]
    /// Why bluetoothd could not be reached; `nil` when it could.
    package let trouble: RadioError?
    /// Whether this process may use the management socket (CAP_NET_ADMIN), which gives exact bytes in both PDUs.
    package let mayManage: Bool
    /// Whether this process may use the monitor socket (CAP_NET_RAW), which reads back what the controller advertises.
    package let mayMonitor: Bool

    /// Surveys the machine without changing anything.
    /// - Parameter ledger: the record of what runs have left on the adapters.
    package static func take(_ ledger: any RadioLedger) async -> BlueZSurvey {
        let rights = ProcessRights.current
        var adapters: [BlueZAdapter] = []
        var trouble: RadioError?
        do {
            let connection = try await BlueZDaemon.systemBus()
            do throws(RadioError) {
                adapters = try await BlueZDaemon.find(on: connection).adapters()
            } catch {
                trouble = error
            }
            await connection.close()
        } catch {
            trouble = error
        }
        let known = Set(adapters.map(\.name))
        return BlueZSurvey(
            adapters: adapters.map {
                Adapter(
                    adapter: $0, block: AdapterPresence.block(of: $0.name),
                    leftovers: LeftoverInstances(on: $0, ledger))
            },
            unmanagedNames: AdapterPresence.names.filter { !known.contains($0) }, trouble: trouble,
            mayManage: rights.networkAdministration && BluetoothSocket.canOpen(.management),
            mayMonitor: rights.rawNetwork && BluetoothSocket.canOpen(.monitor))
    }
}
