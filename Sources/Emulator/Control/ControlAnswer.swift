// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import BluetoothCore
package import Devices
package import Radio

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
    /// The requested profile.
    package var profile: ProfileRecord?
    /// The progress of a scenario.
    package var scenario: ScenarioRecord?
    /// Whether a beacon is new.
    package var isNew: Bool?
    /// The requested bonds.
    package var bonds: [BondRecord]?
    /// The number of removed bonds.
    package var forgotten: Int?
    /// What was moved.
    package var moved: MoveRecord?
    /// What walks.
    package var walk: WalkRecord?
    /// The servers of receivers: all, the one that was added, or the one that was removed.
    package var servers: [ServerRecord]?
    /// The hosts on the virtual air.
    package var receivers: [ReceiverRecord]?
    /// The paths on the virtual air.
    package var links: [LinkRecord]?
    /// The path whose override was changed.
    package var link: LinkChangeRecord?
    /// The connections that were ended.
    package var disconnected: DisconnectionRecord?
    /// The clock of the run.
    package var clock: ClockRecord?
    /// Whether the radio is on or off.
    package var radio: RadioPower?
    /// The captures: all, or the one that was started, stopped or removed.
    package var captures: [CaptureRecord]?
    /// The requested capture, a btsnoop file in base64 (RFC 4648, 4).
    package var packets: String?
    /// Events of the journal, oldest first, each with its number as `sequence`.
    package var journal: [JSONValue]?
    /// Whether the conditions of a request are met: a verdict for each.
    package var verdicts: [JournalExpectation.Verdict]?
    /// Whether the run ends.
    package var stopping: Bool?

    /// An answer without values.
    init() {}

    /// An answer with one value.
    init<Value>(_ key: WritableKeyPath<ControlAnswer, Value?>, _ value: Value) { self[keyPath: key] = value }

    /// The answer to `stop`.
    package init(stopping: Bool) { self.stopping = stopping }

    /// The answer to a failed request.
    init(_ failure: EmulatorError) {
        error = failure.description
        exitCode = failure.exitCode
        diagnostics = failure.diagnostics.isEmpty ? nil : failure.diagnostics
        errors = ErrorRecord.records(of: failure)
    }

    /// The JSON object on one line.
    package func line() async -> String {
        // Packets are as many bytes as thousands of records.
        let count = [beacons?.count, journal?.count, links?.count, packets.map { _ in Int(Int32.max) }]
        return await JSONLine.encode(self, records: count.reduce(0) { $0 + ($1 ?? 0) })
    }

    /// An answer with beacons.
    static func beacons(_ statuses: [BeaconStatus]) -> ControlAnswer {
        return ControlAnswer(\.beacons, statuses.map(BeaconRecord.init))
    }
}

extension ControlAnswer {
    /// An answer with the progress of a scenario.
    /// - Throws: `EmulatorError` `.noScenario` without one.
    static func scenario(_ record: ScenarioRecord?) throws(EmulatorError) -> ControlAnswer {
        guard let record else {
            throw EmulatorError(
                .noScenario, "no scenario was started", hint: "start one (beaconry ctl scenario start FILE)")
        }
        return ControlAnswer(\.scenario, record)
    }
}

/// The server of a receiver, as JSON.
package struct ServerRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name of its first host on the air.
    package let name: String
    /// Where hosts get controllers, as in `radio-ready`: `tcp:127.0.0.1:6402`.
    package let server: String
    /// The port of a TCP server; absent for others.
    package let port: Int?
    /// The names of the hosts that are connected.
    package let hosts: [String]
    /// The present position x, y, z in metres; absent for 1 m from every beacon.
    package let position: [Double]?

    package init(_ receiver: AirReceiver) {
        name = receiver.name
        server = receiver.server
        port = receiver.server.hasPrefix("tcp:") ? HostAndPort(String(receiver.server.dropFirst(4)))?.port : nil
        hosts = receiver.hosts
        position = receiver.position.map { [$0.x, $0.y, $0.z] }
    }
}

/// A beacon, a host or a receiver that walks, as JSON.
package struct WalkRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air.
    package let name: String
    /// The positions x, y, z in metres.
    package let path: [[Double]]
    /// The duration of the walk, in seconds.
    package let seconds: Double

    package init(name: String, path: [Position], over duration: Duration) {
        self.name = name
        self.path = path.map { [$0.x, $0.y, $0.z] }
        seconds = duration / .seconds(1)
    }
}

/// A beacon or a host that was moved, as JSON.
package struct MoveRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air.
    package let name: String
    /// The position x, y, z in metres.
    package let position: [Double]

    package init(name: String, position: Position) {
        self.name = name
        self.position = [position.x, position.y, position.z]
    }
}

/// A host on the virtual air as JSON.
package struct ReceiverRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air.
    package let name: String
    /// The present position x, y, z in metres; absent for 1 m from every beacon.
    package let position: [Double]?
    /// The line on which it moves: positions in metres, straight lines between them; absent at rest.
    package let path: [[Double]]?
    /// `active` or `passive`; absent if it does not scan.
    package let scan: String?

    package init(_ member: AirMember) {
        name = member.name
        position = member.position.map { [$0.x, $0.y, $0.z] }
        let outline = member.motion?.outline ?? []
        path = outline.isEmpty ? nil : outline.map { [$0.x, $0.y, $0.z] }
        scan = member.isScanActive.map { $0 ? "active" : "passive" }
    }
}

/// The override of a path on the virtual air as JSON.
package struct OverrideRecord: Codable, Hashable, Sendable {
    /// The RSSI of all packets in dBm; absent for that of the model.
    package let rssi: Int8?
    /// The additional loss in dB; absent for none.
    package let pathLoss: Double?
    /// The fraction of the packets that are lost in addition, 0 to 1; absent for none.
    package let packetLoss: Double?
    /// The time until it ends, in seconds; absent without a limit.
    package let seconds: Double?

    package init(_ override: LinkOverride) {
        rssi = override.rssi
        pathLoss = override.loss == 0 ? nil : override.loss
        packetLoss = override.packetLoss == 0 ? nil : override.packetLoss
        seconds = override.duration.map { $0 / Duration.seconds(1) }
    }
}

/// A path on the virtual air whose override was changed, as JSON.
package struct LinkChangeRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The one end.
    package let from: String
    /// The other end.
    package let to: String
    /// The override; absent if it was removed.
    package let override: OverrideRecord?

    package init(from: String, to: String, _ override: LinkOverride?) {
        self.from = from
        self.to = to
        self.override = override.map(OverrideRecord.init)
    }
}

/// A path on the virtual air as JSON.
package struct LinkRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon, or another advertiser.
    package let from: String
    /// The host that scans.
    package let to: String
    /// In metres; absent unless both have a position.
    package let distance: Double?
    /// The RSSI in dBm without shadowing, fading and noise, with the override.
    package let meanRSSI: Double
    /// The RSSI in dBm of the last packet that was received; absent before the first, and where all have the mean.
    package let lastRSSI: Int8?
    /// The fraction of the packets that were lost, 0 to 1; absent where none is lost.
    package let loss: Double?
    /// The override of the path; absent for none.
    package let override: OverrideRecord?

    package init(_ path: AirPath) {
        from = path.transmitter
        to = path.receiver
        distance = path.distance
        meanRSSI = path.meanRSSI
        lastRSSI = path.lastRSSI?.decibelMilliwatts
        loss = path.loss
        self.override = path.override.map(OverrideRecord.init)
    }
}

/// What the schedule of a beacon says, as JSON.
package struct ScheduleRecord: Codable, Hashable, Sendable {
    /// Whether it has the beacon on.
    package let on: Bool
    /// When that changes, in UTC; absent if it does not.
    package let until: String?
    /// `true` if the beacon was switched the other way until then; absent otherwise.
    package let overridden: Bool?

    init(_ status: ScheduleStatus) {
        on = status.isOn
        until = status.until.map { Timestamp.text(sinceUnixEpoch: $0) }
        overridden = status.isOverridden ? true : nil
    }
}

/// Connections that were ended, as JSON.
package struct DisconnectionRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon or the host that ended them, by its name on the air.
    package let name: String
    /// The addresses of the other ends.
    package let peers: [String]
    /// Their reason, as `DisconnectionReason` names it.
    package let reason: String

    package init(name: String, peers: [String], reason: String) {
        self.name = name
        self.peers = peers
        self.reason = reason
    }
}

/// The status of a beacon as JSON.
///
/// The settings that kinds of devices have in common are keys of the same object, named and typed by their declarations.
@dynamicMemberLookup
package struct BeaconRecord: Hashable, Sendable {
    /// The keys that do not depend on the device's settings.
    package struct State: Codable, Hashable, Sendable {
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
        /// The settings that only this kind of device has, as `ctl set` takes them; absent if it has none.
        package let values: [String: String]?
        /// The present values of simulated settings, which are `auto` in `values`; absent if there are none.
        package let presentValues: [String: String]?
        /// The UUIDs of the services.
        package let services: [String]
        /// Whether settings are saved.
        package let keepsSettings: Bool
        /// Whether the beacon is on the air: not while it is switched off or refused, or has all the centrals that it
        /// accepts.
        package let onAir: Bool
        /// Whether it is on the air now, or why it is not.
        package let state: AirState
        /// Whether it should be on the air.
        package let shouldBeOnAir: Bool
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
        /// `true` if nothing that the beacon sends is received; absent otherwise.
        package let muted: Bool?
        /// `flat`; absent otherwise.
        package let battery: BatteryState?
        /// What the schedule says; absent without one that switches the beacon.
        package let schedule: ScheduleRecord?
        /// Whether `set` changed a setting: `false` if nothing changed, so that nothing was saved; absent for other
        /// commands.
        package let changed: Bool?
    }

    /// The keys that do not depend on the device's settings.
    package let state: State
    /// The values of the common settings, by their keys in JSON.
    private let common: [String: SettingValue.Content]

    /// The record of a status.
    package init(_ status: BeaconStatus) {
        let own = status.settings.filter { $0.field == nil }
        let fields = status.settings.compactMap(\.field)
        common = Dictionary(fields.map { ($0.name, $0.content) }, uniquingKeysWith: { $1 })
        state = State(
            device: status.identifier.name, name: status.name, profile: status.profile, kind: status.kind,
            enabled: status.isEnabled,
            values: own.isEmpty ? nil : Dictionary(own.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 }),
            presentValues: status.presentValues.isEmpty ? nil : status.presentValues, services: status.services,
            keepsSettings: status.keepsSettings, onAir: status.isOnAir, state: status.airState,
            shouldBeOnAir: status.airState.isExpected,
            address: status.effective?.address.value?.description, pdu: status.effective?.pdu.value?.rawValue,
            flags: status.effective?.advertisingData.value.flatMap { bytes in
                (try? AdvertisingData(parsing: bytes))?.flags?.rawValue
            },
            effectiveTxPower: status.effective?.transmitPower.value?.decibelMilliwatts,
            position: status.position.map { [$0.x, $0.y, $0.z] }, centrals: status.centrals,
            muted: status.isMuted ? true : nil, battery: status.hasFlatBattery ? .flat : nil,
            schedule: status.schedule.map(ScheduleRecord.init), changed: status.isChanged)
    }

    /// A value that does not depend on the device's settings.
    package subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value { state[keyPath: path] }

    /// The value of a common setting by its key in JSON; `nil` if the device has no such setting, or no value.
    package subscript(_ field: String) -> SettingValue.Content? { common[field].flatMap { $0 == .absent ? nil : $0 } }

    /// The settings and their values for people: the common ones first.
    package var settings: [(key: String, text: String)] {
        let shared = DeviceRegistry.commonSettings.compactMap { setting in
            common[setting.field].map { (setting.key, setting.display($0)) }
        }
        let own = (state.values ?? [:]).sorted { $0.key < $1.key }.map { key, text in
            (key, state.presentValues?[key].map { "\($0) (\(text))" } ?? text)
        }
        return shared + own
    }
}

extension BeaconRecord: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        state = try State(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        // A setting without a value has no key, like one that the device does not have: the declarations tell them apart.
        let declared = DeviceRegistry.kind(named: state.kind)?.declarations.compactMap(\.common?.field) ?? []
        var common: [String: SettingValue.Content] = [:]
        for setting in DeviceRegistry.commonSettings {
            let key = Key(stringValue: setting.field)
            if let integer = try? container.decode(Int.self, forKey: key) {
                common[setting.field] = .integer(integer)
            } else if let text = try? container.decode(String.self, forKey: key) {
                common[setting.field] = .text(text)
            } else if declared.contains(setting.field) {
                common[setting.field] = .absent
            }
        }
        self.common = common
    }

    package func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        for (field, content) in common {
            switch content {
            case .integer(let integer): try container.encode(integer, forKey: Key(stringValue: field))
            case .text(let text): try container.encode(text, forKey: Key(stringValue: field))
            case .absent: break
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

    package init(_ beacon: String, _ peer: PairedPeer) {
        device = beacon
        self.peer = peer.address.address.description
        peerType = peer.address.isRandom ? "random" : "public"
        authenticated = peer.isAuthenticated
        secureConnections = peer.usesSecureConnections
        keySize = peer.keySize
    }
}
