// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
public import Radio

extension BlueZRadio {
    /// Says what would become of beacons on an adapter. Nothing is put on it.
    /// - Throws: `RadioError` when the adapter is not usable.
    public static func forecast(
        _ beacons: [HostedBeacon], on selector: AdapterSelector
    ) async throws(RadioError) -> RadioForecast {
        let radio = BlueZRadio(selector, ledger: NoLedger())
        let result: Result<RadioForecast, RadioError>
        do throws(RadioError) {
            result = .success(try await radio.forecast(beacons))
        } catch {
            result = .failure(error)
        }
        await radio.close()
        return try result.get()
    }

    private func forecast(_ beacons: [HostedBeacon]) async throws(RadioError) -> RadioForecast {
        openKernelChannels()
        var capabilities = try await attach()
        self.beacons = beacons
        for beacon in beacons { wanted[beacon.identifier] = beacon.advertisement }
        capabilities.canReadBack = monitor != nil
        var obstacle: RadioError?
        do throws(RadioError) {
            try Self.checkServices(of: beacons)
            try await checkCapacity()
        } catch {
            obstacle = error
        }
        var warnings: [BeaconIdentifier: [Warning]] = [:]
        for beacon in beacons {
            guard let rules, let advertisement = beacon.advertisement else { continue }
            warnings[beacon.identifier] =
                rules.report(on: advertisement, sighting: nil, unseenBecause: "it is not on the air").warnings
        }
        return RadioForecast(
            capabilities: capabilities, fitting: try await fittingCount(), obstacle: obstacle, warnings: warnings)
    }

    /// A run that leaves nothing needs no ledger.
    private struct NoLedger: RadioLedger {
        func record(_ entries: [String], under key: String) {}
        func takeLeftovers(under key: String) -> [String] { [] }
        func heldByOthers(under key: String) -> [String] { [] }
    }
}
