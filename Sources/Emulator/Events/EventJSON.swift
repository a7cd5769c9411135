// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices
import FoundationEssentials
import Profiles
import Radio

// Events as JSON: the fields of events, whose names are in `EventName`. docs/events.md describes them.

extension PostedEvent: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var record = EventFields(encoder, of: event.name)
        try record.set(.v, 1)
        try record.set(.time, Timestamp.text(time))
        try record.set(.event, event.name)
        switch event {
        case .radioReady(let capabilities): try record.describe(capabilities)
        case .radioLost(let error): try record.describe(error)
        case .ready(let summary):
            try record.set(.beacons, summary.beacons)
            try record.set(.onAir, summary.count(.onAir))
        case .reloaded(let count): try record.set(.beacons, count)
        case .degraded(let summary), .recovered(let summary): try record.describe(summary)
        case .controlServed(let url): try record.set(.url, url)
        case .reloadFailed(let error):
            try record.set(.message, error.message)
            try record.set(.hint, error.hint)
            try record.set(.faults, error.faults.isEmpty ? nil : error.faults.map(ErrorRecord.init))
        case .scenario(let scenario): try record.set(.scenario, scenario)
        case .replayEnded(let count): try record.set(.packets, count)
        case .stopping: break
        case .host(let event): try record.describe(event)
        case .warning(let warning): try record.describe(warning)
        case .lost(let count):
            try record.set(.count, count)
            try record.set(
                .message, "\(count) \(count == 1 ? "event was" : "events were") lost, because they were read too slowly"
            )
        case .beacon(let beacon, let event):
            try record.set(.device, beacon.name)
            try record.describe(event, of: beacon)
        case .phone(let phone, let accessory, let event):
            try record.set(.device, phone.name)
            try record.set(.central, accessory?.address.description)
            try record.describe(event)
        }
    }
}

/// The fields of an event's JSON object; a field that does not concern the event is absent.
struct EventFields {
    enum Field: String, CaseIterable {
        /// The version of the format, the time in UTC with milliseconds, the event's name, and the beacon or the phone.
        case v, time, event, device
        /// An advertisement, whose other fields are those of `EffectiveRecord`: bytes are in lower-case hexadecimal, intervals in
        /// 0.625 ms, powers in dBm.
        case radio, address, advertisingData, requested, unknown, different
        /// A problem: a clause, a stable code, a sentence, a fix, and the faults of a profile.
        case reason, code, message, hint, faults
        /// A central's access to a characteristic: bytes are in lower-case hexadecimal.
        case central, characteristic, characteristicName, value, decoded, operation, attError, file
        /// A pairing.
        case passkey, peer, peerType, bonded, authenticated, secureConnections, keySize
        /// Another program's host.
        case host, transport, scan
        /// A phone's notification: an object.
        case notification, action, name, app
        /// The number of lost events, of beacons, and of packets of a recording; the numbers of beacons that should be on the air
        /// and that are, and those that should be and are not.
        case count, beacons, packets, expected, onAir, missing
        /// A duration.
        case seconds
        /// A radio.
        case way, extended, instances, freeInstances, servers, receivers, seed
        /// HTTP on TCP.
        case url
        /// The progress of a scenario: an object.
        case scenario
    }

    /// The keys of fields that are objects of known members.
    private static let nested: [Field: [String]] = [
        .requested: EffectiveRecord.requestedFields,
        .scenario: [
            "v", "scenario", "state", "elapsed", "duration", "changes", "done", "next", "refused", "ignored",
        ],
        .notification: [
            "uid", "category", "categoryCount", "display", "flags", "name", "app", "appName", "title", "subtitle",
            "message", "messageSize", "date", "positiveAction", "negativeAction",
        ],
    ]
    /// The fields that are objects with names as keys.
    private static let named: Set<Field> = [.decoded, .receivers]
    private static let sequence = "sequence"

    /// The names of the fields of all events.
    static let common = [Field.v, .time, .event].map(\.rawValue)

    /// Checks the members that a pattern requires: the name of the event, and the keys, which the event must have.
    /// - Throws: `EmulatorError` `.badProfile`.
    static func check(_ pattern: [String: JSONValue]) throws(EmulatorError) {
        let event = pattern[Field.event.rawValue]
        if let event { try checkName(event) }
        for (key, value) in pattern.sorted(by: { $0.key < $1.key }) where key != sequence {
            guard EventName.allFieldNames.contains(key) else {
                throw EmulatorError(
                    .badProfile, "events have no \"\(key)\"",
                    hint: Spelling.hint(key, "keys", EventName.allFieldNames.sorted()))
            }
            try EventName.require(key, of: event?.string)
            let field = Field(rawValue: key)
            guard let members = value.members, !named.contains(where: { $0 == field }) else { continue }
            guard let known = field.flatMap({ nested[$0] }) else {
                throw EmulatorError(.badProfile, "\"\(key)\" of events is not an object")
            }
            if let unknown = members.keys.sorted().first(where: { !known.contains($0) }) {
                throw EmulatorError(
                    .badProfile, "\"\(key)\" of events has no \"\(unknown)\"",
                    hint: Spelling.hint(unknown, "keys", known))
            }
        }
    }

    private static func checkName(_ value: JSONValue) throws(EmulatorError) {
        guard let name = value.string else {
            throw EmulatorError(.badProfile, "\"event\" must be the name of an event, such as \"connected\"")
        }
        if name.hasSuffix("*") {
            let start = name.dropLast()
            guard EventName.all.contains(where: { $0.hasPrefix(start) }) else { throw EventName.unknown(name) }
        } else if !EventName.isKnown(name) {
            throw EventName.unknown(name)
        }
    }

    /// A field above, or an argument of a device's report.
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    private var container: KeyedEncodingContainer<Key>
    private let event: String

    init(_ encoder: any Encoder, of event: String) {
        container = encoder.container(keyedBy: Key.self)
        self.event = event
    }

    /// Whether the table of fields has one for this event.
    private func isDeclared(_ field: String) -> Bool {
        Self.common.contains(field) || EventName.fieldNames(of: event)?.contains(field) == true
    }

    /// Sets a field; `nil` leaves it out.
    mutating func set(_ field: Field, _ value: (some Encodable)?) throws { try set(named: field.rawValue, value) }

    private mutating func set(named field: String, _ value: (some Encodable)?) throws {
        assert(value == nil || isDeclared(field), "\(event) has no \(field) in EventName.fields")
        try container.encodeIfPresent(value, forKey: Key(field))
    }

    private mutating func set(_ field: Field, hexadecimal bytes: [UInt8]) throws {
        try set(field, Hexadecimal.string(bytes))
    }

    // MARK: - The radio

    mutating func describe(_ capabilities: RadioCapabilities) throws {
        try set(.radio, capabilities.name)
        try set(.way, capabilities.way)
        try set(.reason, capabilities.wayReason)
        try set(.address, capabilities.address?.description)
        try set(.extended, capabilities.hasExtendedAdvertising)
        try set(.instances, capabilities.instances)
        try set(.freeInstances, capabilities.freeInstances)
        try set(.servers, capabilities.servers.isEmpty ? nil : capabilities.servers)
        try set(.receivers, capabilities.receivers.isEmpty ? nil : capabilities.receivers)
        try set(.seed, capabilities.seed)
    }

    mutating func describe(_ summary: AirSummary) throws {
        try set(.expected, summary.expected)
        try set(.onAir, summary.count(.onAir))
        try set(.missing, summary.missing.isEmpty ? nil : summary.missing)
        try set(.message, summary.sentence)
    }

    mutating func describe(_ event: HostEvent) throws {
        switch event.action {
        case .joined, .left, .scanStopped: break
        case .refused(let reason): try set(.reason, reason)
        case .scanStarted(let isActive): try set(.scan, isActive ? "active" : "passive")
        }
        try set(.host, event.name)
        try set(.transport, event.transport)
        try set(.peer, event.peer)
        try set(.address, event.address.description)
    }

    mutating func describe(_ warning: Warning) throws {
        try set(.code, warning.code)
        try set(.message, warning.message)
        try set(.hint, warning.hint)
    }

    mutating func describe(_ error: RadioError) throws {
        try set(.code, error.code.rawValue)
        try set(.message, error.message)
        try set(.hint, error.hint)
    }

    // MARK: - Beacons

    mutating func describe(_ event: BeaconEvent, of beacon: BeaconIdentifier) throws {
        switch event {
        case .advertising(let status, let radio, _):
            try set(.radio, radio)
            try describe(status)
        case .advertisingStopped(let stop): try set(.reason, stop.reason)
        case .advertisingRefused(let error): try describe(error)
        case .connected(let central), .disconnected(let central): try set(.central, central)
        case .subscribed(let central, let characteristic, _):
            try set(.central, central)
            try describe(characteristic)
        case .written(let central, let characteristic, let value, let settings):
            try set(.central, central)
            try describe(characteristic)
            try set(.value, hexadecimal: value)
            try set(.decoded, settings.isEmpty ? nil : settings)
        case .refused(let request, let error, let name):
            try describe(refused: request, error, name)
        case .pairing(let central, let event):
            try set(.central, central)
            try describe(event)
        case .settingsSaved(let file), .settingsReset(let file), .bondsSaved(let file), .bondsReset(let file):
            try set(.file, file)
        case .settingsRestored(let file, let reset):
            try set(.file, file)
            try set(.message, "persisted settings win over the profile's values")
            try set(.hint, "\(reset) goes back to the profile, when the run has ended")
        case .muted(let duration): try set(.seconds, duration.map { $0 / .seconds(1) })
        case .unmuted, .battery: break
        case .report(let report): try describe(report, of: beacon)
        case .warning(let warning): try describe(warning)
        }
    }

    private mutating func describe(_ status: AdvertisingStatus) throws {
        var unknown: [String] = []
        for value in EffectiveRecord.values {
            guard let field = value.field else { continue }
            switch value.effective(status.effective) {
            case .known(let json): try set(named: field, json)
            case .unknown: unknown.append(field)
            case .absent: break
            }
        }
        try set(.requested, EffectiveRecord.requested(status.requested))
        try set(.unknown, unknown.isEmpty ? nil : unknown)
        let fields = AdvertisingField.allCases.filter(status.differences.contains).map(\.rawValue)
        try set(.different, fields.isEmpty ? nil : fields)
    }

    private mutating func describe(_ characteristic: NamedCharacteristic) throws {
        try set(.characteristic, characteristic.identifier.description)
        try set(.characteristicName, characteristic.name)
    }

    private mutating func describe(refused request: AttributeRequest, _ error: ATTError, _ name: String?) throws {
        try set(.central, request.central)
        try describe(NamedCharacteristic(identifier: request.characteristic, name: name))
        try set(.attError, error.rawValue)
        try set(.code, Self.code(of: error))
        try set(.reason, "\(error)")
        switch request.operation {
        case .read: try set(.operation, "read")
        case .write(_, let value):
            try set(.operation, "write")
            try set(.value, hexadecimal: value)
        }
    }

    private static func code(of error: ATTError) -> String {
        "0x" + Hexadecimal.string([error.rawValue]).uppercased()
    }

    // MARK: - Pairing

    private mutating func describe(_ event: PairingEvent) throws {
        switch event {
        case .began, .passkeyWanted: break
        case .passkeyShown(let number), .comparisonWanted(let number):
            try set(.passkey, ValueText.digits(of: number))
        case .paired(let peer):
            try describe(peer.address)
            try set(.bonded, peer.isBonded)
            try set(.authenticated, peer.isAuthenticated)
            try set(.secureConnections, peer.usesSecureConnections)
            try set(.keySize, peer.keySize)
        case .failed(let error): try describe(error, hint: error.hint)
        case .encrypted(let protection): try describe(protection)
        case .forgotten(let address): try describe(address)
        }
    }

    private mutating func describe(_ error: PairingError, hint: String) throws {
        try set(.code, error.code.rawValue)
        try set(.message, error.message)
        try set(.hint, hint)
    }

    private mutating func describe(_ protection: LinkProtection) throws {
        try set(.authenticated, protection.isAuthenticated)
        try set(.keySize, protection.keySize)
    }

    private mutating func describe(_ peer: RemoteAddress) throws {
        try set(.peer, peer.address.description)
        try set(.peerType, peer.isRandom ? "random" : "public")
    }

    // MARK: - What devices show

    /// The arguments of a report are fields of the event; settings that the user has to change become a hint.
    private mutating func describe(_ report: DeviceReport, of beacon: BeaconIdentifier) throws {
        assert(EventName.isKnown(report.name), "\(report.name) is not in EventName")
        try set(.central, report.central?.name)
        for (name, value) in report.arguments {
            if name == "settings", case .list(let settings) = value {
                let commands = settings.map { "beaconry ctl set \(beacon) \($0)" }
                try set(.hint, "press it with \(commands.joined(separator: ", then "))")
            } else {
                assert(
                    isDeclared(name), "\(report.name) has no \(name) in EventName.fields")
                try container.encode(ReportValue(value), forKey: Key(name))
            }
        }
    }

    private mutating func setNotification(_ fields: [String: DeviceReport.Value]) throws {
        try set(.notification, ReportValue(.object(fields)))
    }

    // MARK: - Phones

    mutating func describe(_ event: PhoneEvent) throws {
        switch event {
        case .looking, .connected, .serviceChanged: break
        case .accessoryFound(let device, let data):
            try set(.address, device.address.description)
            try set(.advertisingData, hexadecimal: data)
        case .connectionFailed(let device, let error):
            try set(.address, device.address.description)
            try set(.message, error.message)
            try set(.hint, error.hint)
        case .disconnected(let reason): try set(.reason, reason)
        case .encrypted(let protection): try describe(protection)
        case .pairingFailed(let error, let hint): try describe(error, hint: hint)
        case .notNotified(let characteristic, let value):
            try set(.characteristic, characteristic.description)
            try set(.value, hexadecimal: value)
            try set(.reason, "the accessory is not subscribed, or has disconnected")
        case .serviceFailed(let error): try describe(error)
        case .service(let report): try describe(report)
        }
    }

    private mutating func describe(_ report: ANCSProvider.Report) throws {
        switch report {
        case .sessionBegan, .sessionEnded: break
        case .notified(let event, let name):
            try setNotification(event.fields.merging(["name": .text(name)]) { $1 })
        case .asked(let command):
            try set(.value, hexadecimal: command.serialized())
            switch command {
            case .notificationAttributes(let uid, _): try setNotification(["uid": .integer(Int(uid))])
            case .appAttributes(let app, _): try set(.app, app)
            case .performAction, .unknown: break
            }
        case .acted(let action, let name):
            try set(.action, action.name)
            try set(.name, name)
        case .refused(let error, let command):
            try set(.code, Self.code(of: error))
            try set(.value, hexadecimal: command)
            try set(.reason, Phone.meaning(of: error))
        }
    }
}

/// A value of a device's report as JSON.
private struct ReportValue: Encodable {
    private let value: DeviceReport.Value

    init(_ value: DeviceReport.Value) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .text(let text): try container.encode(text)
        case .integer(let integer): try container.encode(integer)
        case .list(let texts): try container.encode(texts)
        case .object(let values): try container.encode(values.mapValues { ReportValue($0) })
        }
    }
}
