// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
package import Radio

/// A known adapter that need not be there: profiles are checked for it by what is known of it.
///
/// The adapter is assumed to be free, and used through the management socket (CAP_NET_ADMIN) beside bluetoothd.
package struct AssumedAdapter: Hashable, Sendable {
    /// The name that was requested, which may be an alias.
    package let name: String
    /// What is known of it.
    package let adapter: KnownAdapter

    /// The adapter with a name of `KnownAdapter.names`; `nil` if there is none.
    package init?(_ name: String) {
        guard let adapter = KnownAdapter.named(name) else { return nil }
        self.name = name
        self.adapter = adapter
    }

    /// A known adapter by its own name.
    package init(_ adapter: KnownAdapter) {
        name = adapter.name
        self.adapter = adapter
    }

    /// What the adapter would do with beacons.
    package func forecast(_ beacons: [HostedBeacon]) -> RadioForecast {
        // An unknown number is not judged; a warning reports that.
        let instances = adapter.instances ?? beacons.count
        let fitting = min(beacons.count, instances)
        let rules = AdvertisingRules(
            way: .management, isExtended: adapter.isExtended, adapterAddress: nil, instancesOnAir: fitting,
            settings: AdvertisingRules.KnownSettings(isLowEnergyOnly: adapter.isLowEnergyOnly))
        var obstacle: RadioError?
        do throws(RadioError) {
            try beacons.requireOneServer()
            if fitting < beacons.count { throw .tooFewInstances(instances, of: self, for: beacons.count) }
            try rules.requireRoom(for: beacons)
        } catch {
            obstacle = error
        }
        var warnings: [BeaconIdentifier: [Warning]] = [:]
        for beacon in beacons {
            guard let advertisement = beacon.advertisement else { continue }
            let status = rules.status(of: advertisement, observation: nil, unknownBecause: "the adapter is assumed")
            var found = status.warnings
            if let warning = powerWarning(advertisement) { found.append(warning) }
            if adapter.instances == nil, beacons.count > 1 { found.append(setsUnknown(beacons.count)) }
            warnings[beacon.identifier] = found
        }
        return RadioForecast(
            capabilities: RadioCapabilities(
                name: name, way: AdvertisingWay.management.name, wayReason: "it is assumed", address: nil,
                hasExtendedAdvertising: adapter.isExtended, instances: instances, freeInstances: instances,
                sharesTime: !adapter.isExtended, canReadBack: false),
            fitting: fitting, obstacle: obstacle, warnings: warnings)
    }

    /// A requested power that the adapter does not have: it sends with the nearest.
    private func powerWarning(_ advertisement: Advertisement) -> Warning? {
        guard let power = advertisement.transmitPower, let range = adapter.transmitPower,
            !range.contains(power.decibelMilliwatts)
        else { return nil }
        let nearest = power.decibelMilliwatts < range.lowerBound ? range.lowerBound : range.upperBound
        return Warning(
            code: "tx-power-changed",
            message: "\(power) were requested, but \(name) sends with \(range.lowerBound) to \(range.upperBound) dBm: "
                + "\(nearest) dBm instead",
            hint: "request a power in this range")
    }

    private func setsUnknown(_ count: Int) -> Warning {
        Warning(
            code: "sets-unknown",
            message: "the number of advertising sets of \(name) is not known, so \(count) beacons may be too many",
            hint: "beaconry radios prints it where the adapter is")
    }
}

extension RadioError {
    fileprivate static func tooFewInstances(
        _ instances: Int, of assumed: AssumedAdapter, for beacons: Int
    ) -> RadioError {
        let fitting = min(beacons, instances)
        let what = assumed.adapter.isExtended ? "advertising sets" : "advertising instances, which take turns"
        return RadioError(
            .cannotCarry, "\(fitting) of \(beacons) beacons fit on \(assumed.name): it has \(instances) \(what)",
            hint: "run the first \(fitting) beacons on it, and the others on another adapter")
    }
}
