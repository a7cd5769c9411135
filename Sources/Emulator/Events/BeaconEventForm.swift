// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import JSON
import Profiles
import Radio

extension BeaconEvent {
    /// The form of the event; its sentence is without the beacon.
    func form(of beacon: BeaconIdentifier) -> EventForm {
        switch self {
        case .advertising(let status, let radio, let isNew):
            EventForm(isNew ? .advertisingStarted : .advertisingChanged, status.sentence) {
                try $0.set(.radio, radio)
                try status.write(to: &$0)
            }
        case .advertisingStopped(let stop):
            EventForm(.advertisingStopped, "off the air (\(stop.reason))") { try $0.set(.reason, stop.reason) }
        case .advertisingRefused(let error):
            EventForm(.advertisingRefused, "advertising refused: \(error.message); \(error.hint)") {
                try error.write(to: &$0)
            }
        case .connected(let central):
            EventForm(.connected, "\(central) connected") { try $0.set(.central, central) }
        case .disconnected(let central):
            EventForm(.disconnected, "\(central) disconnected") { try $0.set(.central, central) }
        case .subscribed(let central, let characteristic, let isSubscribed):
            EventForm(
                isSubscribed ? .subscribed : .unsubscribed,
                "\(central) \(isSubscribed ? "subscribed to" : "unsubscribed from") \(characteristic.words)"
            ) {
                try $0.set(.central, central)
                try characteristic.write(to: &$0)
            }
        case .written(let central, let characteristic, let value, let settings):
            EventForm(.written, Self.sentence(central, characteristic, value, settings)) {
                try $0.set(.central, central)
                try characteristic.write(to: &$0)
                try $0.set(.value, hexadecimal: value)
                try $0.set(.decoded, settings.isEmpty ? nil : settings)
            }
        case .refused(let request, let error, let name): request.form(refusedWith: error, name)
        case .pairing(let central, let event): event.form(with: central, of: beacon)
        case .settingsSaved(let file):
            EventForm(.settingsSaved, "settings saved in \(file)") { try $0.set(.file, file) }
        case .settingsRestored(let file, let reset):
            EventForm(
                .settingsRestored,
                "settings restored from \(file); when the run has ended, \(reset) restores the profile's"
            ) {
                try $0.set(.file, file)
                try $0.set(.message, "saved settings take precedence over the values of the profile")
                try $0.set(.hint, "\(reset) goes back to the profile, when the run has ended")
            }
        case .labelled(let label):
            EventForm(.labelChanged, label.map { "its label is \"\($0)\"" } ?? "it has no label any more")
        case .settingsReset(let file):
            EventForm(.settingsReset, "settings reset: \(file) removed") { try $0.set(.file, file) }
        case .bondsSaved(let file): EventForm(.bondsSaved, "bonds saved in \(file)") { try $0.set(.file, file) }
        case .bondsReset(let file):
            EventForm(.bondsReset, "bonds reset: \(file) removed") { try $0.set(.file, file) }
        case .muted(let time):
            EventForm(.muted, "muted\(Self.period(time)): nothing that it sends is received") {
                try $0.set(.seconds, time.map { $0 / .seconds(1) })
            }
        case .unmuted: EventForm(.unmuted, "unmuted")
        case .connectionsFailing(let fault): Self.form(of: fault)
        case .battery(.flat): EventForm(.batteryFlat, "its battery is flat")
        case .battery(.full): EventForm(.batteryFull, "its battery is full again")
        case .report(let report): report.form(of: beacon)
        case .warning(let warning): warning.form
        }
    }

    private static func sentence(
        _ central: String, _ characteristic: NamedCharacteristic, _ value: [UInt8], _ settings: [String: String]
    ) -> String {
        let changes = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(central) wrote \(Hexadecimal.string(value)) to \(characteristic.words)"
            + (changes.isEmpty ? "" : ": " + changes.joined(separator: " "))
    }

    private static func form(of fault: ConnectionFault) -> EventForm {
        let reason = fault.phase == .establishment ? nil : fault.reason.rawValue
        let sentence =
            switch (fault.count, fault.phase) {
            case (0, _): "connections to it do not fail any more"
            case (let count, .establishment): "the next \(count) connections to it will not be established"
            case (let count, .connected): "it will end the next \(count) connections at once (\(reason ?? ""))"
            case (let count, .request):
                "it will end the next \(count) connections at their first packet (\(reason ?? ""))"
            }
        return EventForm(.connectionsFailing, sentence) {
            try $0.set(.connections, fault.count)
            try $0.set(.phase, fault.phase.rawValue)
            try $0.set(.reason, reason)
        }
    }

    private static func period(_ time: Duration?) -> String {
        time.map { " for \(ValueText.text(($0 / .milliseconds(10)).rounded() / 100)) s" } ?? ""
    }
}

// MARK: - Advertisements and attributes

extension AdvertisingStatus {
    fileprivate var sentence: String {
        var words = ["on the air:"]
        if let name = AdvertisementText(self).name { words.append("\(name),") }
        words.append(effective.pdu.value?.rawValue ?? "PDU type unknown,")
        if let range = effective.interval.value {
            let (lowest, highest) = (range.lowerBound.count, range.upperBound.count)
            words.append(lowest == highest ? "every \(lowest) ticks," : "every \(lowest) to \(highest) ticks,")
        } else {
            words.append("interval unknown (\(requested.interval.count) ticks requested),")
        }
        if let power = effective.transmitPower.value { words.append("\(power.decibelMilliwatts) dBm,") }
        if let address = effective.address.value { words.append("from \(address),") }
        if let data = effective.advertisingData.value {
            words.append("data \(Hexadecimal.string(data))")
        } else {
            let data = Hexadecimal.string(requested.advertisingData.serialized())
            words.append("data unknown (\(data) requested)")
        }
        let scanResponse = effective.scanResponse.value ?? requested.scanResponse.serialized()
        if !scanResponse.isEmpty { words.append("scan response \(Hexadecimal.string(scanResponse))") }
        return words.joined(separator: " ")
    }

    fileprivate func write(to fields: inout EventFields) throws {
        var unknown: [String] = []
        for value in EffectiveRecord.values {
            guard let field = value.field else { continue }
            switch value.effective(effective) {
            case .known(let json): try fields.set(named: field, json)
            case .unknown: unknown.append(field)
            case .absent: break
            }
        }
        try fields.set(.requested, EffectiveRecord.requested(requested))
        try fields.set(.unknown, unknown.isEmpty ? nil : unknown)
        let different = AdvertisingField.allCases.filter(differences.contains).map(\.rawValue)
        try fields.set(.different, different.isEmpty ? nil : different)
    }
}

extension NamedCharacteristic {
    /// `level (2A19)`, or the UUID alone.
    fileprivate var words: String { name.map { "\($0) (\(identifier))" } ?? "\(identifier)" }

    fileprivate func write(to fields: inout EventFields) throws {
        try fields.set(.characteristic, identifier.description)
        try fields.set(.characteristicName, name)
    }
}

extension AttributeRequest {
    fileprivate func form(refusedWith error: ATTError, _ name: String?) -> EventForm {
        let characteristic = NamedCharacteristic(identifier: characteristic, name: name)
        return EventForm(.refused, "refused: \(central) \(words(of: characteristic)): \(error)") {
            try $0.set(.central, central)
            try characteristic.write(to: &$0)
            try $0.set(.attError, error.rawValue)
            try $0.set(.code, error.code)
            try $0.set(.reason, "\(error)")
            switch operation {
            case .read: try $0.set(.operation, "read")
            case .write(_, let value):
                try $0.set(.operation, "write")
                try $0.set(.value, hexadecimal: value)
            }
        }
    }

    private func words(of characteristic: NamedCharacteristic) -> String {
        switch operation {
        case .read: "read \(characteristic.words)"
        case .write(_, let value): "wrote \(Hexadecimal.string(value)) to \(characteristic.words)"
        }
    }
}

// MARK: - Pairing

extension PairingEvent {
    fileprivate func form(with central: String, of beacon: BeaconIdentifier) -> EventForm {
        switch self {
        case .began, .confirmationWanted:
            EventForm(.pairingBegan, "pairing with \(central)") { try $0.set(.central, central) }
        case .passkeyShown(let number):
            EventForm(.passkeyShown, "passkey for \(central): \(ValueText.digits(of: number))") {
                try $0.set(.central, central)
                try $0.set(.passkey, ValueText.digits(of: number))
            }
        case .passkeyWanted:
            EventForm(.passkeyWanted, "enter the passkey that \(central) shows: beaconry ctl pair \(beacon) PASSKEY") {
                try $0.set(.central, central)
            }
        case .comparisonWanted(let number):
            EventForm(
                .comparisonWanted,
                "does \(central) show \(ValueText.digits(of: number))? beaconry ctl pair \(beacon) accept, or reject"
            ) {
                try $0.set(.central, central)
                try $0.set(.passkey, ValueText.digits(of: number))
            }
        case .paired(let peer): peer.form(with: central)
        case .failed(let error): error.form(with: central, hint: error.hint).adding { try $0.set(.central, central) }
        case .encrypted(let protection): protection.form(with: central).adding { try $0.set(.central, central) }
        case .forgotten(let address):
            EventForm(.bondForgotten, "bond with \(address.address) removed") {
                try $0.set(.central, central)
                try address.write(to: &$0)
            }
        }
    }
}

extension PairedPeer {
    fileprivate func form(with central: String) -> EventForm {
        EventForm(.paired, sentence(with: central)) {
            try $0.set(.central, central)
            try address.write(to: &$0)
            try $0.set(.bonded, isBonded)
            try $0.set(.authenticated, isAuthenticated)
            try $0.set(.secureConnections, usesSecureConnections)
            try $0.set(.keySize, keySize)
        }
    }

    private func sentence(with central: String) -> String {
        var words = "paired with \(central)"
        if !central.hasPrefix(address.address.description) { words += ", as \(address.address)" }
        if isAuthenticated == false { words += ", without protection against a person in the middle" }
        return words + (isBonded ? ", bonded" : ", not bonded")
    }
}

extension RemoteAddress {
    fileprivate func write(to fields: inout EventFields) throws {
        try fields.set(.peer, address.description)
        try fields.set(.peerType, isRandom ? "random" : "public")
    }
}

// MARK: - What devices show

extension DeviceReport {
    /// The arguments are fields of the event; settings that the user has to change become a hint.
    fileprivate func form(of beacon: BeaconIdentifier) -> EventForm {
        guard let kind = EventKind.named(name) else { preconditionFailure("\(name) is not in EventKind") }
        return EventForm(kind, sentence(of: beacon)) {
            try $0.set(.central, central?.name)
            for (name, value) in arguments {
                if name == "settings", case .list(let settings) = value {
                    try $0.set(.hint, Self.hint(settings, of: beacon))
                } else {
                    try $0.set(named: name, ReportValue(value))
                }
            }
        }
    }

    private static func hint(_ settings: [String], of beacon: BeaconIdentifier) -> String {
        "press it with " + settings.map { "beaconry ctl set \(beacon) \($0)" }.joined(separator: ", then ")
    }

    /// The name of the report, and its arguments: `notification shown: Robert | Hello`.
    private func sentence(of beacon: BeaconIdentifier) -> String {
        func text(_ key: String, in values: [String: DeviceReport.Value]) -> String? {
            if case .text(let text)? = values[key], !text.isEmpty { text } else { nil }
        }
        var parts = ["action", "message"].map { text($0, in: arguments) }
        if case .object(let fields)? = arguments["notification"] {
            let texts = ["title", "subtitle", "message", "appName"].compactMap { text($0, in: fields) }
            if !texts.isEmpty {
                parts.append(texts.joined(separator: " | "))
            } else if let display = text("display", in: fields) {
                parts.append(display)
            } else if case .integer(let number)? = fields["uid"] {
                parts.append("notification \(number)")
            }
        }
        parts.append(text("reason", in: arguments))
        if case .list(let settings)? = arguments["settings"] { parts.append(Self.hint(settings, of: beacon)) }
        let name = name.replacing("-", with: " ")
        return SafeText.line(([name] + parts.compactMap(\.self)).joined(separator: ": "))
    }
}

/// A value of a device's report as JSON.
struct ReportValue: Encodable {
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
