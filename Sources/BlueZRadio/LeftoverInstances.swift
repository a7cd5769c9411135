// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import KernelBluetooth
package import Radio

/// Advertising instances that killed runs have left in the kernel, which still advertises them.
package struct LeftoverInstances: Sendable {
    /// The adapter: `hci0`.
    package let adapter: String
    /// The number of instances, according to the ledger of the runs.
    package let count: Int

    private let index: UInt16
    private let key: String
    private let daemonInstances: Int

    /// The leftover instances of an adapter; `nil` if there are none.
    init?(on adapter: BlueZAdapter, _ ledger: any RadioLedger) {
        self.adapter = adapter.name
        index = adapter.index
        key = ManagementAdvertiser.ledgerKey(adapter.identity)
        daemonInstances = adapter.activeInstances
        count = Set(ledger.leftovers(under: key)).count
        guard count > 0 else { return nil }
    }

    /// The leftover instances of all adapters, in the order of the adapters' numbers.
    /// - Throws: `RadioError` when bluetoothd cannot be asked for the adapters.
    package static func all(_ ledger: any RadioLedger) async throws(RadioError) -> [LeftoverInstances] {
        let survey = await BlueZSurvey.take(ledger)
        if let trouble = survey.trouble { throw trouble }
        return survey.adapters.compactMap(\.leftovers)
    }

    /// Removes them through the kernel's management socket.
    /// - Returns: the number of instances that were there.
    /// - Throws: `RadioError` `.notPermitted` without CAP_NET_ADMIN; then nothing is removed.
    package func remove(_ ledger: any RadioLedger) async throws(RadioError) -> Int {
        guard let management = KernelChannels.open().management else {
            throw RadioError(
                .notPermitted, "the advertisements of \(adapter) cannot be removed without CAP_NET_ADMIN",
                hint: "run it as root (sudo beaconry radios --clean)")
        }
        var removed = 0
        for instance in Set(ledger.takeLeftovers(under: key)).compactMap({ UInt8($0) }) where instance > daemonInstances
        {
            do {
                _ = try await management.command(.removeAdvertising, index: index, parameters: [instance])
                removed += 1
            } catch
                where error.status == ManagementError.invalidParameters || error.status == ManagementError.invalidIndex
            {
                // It is not there any more.
            } catch {
                ledger.leave([String(instance)], under: key)
            }
        }
        await management.close()
        return removed
    }

    /// What `radios` prints of them, as a clause.
    package var clause: String { "\(Self.sentence(count, on: adapter)); \(Fault.leftovers.hint())" }

    /// What is found, as a sentence without its full stop.
    static func sentence(_ count: Int, on adapter: String) -> String {
        "\(count) \(count == 1 ? "advertisement is" : "advertisements are") on the air of \(adapter), left by a run that was "
            + "killed"
    }
}
