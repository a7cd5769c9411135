// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
package import Devices
package import Profiles
package import Radio
import Space

/// Finds problems of profiles before they are on the air.
package struct ProfileLint: Sendable {
    private let profiles: [Profile]
    private let beacons: [(beacon: BeaconDefinition, identifier: BeaconIdentifier)]

    /// Checks these profiles together, as the profiles of one run.
    package init(_ profiles: [Profile]) {
        self.profiles = profiles
        beacons = BeaconFactory.identified(profiles).map { ($0.1, $0.2) }
    }

    /// The beacons as a radio hosts them.
    package var plans: [HostedBeacon] {
        beacons.map { HostedBeacon($0.beacon.device, identifier: $0.identifier) }
    }

    /// Findings that do not depend on the radio.
    package var findings: [ProfileFinding] {
        beacons.flatMap { beacon, identifier in
            ProfileFinding.all(on: beacon).map { $0.of(identifier.name) }
        } + duplicateIdentities + duplicateAddresses + outsideRooms
            + [.wallsTwice(Propagation(for: profiles))].compactMap(\.self)
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

    /// Of beacons that do not move.
    private var outsideRooms: [ProfileFinding] {
        let building = Building(for: profiles)
        guard !building.rooms.isEmpty else { return [] }
        return beacons.compactMap { beacon, identifier in
            guard let place = beacon.position, beacon.movement?.motion.isMoving == false,
                building.room(at: place) == nil,
                let nearest = building.nearestRoom(to: place)
            else { return nil }
            return .outsideRooms(place, nearest: nearest.room.id, nearest.distance).of(identifier.name)
        }
    }

    private var duplicateAddresses: [ProfileFinding] {
        var seen: [BluetoothAddress: [(name: String, formats: [String])]] = [:]
        return beacons.compactMap { beacon, identifier in
            guard let address = beacon.device.advertising.address else { return nil }
            let formats = beacon.device.firstAdvertisement?.advertisingData.frames.map(\.format) ?? []
            let others = seen[address] ?? []
            seen[address] = others + [(identifier.name, formats)]
            // Frames of other formats from one address are one beacon with several slots.
            guard let other = others.first(where: { $0.formats == formats || $0.formats.isEmpty || formats.isEmpty })
            else { return nil }
            return .duplicateAddress(address, of: other.name).of(identifier.name)
        }
    }

    private var duplicateIdentities: [ProfileFinding] {
        var seen: [BeaconIdentity: String] = [:]
        return beacons.compactMap { beacon, identifier in
            guard let identity = beacon.device.identity else { return nil }
            let (parts, key): (String, String)
            switch identity.identifiers {
            case .numbers where identity.format == IBeacon.formatName: (parts, key) = ("UUID, major and minor", "minor")
            case .numbers: (parts, key) = ("id1, id2 and id3", "id3")
            case .namespace: (parts, key) = ("namespace and instance", "instance")
            // Many beacons may have one web address.
            case .text: return nil
            }
            guard let other = seen.updateValue(identifier.name, forKey: identity) else { return nil }
            return .duplicateIdentity(of: other, parts, key: key).of(identifier.name)
        }
    }
}
