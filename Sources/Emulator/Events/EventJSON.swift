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

// Events as JSON: the only place that names events and their fields. docs/events.md describes them.

extension PostedEvent: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var record = EventFields(encoder)
        try record.set(.v, 1)
        try record.set(.time, Timestamp.text(time))
        switch event {
        case .radioReady(let capabilities): try record.describe(capabilities)
        case .radioLost(let error): try record.describe("radio-lost", error)
        case .ready(let count):
            try record.set(.event, "ready")
            try record.set(.beacons, count)
        case .degraded(let summary):
            try record.set(.event, "degraded")
            try record.describe(summary)
        case .recovered(let summary):
            try record.set(.event, "recovered")
            try record.describe(summary)
        case .controlServed(let url):
            try record.set(.event, "http-ready")
            try record.set(.url, url)
        case .reloaded(let count):
            try record.set(.event, "reloaded")
            try record.set(.beacons, count)
        case .reloadFailed(let error):
            try record.set(.event, "reload-failed")
            try record.set(.message, error.message)
            try record.set(.hint, error.hint)
            try record.set(.faults, error.faults.isEmpty ? nil : error.faults.map(ErrorRecord.init))
        case .scenario(let scenario):
            let state = scenario.state == .running && scenario.done > 0 ? "changed" : scenario.state.rawValue
            try record.set(.event, "scenario-\(state)")
            try record.set(.scenario, scenario)
        case .replayEnded(let count):
            try record.set(.event, "replay-ended")
            try record.set(.packets, count)
        case .stopping: try record.set(.event, "stopping")
        case .host(let event): try record.describe(event)
        case .warning(let warning): try record.describe(warning)
        case .lost(let count):
            try record.set(.event, "events-lost")
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
private struct EventFields {
    enum Field: String {
        /// The version of the format, the time in UTC with milliseconds, the event's name, and the beacon or the phone.
        case v, time, event, device
        /// An advertisement: bytes are in lower-case hexadecimal, intervals in 0.625 ms, powers in dBm.
        case radio, address, pdu, advertisingData, scanResponse, intervalTicks, intervalTicksRange, txPower, requested,
            unknown, different
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
        /// The control requests over HTTP.
        case url
        /// The progress of a scenario: an object.
        case scenario
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

    init(_ encoder: any Encoder) { container = encoder.container(keyedBy: Key.self) }

    /// Sets a field; `nil` leaves it out.
    mutating func set(_ field: Field, _ value: (some Encodable)?) throws {
        try container.encodeIfPresent(value, forKey: Key(field.rawValue))
    }

    private mutating func set(_ field: Field, hexadecimal bytes: [UInt8]) throws {
        try set(field, Hexadecimal.string(bytes))
    }

    // MARK: - The radio

    mutating func describe(_ capabilities: RadioCapabilities) throws {
        try set(.event, "radio-ready")
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
        case .joined: try set(.event, "host-joined")
        case .left: try set(.event, "host-left")
        case .refused(let reason):
            try set(.event, "host-refused")
            try set(.reason, reason)
        case .scanStarted(let isActive):
            try set(.event, "scan-started")
            try set(.scan, isActive ? "active" : "passive")
        case .scanStopped: try set(.event, "scan-stopped")
        }
        try set(.host, event.name)
        try set(.transport, event.transport)
        try set(.peer, event.peer)
        try set(.address, event.address.description)
    }

    mutating func describe(_ warning: Warning) throws {
        try set(.event, "warning")
        try set(.code, warning.code)
        try set(.message, warning.message)
        try set(.hint, warning.hint)
    }

    mutating func describe(_ event: String, _ error: RadioError) throws {
        try set(.event, event)
        try set(.code, error.code.rawValue)
        try set(.message, error.message)
        try set(.hint, error.hint)
    }

    // MARK: - Beacons

    mutating func describe(_ event: BeaconEvent, of beacon: BeaconIdentifier) throws {
        switch event {
        case .advertising(let status, let radio, let isNew):
            try set(.event, isNew ? "advertising-started" : "advertising-changed")
            try set(.radio, radio)
            try describe(status)
        case .advertisingStopped(let stop):
            try set(.event, "advertising-stopped")
            try set(.reason, stop.reason)
        case .advertisingRefused(let error): try describe("advertising-refused", error)
        case .connected(let central):
            try set(.event, "connected")
            try set(.central, central)
        case .disconnected(let central):
            try set(.event, "disconnected")
            try set(.central, central)
        case .subscribed(let central, let characteristic, let isOn):
            try set(.event, isOn ? "subscribed" : "unsubscribed")
            try set(.central, central)
            try describe(characteristic)
        case .written(let central, let characteristic, let value, let settings):
            try set(.event, "written")
            try set(.central, central)
            try describe(characteristic)
            try set(.value, hexadecimal: value)
            try set(.decoded, settings.isEmpty ? nil : settings)
        case .refused(let request, let error, let name):
            try describe(refused: request, error, name)
        case .pairing(let central, let event):
            try set(.central, central)
            try describe(event)
        case .settingsSaved(let file):
            try set(.event, "persisted")
            try set(.file, file)
        case .settingsRestored(let file, let name):
            try set(.event, "settings-restored")
            try set(.file, file)
            try set(.message, "persisted settings win over the profile's values")
            try set(.hint, "beaconry reset \(name) goes back to the profile")
        case .settingsReset(let file):
            try set(.event, "settings-reset")
            try set(.file, file)
        case .bondsSaved(let file):
            try set(.event, "bonds-persisted")
            try set(.file, file)
        case .bondsReset(let file):
            try set(.event, "bonds-reset")
            try set(.file, file)
        case .muted(let duration):
            try set(.event, "muted")
            try set(.seconds, duration.map { $0 / .seconds(1) })
        case .unmuted: try set(.event, "unmuted")
        case .battery(let state): try set(.event, "battery-\(state.rawValue)")
        case .report(let report): try describe(report, of: beacon)
        case .warning(let warning): try describe(warning)
        }
    }

    /// The requested values of an advertisement.
    private struct Requested: Encodable {
        let pdu: String
        let advertisingData: String
        let scanResponse: String
        let intervalTicks: UInt32
        let txPower: Int8?
        let address: String?
    }

    private mutating func describe(_ status: AdvertisingStatus) throws {
        let effective = status.effective
        var unknown: [String] = []
        func known<Value>(_ value: Effective<Value>, _ field: Field) -> Value? {
            if value.value == nil { unknown.append(field.rawValue) }
            return value.value
        }
        try set(.address, known(effective.address, .address)?.description)
        try set(.pdu, known(effective.pdu, .pdu)?.rawValue)
        try set(.advertisingData, known(effective.advertisingData, .advertisingData).map(Hexadecimal.string))
        try set(.scanResponse, known(effective.scanResponse, .scanResponse).map(Hexadecimal.string))
        if let range = known(effective.interval, .intervalTicks) {
            if range.lowerBound == range.upperBound {
                try set(.intervalTicks, range.lowerBound.count)
            } else {
                try set(.intervalTicksRange, [range.lowerBound.count, range.upperBound.count])
                unknown.append(Field.intervalTicks.rawValue)
            }
        }
        try set(.txPower, known(effective.transmitPower, .txPower)?.decibelMilliwatts)
        let requested = status.requested
        try set(
            .requested,
            Requested(
                pdu: requested.pdu.rawValue,
                advertisingData: Hexadecimal.string(requested.advertisingData.serialized()),
                scanResponse: Hexadecimal.string(requested.scanResponse.serialized()),
                intervalTicks: requested.interval.count, txPower: requested.transmitPower?.decibelMilliwatts,
                address: requested.address?.description))
        try set(.unknown, unknown.isEmpty ? nil : unknown)
        let fields = AdvertisingField.allCases.filter(status.differences.contains).map(\.rawValue)
        try set(.different, fields.isEmpty ? nil : fields)
    }

    private mutating func describe(_ characteristic: NamedCharacteristic) throws {
        try set(.characteristic, characteristic.identifier.description)
        try set(.characteristicName, characteristic.name)
    }

    private mutating func describe(refused request: AttributeRequest, _ error: ATTError, _ name: String?) throws {
        try set(.event, "refused")
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
        case .began: try set(.event, "pairing-began")
        case .passkeyShown(let number):
            try set(.event, "passkey-shown")
            try set(.passkey, ValueText.digits(of: number))
        case .passkeyWanted: try set(.event, "passkey-wanted")
        case .comparisonWanted(let number):
            try set(.event, "comparison-wanted")
            try set(.passkey, ValueText.digits(of: number))
        case .paired(let peer):
            try set(.event, "paired")
            try describe(peer.address)
            try set(.bonded, peer.isBonded)
            try set(.authenticated, peer.isAuthenticated)
            try set(.secureConnections, peer.usesSecureConnections)
            try set(.keySize, peer.keySize)
        case .failed(let error): try describe(error, hint: error.hint)
        case .encrypted(let protection): try describe(protection)
        case .forgotten(let address):
            try set(.event, "bond-forgotten")
            try describe(address)
        }
    }

    private mutating func describe(_ error: PairingError, hint: String) throws {
        try set(.event, "pairing-failed")
        try set(.code, error.code.rawValue)
        try set(.message, error.message)
        try set(.hint, hint)
    }

    private mutating func describe(_ protection: LinkProtection) throws {
        try set(.event, "encrypted")
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
        try set(.event, report.name)
        try set(.central, report.central?.name)
        for (name, value) in report.arguments {
            if name == "settings", case .list(let settings) = value {
                let commands = settings.map { "beaconry ctl set \(beacon) \($0)" }
                try set(.hint, "press it with \(commands.joined(separator: ", then "))")
            } else {
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
        case .looking: try set(.event, "looking")
        case .accessoryFound(let device, let data):
            try set(.event, "accessory-found")
            try set(.address, device.address.description)
            try set(.advertisingData, hexadecimal: data)
        case .connectionFailed(let device, let error):
            try set(.event, "connection-failed")
            try set(.address, device.address.description)
            try set(.message, error.message)
            try set(.hint, error.hint)
        case .connected: try set(.event, "connected")
        case .disconnected(let reason):
            try set(.event, "disconnected")
            try set(.reason, reason)
        case .encrypted(let protection): try describe(protection)
        case .pairingFailed(let error, let hint): try describe(error, hint: hint)
        case .notNotified(let characteristic, let value):
            try set(.event, "not-told")
            try set(.characteristic, characteristic.description)
            try set(.value, hexadecimal: value)
            try set(.reason, "the accessory is not subscribed, or has disconnected")
        case .serviceChanged(let isPresent): try set(.event, isPresent ? "service-back" : "service-away")
        case .serviceFailed(let error): try describe("warning", error)
        case .service(let report): try describe(report)
        }
    }

    private mutating func describe(_ report: ANCSProvider.Report) throws {
        switch report {
        case .sessionBegan: try set(.event, "session-began")
        case .sessionEnded: try set(.event, "session-ended")
        case .notified(let event, let name):
            try set(.event, event.kind.eventName)
            try setNotification(event.fields.merging(["name": .text(name)]) { $1 })
        case .asked(let command):
            try set(.event, "asked")
            try set(.value, hexadecimal: command.serialized())
            switch command {
            case .notificationAttributes(let uid, _): try setNotification(["uid": .integer(Int(uid))])
            case .appAttributes(let app, _): try set(.app, app)
            case .performAction, .unknown: break
            }
        case .acted(let action, let name):
            try set(.event, "action-performed")
            try set(.action, action.name)
            try set(.name, name)
        case .refused(let error, let command):
            try set(.event, "refused")
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
