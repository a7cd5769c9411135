// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
package import Devices
package import Profiles
package import Radio

/// Finds problems of profiles before they are on the air.
package struct ProfileLint: Sendable {
    private let beacons: [(beacon: BeaconDefinition, identifier: BeaconIdentifier)]

    /// Checks these profiles together, as the profiles of one run.
    package init(_ profiles: [Profile]) {
        beacons = BeaconFactory.identified(profiles).map { ($0.1, $0.2) }
    }

    /// The beacons as a radio hosts them.
    package var plans: [HostedBeacon] {
        beacons.map { HostedBeacon($0.beacon.device, identifier: $0.identifier) }
    }

    /// Findings that do not depend on the radio.
    package var findings: [ProfileFinding] {
        beacons.flatMap { beacon, identifier in
            findings(on: beacon.device, identifier.name) + protectionFindings(beacon, identifier.name)
        } + duplicateIdentities + duplicateAddresses
    }

    /// Findings of a radio's forecast.
    package func findings(on forecast: RadioForecast) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        if let obstacle = forecast.obstacle {
            findings.append(
                ProfileFinding(
                    .error, obstacle.code.rawValue, of: nil, affects: "all",
                    obstacle.message, hint: obstacle.hint))
        }
        for plan in plans {
            for warning in forecast.warnings[plan.identifier] ?? [] {
                findings.append(
                    ProfileFinding(
                        .warning, warning.code, of: plan.identifier.name,
                        affects: Self.receivers[warning.code] ?? "all",
                        warning.message, hint: warning.hint))
            }
        }
        return findings
    }

    private static let receivers = [
        "flags-last": "receivers that match the prefix 02 01 06 1A FF 4C 00 02 15",
        "flags-missing": "strict receivers", "second-instance": "receivers that filter on the service",
        "address-not-settable": "receivers that know beacons by address",
    ]

    private func findings(on device: any ProfiledDevice, _ name: String) -> [ProfileFinding] {
        func finding(
            _ severity: ProfileFinding.Severity, _ code: String, _ receiver: String, _ message: String, _ hint: String
        ) -> ProfileFinding {
            ProfileFinding(severity, code, of: name, affects: receiver, message, hint: hint)
        }
        let interval = device.advertising.interval
        var findings = device.findings.map { $0.of(name) }
        if !device.services.isEmpty {
            findings.append(
                finding(
                    .advice, "iphone-pairing-dialog", "iPhone",
                    "on BlueZ, bluetoothd reads the phone's own services when it connects, and iOS asks to pair",
                    "set ReverseServiceDiscovery=false in /etc/bluetooth/main.conf, or start bluetoothd with -P battery"
                ))
        }
        if let flags = HostedBeacon(device, identifier: BeaconIdentifier(name)).flagsWithoutLowEnergyOnly {
            findings.append(
                finding(
                    .advice, "flags-allow-classic", "programs that use BlueZ",
                    "the flags \(Hexadecimal.string([flags.rawValue])) lack 0x04: bluetoothd connects to the random "
                        + "address over BR/EDR then, which fails after some seconds",
                    "add 0x04 to the flags, such as 0x06"))
        }
        if !AdvertisingInterval.legacyRange.contains(interval) {
            findings.append(
                finding(
                    .warning, "interval-out-of-range", "all",
                    "\(interval.count) ticks are stored, but radios send every 32 to 16384 ticks",
                    "write an interval of 20ms to 10240ms"))
        } else if device.frame != nil, interval != AdvertisingInterval(160) {
            findings.append(
                finding(
                    .advice, "interval-not-100ms", "iPhone",
                    "Apple's beacons advertise every 100 ms; with \(interval), iOS finds and ranges it worse",
                    "write interval: 100ms"))
        }
        let power = device.measuredPower
        if let power, power.decibelMilliwatts == 0 {
            findings.append(
                finding(
                    .warning, "measured-power-zero", "iPhone", "with a measured power of 0, iOS estimates no distance",
                    "measure it at 1 m and write it, such as -59"))
        } else if let power, power.decibelMilliwatts > 0 {
            findings.append(
                finding(
                    .warning, "measured-power-positive", "all",
                    "\(power) cannot be received at 1 m: every distance will be wrong",
                    "measure it at 1 m and write it, such as -59"))
        }
        return findings + budgetFindings(device, name)
    }

    /// Checks for values that no central can read or write, because the beacon does not pair, or not with
    /// authentication.
    private func protectionFindings(_ beacon: BeaconDefinition, _ name: String) -> [ProfileFinding] {
        let permissions = beacon.device.services.flatMap(\.characteristics).map(\.permissions)
        let needed = permissions.reduce(AttributeSecurity()) { $0.union($1.read).union($1.write).union($1.subscribe) }
        guard !needed.isDisjoint(with: [.encryption, .authentication]) else { return [] }
        func finding(_ message: String, _ hint: String) -> [ProfileFinding] {
            [
                ProfileFinding(
                    .warning, "protection-impossible", of: name, affects: "all",
                    message,
                    hint: hint)
            ]
        }
        guard let pairing = beacon.pairing else {
            return finding(
                "some of its values need an encrypted link, but the beacon does not pair, so no central can access them",
                "give it a pairing section, such as pairing: { io: none }")
        }
        guard needed.contains(.authentication), pairing.inputOutput == .none else { return [] }
        return finding(
            "some of its values need a link that is protected against a person in the middle, which pairing with io: none "
                + "never provides", "write io: display, or permissions: encrypted")
    }

    private func budgetFindings(_ device: any ProfiledDevice, _ name: String) -> [ProfileFinding] {
        var findings: [ProfileFinding] = []
        if let advertisement = device.firstAdvertisement {
            for problem in advertisement.problems {
                findings.append(
                    ProfileFinding(
                        .error, "over-budget", of: name, affects: "all",
                        Self.sentence(problem), hint: "leave out name or services"))
            }
            let structures = advertisement.advertisingData.structures + advertisement.scanResponse.structures
            for case .localName(let shortened, isComplete: false) in structures {
                findings.append(
                    ProfileFinding(
                        .advice, "name-shortened", of: name, affects: "all",
                        "the name does not fit into 31 bytes beside the rest, so \"\(shortened)\" is "
                            + "advertised", hint: "write a shorter name"))
            }
        }
        return findings
    }

    private static func sentence(_ problem: Advertisement.Problem) -> String {
        switch problem {
        case .advertisingDataTooLong(let count): "the advertising data has \(count) bytes, and a PDU carries 31"
        case .scanResponseTooLong(let count): "the scan response has \(count) bytes, and a PDU carries 31"
        case .scanResponseNeedsScannablePDU: "a scan response needs a PDU that can be scanned"
        case .intervalOutOfRange(let interval): "radios cannot send every \(interval.count) ticks"
        }
    }

    private var duplicateAddresses: [ProfileFinding] {
        var seen: [BluetoothAddress: String] = [:]
        return beacons.compactMap { beacon, identifier in
            guard let address = beacon.device.advertising.address else { return nil }
            guard let other = seen[address] else {
                seen[address] = identifier.name
                return nil
            }
            return ProfileFinding(
                .warning, "duplicate-address", of: identifier.name, affects: "all",
                "\(other) has the address \(address), too: receivers take both for one device",
                hint: "give each beacon its own address, or leave address out")
        }
    }

    private var duplicateIdentities: [ProfileFinding] {
        var seen: [[UInt8]: String] = [:]
        return beacons.compactMap { beacon, identifier in
            guard let frame = beacon.device.frame else { return nil }
            let identity = Array(frame.serialized().dropLast())
            guard let other = seen.updateValue(identifier.name, forKey: identity) else { return nil }
            return ProfileFinding(
                .warning, "duplicate-identity", of: identifier.name, affects: "all",
                "\(other) has the same UUID, major and minor: receivers take both for one beacon",
                hint: "give each beacon its own minor")
        }
    }
}

extension HostedBeacon {
    /// The flags of a connectable beacon with a random address, if they do not exclude BR/EDR.
    fileprivate var flagsWithoutLowEnergyOnly: AdvertisingFlags? {
        guard let advertisement, advertisement.pdu.isConnectable,
            let flags = advertisement.advertisingData.flags, !flags.contains(.classicNotSupported)
        else { return nil }
        return flags
    }
}
