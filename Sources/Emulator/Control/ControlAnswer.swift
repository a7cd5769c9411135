// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Devices
import Radio

/// The answer to a request: one JSON object on a line. `events` has no answer except the events.
package struct ControlAnswer: Codable, Hashable, Sendable {
    /// The version of the protocol.
    package var v = 1
    /// The error, if the request failed.
    package var error: String?
    /// The exit code of a command that ends with this error.
    package var exitCode: Int32?
    /// The faults of a profile, a line each: `FILE:LINE:COLUMN: error: …`.
    package var diagnostics: [String]?
    /// The error as `--json` prints it: an object for each fault of a profile, else one.
    package var errors: [ErrorRecord]?
    /// The requested beacons.
    package var beacons: [BeaconRecord]?
    /// The result of a reload.
    package var reload: Emulator.ReloadResult?
    /// The requested bonds.
    package var bonds: [BondRecord]?
    /// The number of removed bonds.
    package var forgotten: Int?
    /// Whether the run ends.
    package var stopping: Bool?

    /// An answer without values.
    init() {}

    /// The answer to a failed request.
    init(_ failure: EmulatorError) {
        error = failure.description
        exitCode = failure.exitCode
        diagnostics = failure.diagnostics.isEmpty ? nil : failure.diagnostics
        errors = ErrorRecord.records(of: failure)
    }

    /// An answer with beacons.
    static func beacons(_ statuses: [BeaconStatus]) -> ControlAnswer {
        var answer = ControlAnswer()
        answer.beacons = statuses.map(BeaconRecord.init)
        return answer
    }
}

/// The status of a beacon as JSON.
package struct BeaconRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon's name in the run.
    package let device: String
    /// The complete device name; absent if it has none.
    package let name: String?
    /// The profile's name.
    package let profile: String
    /// The kind of device, as in profiles.
    package let kind: String
    /// Whether the beacon is switched on.
    package let enabled: Bool
    /// The proximity UUID.
    package private(set) var uuid: String?
    /// The iBeacon major.
    package private(set) var major: UInt16?
    /// The iBeacon minor.
    package private(set) var minor: UInt16?
    /// The measured power at 1 m, in dBm.
    package private(set) var measuredPower: Int8?
    /// The stored advertising interval, in 0.625 ms.
    package private(set) var intervalTicks: UInt32?
    /// The transmit power in dBm; absent if the radio chooses it.
    package private(set) var txPower: Int8?
    /// The settings that only this device has, as `ctl set` takes them; absent if it has none.
    package private(set) var values: [String: String]?
    /// The present values of simulated settings, which are `auto` in `values`; absent if there are none.
    package let presentValues: [String: String]?
    /// The UUIDs of the services.
    package let services: [String]
    /// Whether settings are saved.
    package let keepsSettings: Bool
    /// Whether the beacon is on the air: not while it is switched off or refused, or has all the centrals that it accepts.
    package let onAir: Bool
    /// The advertiser's address, or the last one; absent if the radio does not report it.
    package let address: String?
    /// The PDU type on the air, or the last one.
    package let pdu: String?
    /// The flags in the advertising data on the air, or in the last one; absent if it has none.
    package let flags: UInt8?
    /// The controller's transmit power, in dBm; absent if the radio does not report it.
    package let effectiveTxPower: Int8?
    /// The position x, y, z in metres; absent if the profile has none.
    package let position: [Double]?
    /// The addresses of the connected centrals.
    package let centrals: [String]
    /// Whether `set` changed a setting: `false` if nothing changed, so that nothing was saved; absent for other commands.
    package let changed: Bool?

    /// The record of a status.
    package init(_ status: BeaconStatus) {
        device = status.identifier.name
        name = status.name
        profile = status.profile
        presentValues = status.presentValues.isEmpty ? nil : status.presentValues
        kind = status.kind
        enabled = status.isEnabled
        services = status.services
        keepsSettings = status.keepsSettings
        onAir = status.isOnAir
        address = status.effective?.address.value?.description
        pdu = status.effective?.pdu.value?.rawValue
        flags = status.effective?.advertisingData.value.flatMap { octets in
            (try? AdvertisingData(parsing: octets))?.flags?.rawValue
        }
        effectiveTxPower = status.effective?.transmitPower.value?.decibelMilliwatts
        position = status.position.map { [$0.x, $0.y, $0.z] }
        centrals = status.centrals
        changed = status.isChanged
        for setting in status.settings {
            switch setting {
            case .uuid(let value): uuid = value.description
            case .major(let value): major = value
            case .minor(let value): minor = value
            case .measuredPower(let value): measuredPower = value.decibelMilliwatts
            case .interval(let value): intervalTicks = value.count
            case .transmitPower(let value): txPower = value?.decibelMilliwatts
            case .named(let name, let text): values = (values ?? [:]).merging([name: text]) { $1 }
            }
        }
    }
}

/// A bond of a beacon as JSON.
package struct BondRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon.
    package let device: String
    /// The peer's identity address.
    package let peer: String
    /// The type of that address: `random` or `public`.
    package let peerType: String
    /// Whether the key is authenticated: protected against a person in the middle.
    package let authenticated: Bool?
    /// Whether the key was generated with LE Secure Connections.
    package let secureConnections: Bool?
    /// The size of the key, in bytes.
    package let keySize: UInt8?

    init(_ beacon: String, _ peer: PairedPeer) {
        device = beacon
        self.peer = peer.address.address.description
        peerType = peer.address.isRandom ? "random" : "public"
        authenticated = peer.isAuthenticated
        secureConnections = peer.usesSecureConnections
        keySize = peer.keySize
    }
}
