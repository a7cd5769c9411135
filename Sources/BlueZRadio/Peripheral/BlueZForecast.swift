// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import DBus
import KernelBluetooth
import Radio

/// What an adapter would do with beacons. Nothing is advertised or registered.
struct BlueZForecast {
    private let claim: AdapterClaim

    /// The forecast of beacons on the selected adapter.
    /// - Throws: `RadioError` when the adapter is not usable.
    static func make(
        _ beacons: [HostedBeacon], on selector: AdapterSelector,
        openBus: @escaping DaemonAccess.Opener = BlueZDaemon.systemBus,
        openChannels: () -> KernelChannels = KernelChannels.open
    ) async throws(RadioError) -> RadioForecast {
        let channels = openChannels()
        let access = DaemonAccess(selector, rules: [], open: openBus)
        let result: Result<RadioForecast, RadioError>
        do throws(RadioError) {
            let attachment = try await access.find { _ in }
            try attachment.requireAdvertising()
            // Without beacons, nothing is registered.
            let claim = try await AdapterClaim.make(
                for: [], on: attachment, channels: channels, ledger: NoLedger(), handlers: .none)
            result = .success(try await BlueZForecast(claim: claim).forecast(beacons))
        } catch {
            result = .failure(error)
        }
        await access.close()
        await channels.close()
        return try result.get()
    }

    private func forecast(_ beacons: [HostedBeacon]) async throws(RadioError) -> RadioForecast {
        let rules = claim.rules(for: beacons.compactMap(\.advertisement))
        var obstacle: RadioError?
        do throws(RadioError) {
            try beacons.requireOneServer()
            try await claim.requireCapacity(for: beacons)
            if let present = claim.obstacle { throw present }
            try rules.requireRoom(for: beacons)
        } catch {
            obstacle = error
        }
        var warnings: [BeaconIdentifier: [Warning]] = [:]
        for beacon in beacons { warnings[beacon.identifier] = self.warnings(of: beacon, rules) }
        return RadioForecast(
            capabilities: claim.capabilities, fitting: try await claim.fittingCount(of: beacons), obstacle: obstacle,
            warnings: warnings)
    }

    private func warnings(of beacon: HostedBeacon, _ rules: AdvertisingRules) -> [Warning] {
        var warnings: [Warning] = []
        if let advertisement = beacon.advertisement {
            let status = rules.status(of: advertisement, observation: nil, unknownBecause: "it is not on the air")
            warnings = status.warnings
        }
        if let warning = Self.deviceInformationWarning(of: beacon, on: claim.adapter) { warnings.append(warning) }
        if let warning = Self.configurationWarning(of: beacon) { warnings.append(warning) }
        return warnings
    }

    /// The warning about descriptors that bluetoothd adds to characteristics whose devices have none; `nil` if there are none.
    static func configurationWarning(of beacon: HostedBeacon) -> Warning? {
        let added = beacon.services.flatMap(\.characteristics).filter { !$0.standingSubscription.isEmpty }
        guard !added.isEmpty else { return nil }
        return Warning(
            code: "client-configuration-added",
            message: "bluetoothd adds a descriptor 2902 to each characteristic with notify or indicate, also to "
                + "\(added.map(\.uuid.description).joined(separator: " and ")), and notifies only the centrals that write it",
            hint: "use --radio virtual or hci-socket:N for clients that are to find none")
    }

    /// The warning about two Device Information services in one attribute database; `nil` if there is one.
    static func deviceInformationWarning(of beacon: HostedBeacon, on adapter: BlueZAdapter) -> Warning? {
        guard adapter.hasDeviceInformation == true,
            beacon.services.contains(where: { $0.uuid.expanded == BlueZAdapter.deviceInformation.expanded })
        else { return nil }
        return Warning(
            code: "second-device-information",
            message: "bluetoothd has a Device Information service (0x180A) of its own, and apps that take the first "
                + "one find no values of the beacon in it",
            hint: "put DeviceID = false under [General] in /etc/bluetooth/main.conf")
    }

    /// A forecast leaves nothing behind, so it has nothing to record.
    private struct NoLedger: RadioLedger {
        func record(_ entries: [String], under key: String) {}
        func leave(_ entries: [String], under key: String) {}
        func leftovers(under key: String) -> [String] { [] }
        func takeLeftovers(under key: String) -> [String] { [] }
        func heldByOthers(under key: String) -> [String] { [] }
    }
}

extension AdapterClaim.Handlers {
    /// The functions of a claim without beacons, which are never called.
    fileprivate static let none = AdapterClaim.Handlers(
        respond: { _ in .failure(.unlikely) }, noteSubscription: { _, _, _ in }, answerPairing: { _, _ in nil },
        cancelPairing: {}, noteRelease: {})
}
