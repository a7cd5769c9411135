// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

extension EventName {
    /// The names of the fields that the JSON object of an event may have beside `v`, `time`, `event` and `sequence`.
    var fieldNames: [String] {
        let names = fields.map(\.rawValue)
        return switch self {
        case .advertisingStarted, .advertisingChanged: names + EffectiveRecord.fields
        default: names
        }
    }

    /// The names of the fields of all events.
    static let allFieldNames = Set(allCases.flatMap(\.fieldNames) + EventFields.common)

    /// Those of `fieldNames` that are fields of their own. An event of beacons and of phones has those of both.
    private var fields: [EventFields.Field] {
        switch self {
        case .radioReady:
            [
                .radio, .way, .reason, .address, .extended, .instances, .freeInstances, .servers, .receivers, .seed,
            ]
        case .radioLost: [.code, .message, .hint]
        case .httpReady: [.url]
        case .ready: [.beacons, .onAir]
        case .reloaded: [.beacons]
        case .degraded, .recovered: [.expected, .onAir, .missing, .message]
        case .reloadFailed: [.message, .hint, .faults]
        case .scenarioRunning, .scenarioChanged, .scenarioEnded, .scenarioStopped: [.scenario]
        case .replayEnded: [.packets]
        case .stopping: []
        case .eventsLost: [.count, .message]
        case .hostJoined, .hostLeft, .scanStopped: Self.host
        case .hostRefused: Self.host + [.reason]
        case .scanStarted: Self.host + [.scan]
        case .advertisingStarted, .advertisingChanged:
            [.device, .radio, .requested, .unknown, .different]
        case .advertisingStopped: [.device, .reason]
        case .advertisingRefused: [.device, .code, .message, .hint]
        case .warning: Self.central + [.code, .message, .hint]
        case .connected, .looking, .serviceBack, .serviceAway, .sessionBegan, .sessionEnded: Self.central
        case .disconnected: Self.central + [.reason]
        case .subscribed, .unsubscribed: Self.access
        case .written: Self.access + [.value, .decoded]
        case .refused: Self.access + [.operation, .attError, .code, .reason, .value]
        case .notTold: Self.access + [.value, .reason]
        case .persisted, .settingsReset, .bondsPersisted, .bondsReset: [.device, .file]
        case .settingsRestored: [.device, .file, .message, .hint]
        case .muted: [.device, .seconds]
        case .unmuted, .batteryFlat, .batteryFull: [.device]
        case .pairingBegan, .passkeyWanted: Self.central
        case .passkeyShown, .comparisonWanted: Self.central + [.passkey]
        case .pairingFailed: Self.central + [.code, .message, .hint]
        case .paired:
            Self.central + [.peer, .peerType, .bonded, .authenticated, .secureConnections, .keySize]
        case .encrypted: Self.central + [.authenticated, .keySize]
        case .bondForgotten: Self.central + [.peer, .peerType]
        case .waiting: Self.central + [.message, .hint]
        case .notificationsAvailable, .notificationsUnavailable: Self.central + [.reason]
        case .notificationAdded, .notificationModified, .notificationRemoved, .notificationShown:
            Self.central + [.notification]
        case .notificationNotShown: Self.central + [.notification, .reason]
        case .actionPerformed, .actionFailed: Self.central + [.notification, .action, .name, .reason]
        case .accessoryFound: Self.central + [.address, .advertisingData]
        case .connectionFailed: Self.central + [.address, .message, .hint]
        case .asked: Self.central + [.value, .notification, .app]
        }
    }

    private static let host: [EventFields.Field] = [.host, .transport, .peer, .address]
    private static let central: [EventFields.Field] = [.device, .central]
    private static let access = central + [.characteristic, .characteristicName]

    /// The names of the fields of the event with a name; `nil` if no event has it.
    static func fieldNames(of name: String) -> [String]? {
        if let event = EventName(rawValue: name) { return event.fieldNames }
        return isKnown(name) ? EventName.notificationAdded.fieldNames : nil
    }

    /// Checks that some of the events that a pattern may match has a field.
    /// - Parameter pattern: the name of an event, or the beginning of several with a `*`; `nil` for all events.
    /// - Throws: `EmulatorError` `.badProfile`.
    static func require(_ field: String, of pattern: String?) throws(EmulatorError) {
        guard let pattern, !EventFields.common.contains(field) else { return }
        let names: [String]
        if pattern.hasSuffix("*") {
            let events = allCases.filter { $0.rawValue.hasPrefix(pattern.dropLast()) }
            names = events.flatMap(\.fieldNames)
        } else {
            names = fieldNames(of: pattern) ?? []
        }
        guard !names.contains(field) else { return }
        throw EmulatorError(
            .badProfile, "the event \"\(pattern)\" has no \"\(field)\"",
            hint: Spelling.hint(field, "its keys", Set(names + EventFields.common).sorted()))
    }
}
