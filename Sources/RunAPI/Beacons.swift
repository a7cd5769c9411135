// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
package import Devices
package import Emulator
package import JSON
import Radio
import Space

package struct ListBeacons: Operation {
    package static let name = "listBeacons"
    package static let method = OperationMethod.get
    package static let path = "/v1/beacons"
    package static let sentence =
        "All beacons, or only the beacons of a profile or with ids that match a pattern, in the order of the profiles."
    package static let fields: [Field<ListBeacons>] = [
        .optional("match", .query, \.match, "a pattern of ids, such as shelf-*"),
        .optional("profile", .query, \.profile, "the name of a profile"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownProfile, .unknownBeacon]

    package var match: BeaconPattern?
    package var profile: String?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<BeaconRecord> {
        let statuses =
            if let match {
                try await run.emulator.show(match.selection(of: profile))
            } else {
                try await run.emulator.list(of: profile)
            }
        return Listed(statuses.map(BeaconRecord.init))
    }
}

package struct ShowBeacon: Operation {
    package static let name = "showBeacon"
    package static let method = OperationMethod.get
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence = "One beacon with its settings."
    package static let fields: [Field<ShowBeacon>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var beacon = BeaconName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BeaconRecord {
        BeaconRecord(try await run.emulator.show(beacon.text))
    }
}

package struct ChangeBeacon: ChangingOperation {
    package static let name = "changeBeacon"
    package static let method = OperationMethod.patch
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence =
        "Changes a beacon, or nothing if one of the changes is refused; in this order: settings, position, muting, battery, enabled."
    package static let fields = [Field.required("beacon", .path, \ChangeBeacon.beacon, "the id of a beacon")] + changes
    package static let failures = changeFailures

    package var beacon = BeaconName()
    package var change = BeaconChange()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BeaconRecord {
        BeaconRecord(try await run.emulator.change(beacon.text, change))
    }
}

/// An operation that changes beacons.
package protocol ChangingOperation: Operation {
    var change: BeaconChange { get set }
}

extension ChangingOperation {
    /// The parameters of the change.
    static var changes: [Field<Self>] {
        [
            .optional(
                "settings", .member, \.change.settings,
                "settings by their keys in profiles; label is one of them, which an empty text removes"),
            .optional("position", .member, \.change.position, "metres: x, y and, if not 0, the height"),
            .optional(
                "muted", .member, \.change.muting,
                "whether it is muted, or for how long: receivers get none of its packets"),
            .optional("battery", .member, \.change.battery, "the state of its battery"),
            .optional("enabled", .member, \.change.isEnabled, "whether it is switched on"),
        ]
    }

    /// The codes of the errors of the change.
    static var changeFailures: [EmulatorError.Code] {
        [.unknownBeacon, .badProfile, .refusedSetting, .conflict, .radio, .unsupported, .inputOutput]
    }
}

package struct ChangeBeacons: ChangingOperation {
    package static let name = "changeBeacons"
    package static let method = OperationMethod.patch
    package static let path = "/v1/beacons"
    package static let sentence =
        "Makes the same change to all beacons whose ids match a pattern, or to none if one refuses it."
    package static let fields =
        [
            Field.required("match", .query, \ChangeBeacons.match, "a pattern of ids, such as shelf-*"),
            .optional("profile", .query, \.profile, "the name of a profile"),
        ] + changes

    package static let failures: [EmulatorError.Code] = [.unknownProfile] + changeFailures

    package var match = BeaconPattern()
    package var profile: String?
    package var change = BeaconChange()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<BeaconRecord> {
        Listed(try await run.emulator.change(match.selection(of: profile), change).map(BeaconRecord.init))
    }
}

package struct PutBeacon: Operation {
    package static let name = "putBeacon"
    package static let method = OperationMethod.put
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence = "Adds a beacon, or replaces one, until the next reload."
    package static let fields: [Field<PutBeacon>] = [
        .required(
            "beacon", .path, \.beacon, "its id, or PROFILE/ID; a new one without a profile is added to the first"),
        .required("text", .text, \.entry, "the keys of its entry in a profile, see docs/profiles.md"),
    ]
    package static let failures: [EmulatorError.Code] = [
        .badProfile, .unknownProfile, .conflict, .radio, .cannotCreate, .inputOutput,
    ]

    package var beacon = BeaconName()
    package var entry = Document()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stored<BeaconRecord> {
        let (status, isNew) = try await run.emulator.putBeacon(beacon.text, entry.text)
        return Stored(BeaconRecord(status), isNew: isNew)
    }
}

package struct RemoveBeacon: Operation {
    package static let name = "removeBeacon"
    package static let method = OperationMethod.delete
    package static let path = "/v1/beacons/{beacon}"
    package static let sentence = "Removes a beacon, until the next reload."
    package static let fields: [Field<RemoveBeacon>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .radio, .cannotCreate, .inputOutput]

    package var beacon = BeaconName()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.removeBeacons(.named(beacon.text))
    }
}

package struct RemoveBeacons: Operation {
    package static let name = "removeBeacons"
    package static let method = OperationMethod.delete
    package static let path = "/v1/beacons"
    package static let sentence = "Removes all beacons whose ids match a pattern, until the next reload."
    package static let fields: [Field<RemoveBeacons>] = [
        .required("match", .query, \.match, "a pattern of ids, such as shelf-*"),
        .optional("profile", .query, \.profile, "the name of a profile"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownProfile] + RemoveBeacon.failures

    package var match = BeaconPattern()
    package var profile: String?

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.removeBeacons(match.selection(of: profile))
    }
}

package struct ResetBeacon: Operation {
    package static let name = "resetBeacon"
    package static let method = OperationMethod.delete
    package static let path = "/v1/beacons/{beacon}/settings"
    package static let sentence =
        "Removes the saved settings of a beacon, which starts again with those of its profile; bonds stay."
    package static let fields: [Field<ResetBeacon>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .radio, .cannotCreate, .inputOutput]

    package var beacon = BeaconName()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.resetSettings(of: .named(beacon.text))
    }
}

package struct ResetBeacons: Operation {
    package static let name = "resetBeacons"
    package static let method = OperationMethod.delete
    package static let path = "/v1/settings"
    package static let sentence =
        "Removes the saved settings of all beacons whose ids match a pattern, which start again with those of their profiles; bonds stay."
    package static let fields: [Field<ResetBeacons>] = [
        .required("match", .query, \.match, "a pattern of ids, such as shelf-*"),
        .optional("profile", .query, \.profile, "the name of a profile"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownProfile] + ResetBeacon.failures

    package var match = BeaconPattern()
    package var profile: String?

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Emulator.ReloadResult {
        try await run.emulator.resetSettings(of: match.selection(of: profile))
    }
}

package struct PerformCommand: Operation {
    package static let name = "performCommand"
    package static let method = OperationMethod.post
    package static let path = "/v1/beacons/{beacon}/commands/{command}"
    package static let sentence = "Performs a command of a device, such as to press its button."
    package static let fields: [Field<PerformCommand>] = [
        .required("beacon", .path, \.beacon, "the id of a beacon"),
        .required("command", .path, \.command, "the name of a command of this kind of device"),
        .optional("arguments", .object, \.arguments, "its arguments by name"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .badProfile, .refusedSetting]

    package var beacon = BeaconName()
    package var command = ""
    package var arguments: [String: String]?

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BeaconRecord {
        let wanted = DeviceCommand(command, arguments ?? [:])
        return BeaconRecord(try await run.emulator.perform(wanted, on: beacon.text))
    }
}

/// What the schedule of a beacon says, as JSON.
package struct ScheduleRecord: Codable, Hashable, Sendable {
    /// Whether the schedule has the beacon on.
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

/// The status of a beacon as JSON.
package struct BeaconRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon's name in the run.
    package let id: String
    /// Its name for people, which is not on the air; absent if it has none.
    package let label: String?
    /// The complete device name; absent if it has none.
    package let name: String?
    /// The profile's name.
    package let profile: String
    /// The kind of device, as in profiles.
    package let kind: String
    /// Whether the beacon is switched on.
    package let enabled: Bool
    /// The settings that can be changed, by their keys in profiles, in the form that a change accepts.
    package let settings: [String: SettingValue.Content]
    /// The present values of simulated settings, which are `auto` in `settings`; absent if there are none.
    package let present: [String: String]?
    /// The UUIDs of the services.
    package let services: [String]
    /// Whether settings are saved.
    package let keepsSettings: Bool
    /// Whether the radio advertises it, muted or not: not while it is switched off or refused, or has all the centrals that it
    /// accepts.
    package let onAir: Bool
    /// On the air, or the reason why it is not.
    package let state: AirState
    /// Whether it should be on the air.
    package let shouldBeOnAir: Bool
    /// The advertisement on the air, or the last one; absent if there was none.
    package let effective: EffectiveRecord?
    /// The position x, y, z in metres; absent if the profile has none.
    package let position: [Double]?
    /// The name of the room that it is in; absent outside of all rooms.
    package let room: String?
    /// The addresses of the connected centrals.
    package let centrals: [String]
    /// Whether nothing that the beacon sends is received.
    package let muted: Bool
    package let battery: BatteryState
    /// What the schedule says; absent without one that switches the beacon.
    package let schedule: ScheduleRecord?
    /// Whether a change of settings changed one: `false` if nothing changed, so that nothing was saved; absent in other answers.
    package let changed: Bool?

    /// The record of a status.
    package init(_ status: BeaconStatus) {
        id = status.identifier.name
        label = status.label
        name = status.name
        profile = status.profile
        kind = status.kind
        enabled = status.isEnabled
        settings = Dictionary(status.settings.map { ($0.key, $0.content) }, uniquingKeysWith: { $1 })
        present = status.presentValues.isEmpty ? nil : status.presentValues
        services = status.services
        keepsSettings = status.keepsSettings
        onAir = status.isOnAir
        state = status.airState
        shouldBeOnAir = status.airState.isExpected
        effective = status.effective.map(EffectiveRecord.init)
        position = status.position.map { [$0.x, $0.y, $0.z] }
        room = status.room
        centrals = status.centrals
        muted = status.isMuted
        battery = status.hasFlatBattery ? .flat : .full
        schedule = status.schedule.map(ScheduleRecord.init)
        changed = status.isChanged
    }

    /// The settings as a profile has them, all as texts.
    package var profileTexts: [String: String] { settings.mapValues(\.text) }

    /// The settings and their values for people: the common ones first.
    package var settingTexts: [(key: String, text: String)] {
        let shared = DeviceRegistry.commonSettings.compactMap { setting in
            settings[setting.key].map { (setting.key, setting.display($0)) }
        }
        let names = Set(shared.map(\.0))
        let own = settings.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }.map { key, value in
            (key, present?[key].map { "\($0) (\(value.text))" } ?? value.text)
        }
        return shared + own
    }
}

extension BeaconRecord: ListedRecord, ReadableRecord {
    package static let plural = "beacons"
    package static let schema: Schema = .record(
        "Beacon",
        [
            .version,
            .required("id", .text, "its name in the run: the id, or PROFILE/ID if profiles share ids"),
            .optional("label", .text, "its name for people, which is not on the air; absent if it has none"),
            .optional("name", .text, "the complete advertised name; absent if it has none"),
            .required("profile", .text, "the name of its profile"),
            .required("kind", .text, "the kind of device, as in profiles"),
            .required("enabled", .boolean, "whether it is switched on"),
            .required("settings", settings, "the settings that can be changed, with the keys and values of profiles"),
            .optional(
                "present", .dictionary(.text),
                "the present values of the settings that are auto; absent if there are none"),
            .required("services", .texts, "the UUIDs of its services"),
            .required("keepsSettings", .boolean, "whether settings are saved"),
            .required(
                "onAir", .boolean,
                "whether the radio reports that it advertises now; false while it is disabled, or connected to its maximum number "
                    + "of centrals"),
            .required("state", .choice(AirState.self), "whether it is on the air now, or why it is not"),
            .required("shouldBeOnAir", .boolean, "whether it should be on the air"),
            .optional("effective", EffectiveRecord.schema, "the advertisement on the air, or the last one"),
            .optional(
                "position", .metres,
                "x, y, z in metres, of a moving beacon at this moment; absent if the profile has none"),
            .optional("room", .text, "the id of the room that it is in, at the moment; absent outside of all rooms"),
            .required("centrals", .texts, "the addresses of the connected centrals"),
            .required("muted", .boolean, "whether it is muted: receivers get none of its packets"),
            .required("battery", .choice(BatteryState.self), "flat if the battery has no energy"),
            .optional(
                "schedule",
                .record(
                    "Schedule",
                    [
                        .required("on", .boolean, "whether the schedule has the beacon on"),
                        .optional("until", .text, "when that changes, in UTC"),
                        .optional("overridden", .boolean, "true if the beacon was switched the other way until then"),
                    ]), "what its schedule says; absent without a schedule that switches it"),
            .optional(
                "changed", .boolean,
                "in the answer to a change of settings: false if every setting had its value already, so that nothing was saved"
            ),
        ])

    /// Those that kinds of devices have in common, and others.
    private static let settings: Schema = .object(
        DeviceRegistry.commonSettings.map { setting -> Schema.Member in
            .optional(setting.key, schema(of: setting.contentType), setting.meaning)
        }, others: .text)

    private static func schema(of type: SettingValue.ContentType) -> Schema {
        switch type {
        case .integer: .integer
        case .text: .text
        case .integerOr(let text): .anyOf([.integer, .choice([text])])
        }
    }
}

extension EffectiveRecord {
    static let schema = Schema.record(
        "Effective", values.map { .optional($0.key, schema(of: $0.type), $0.meaning) })

    private static func schema(of type: ValueType) -> Schema {
        switch type {
        case .text: .text
        case .choice(let names): .choice(names)
        case .integer: .integer
        case .integerIn(let range): .integer(range)
        case .range: .array(.integer, 2...2)
        }
    }
}
