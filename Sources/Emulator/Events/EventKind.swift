// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// A kind of event: its name in JSON, the fields that its object may have, and when it is posted.
///
/// Kinds of a device or a receiver have its label, too. Conditions of the journal, `beaconry schema events`, docs/events.md and the Python package follow from the rows. A new kind is
/// a row here and a name in the list below its group (`run`, `beacons`, …), a case of an event in `EmulatorEvent.swift`, and
/// the form of that case. A field that only this kind has may be a constant of `EventField` beside its row.
package struct EventKind: Hashable, Sendable {
    /// The name in JSON.
    package let name: String
    /// The fields of the object beside the common ones; each may be absent.
    package let fields: [EventField]
    /// When it is posted, as a clause.
    package let meaning: String

    private init(_ name: String, _ fields: [EventField], _ meaning: String) {
        self.name = name
        let subjects: Set<EventField> = [.device, .receiver]
        self.fields =
            fields.first.map { subjects.contains($0) } == true ? [fields[0], .label] + fields.dropFirst() : fields
        self.meaning = meaning
    }
}

// MARK: - The run and its radio

extension EventKind {
    static let radioReady = EventKind(
        "radio-ready",
        [
            .radio, .way, .reason, .address, .extended, .instances, .freeInstances, .servers, .receivers, .seed,
            .airVersion,
        ],
        "the radio is ready, at the start and after it was lost")
    static let radioLost = EventKind(
        "radio-lost", problem,
        "the radio is not available any more, or was switched off (`ctl radio off`); the run waits for it")
    static let httpReady = EventKind("http-ready", [.url], "the run is controlled [over HTTP](http.md) on TCP, too")
    static let ready = EventKind(
        "ready", [.beacons, .onAir],
        "for the first time, everything that [should be on the air](control.md#on-the-air) is on the air, and no device is "
            + "`paused`; `--ready-file` has been created")
    static let degraded = EventKind(
        "degraded", summary,
        "something that should be on the air is not, and `--ready-file` has been removed; or the profile that ran last is used "
            + "(`--last-good`, [warning](warnings.md) `profile-is-last-good`)")
    static let recovered = EventKind(
        "recovered", summary,
        "everything that should be on the air is on the air again, by a profile that can be read")
    static let reloaded = EventKind("reloaded", [.beacons], "the profile was read again")
    static let reloadFailed = EventKind(
        "reload-failed", [.message, .hint, .faults], "the profile was read again and has faults, so nothing changed")
    static let scenarioRunning = EventKind(
        "scenario-running", [.scenario], "a [scenario](scenarios.md#on-a-run) started on the run")
    static let scenarioChanged = EventKind("scenario-changed", [.scenario], "the scenario performed a change")
    static let scenarioEnded = EventKind("scenario-ended", [.scenario], "the scenario ended")
    static let scenarioStopped = EventKind("scenario-stopped", [.scenario], "the scenario was stopped")
    static let replayEnded = EventKind(
        "replay-ended", [.packets],
        "the last packet of [`--replay`](virtual-air.md#replay) was sent; receiving commands with `--replay` report it, too"
    )
    static let stopping = EventKind("stopping", [], "the run ends")
    static let warning = EventKind(
        "warning", central + problem, "something differs from the request, or needs attention")
    static let eventsLost = EventKind(
        "events-lost", [.count, .message],
        "this reader is too slow: at most 4,096 events are queued, and the oldest were dropped here")

    private static let run = [
        radioReady, radioLost, httpReady, ready, degraded, recovered, reloaded, reloadFailed, scenarioRunning,
        scenarioChanged,
        scenarioEnded, scenarioStopped, replayEnded, stopping, warning, eventsLost,
    ]
    private static let problem: [EventField] = [.code, .message, .hint]
    private static let summary: [EventField] = [.expected, .onAir, .missing, .message]
}

// MARK: - Other programs' hosts

extension EventKind {
    static let hostJoined = EventKind(
        "host-joined", host,
        "another program's host connected to a server of the virtual air, or a client to an ESPHome proxy")
    static let hostLeft = EventKind(
        "host-left", host, "another program's host, or a client of an ESPHome proxy, disconnected")
    static let hostRefused = EventKind(
        "host-refused", host + [.reason],
        "what came over the port is not HCI (a browser, another protocol), or a client of a proxy has no key, another one, or sent "
            + "a malformed frame, so the connection was closed")
    static let scanStarted = EventKind("scan-started", host + [.scan], "a host started a scan")
    static let scanStopped = EventKind("scan-stopped", host, "a host stopped its scan")

    private static let hosts = [hostJoined, hostLeft, hostRefused, scanStarted, scanStopped]
    private static let host: [EventField] = [.host, .transport, .peer, .address, .hostKind]
}

// MARK: - Receivers, and what is between them and the beacons

extension EventKind {
    static let receiverAdded = EventKind(
        "receiver-added", [.receiver, .server, .position] + listener,
        "a receiver was added: one that scans within the run, of the profile or a client, or the server of one whose hosts are "
            + "other programs")
    static let receiverChanged = EventKind(
        "receiver-changed", [.receiver] + listener, "a receiver that scans within the run has other settings")
    static let receiverRemoved = EventKind(
        "receiver-removed", [.receiver], "a receiver was removed; its regions and connections ended with it")
    static let roomEntered = EventKind(
        "room-entered", [.receiver, .room, .position],
        "a receiver is in a room of the profile from now on, by its true place on the virtual air; also of the room in which it is added"
    )
    static let roomLeft = EventKind(
        "room-left", [.receiver, .room, .position],
        "a receiver is not in the room any more, by its true place on the virtual air")
    static let estimated = EventKind(
        "estimated", [.receiver, .estimator, .room, .position],
        "the estimator of a receiver has it in another room, or at a place that is 0.5 m from the one before; without `room` in no room"
    )
    static let regionMonitored = EventKind(
        "region-monitored", [.receiver, .region, .identifiers],
        "a receiver monitors a region from now on, instead of one of the same name")
    static let regionEnded = EventKind(
        "region-ended", [.receiver, .region], "a receiver does not monitor a region any more")
    static let receiverConnected = EventKind(
        "receiver-connected", [.receiver, .device, .address],
        "a receiver that scans within the run connected to a device")
    static let receiverDisconnected = EventKind(
        "receiver-disconnected", [.receiver, .device, .address],
        "a connection of a receiver that scans within the run has ended")
    static let linkOverridden = EventKind(
        "link-overridden", [.from, .to, .override],
        "the path between a beacon and a receiver has another RSSI or loss than in the model (`ctl link`)")
    static let linkReset = EventKind(
        "link-reset", [.from, .to], "the override of a path was removed, or its time is over")
    static let physicsChanged = EventKind(
        "physics-changed", [.physics, .walls], "the virtual air has other physics or walls from now on")

    private static let air = [
        receiverAdded, receiverChanged, receiverRemoved, roomEntered, roomLeft, estimated, regionMonitored, regionEnded,
        receiverConnected,
        receiverDisconnected, linkOverridden, linkReset, physicsChanged,
    ]
    private static let listener: [EventField] = [.phone, .handset, .listening, .screen, .obstacle]
}

// MARK: - Beacons

extension EventKind {
    static let advertisingStarted = EventKind("advertising-started", advertisement, "a beacon is on the air")
    static let advertisingChanged = EventKind(
        "advertising-changed", advertisement, "a beacon is on the air with other values")
    static let advertisingStopped = EventKind("advertising-stopped", [.device, .reason], "a beacon is off the air")
    static let advertisingRefused = EventKind(
        "advertising-refused", [.device] + problem, "the radio does not accept a beacon's advertisement")
    static let connected = EventKind("connected", central, "a central connected")
    static let disconnected = EventKind("disconnected", central + [.reason], "a central disconnected")
    static let subscribed = EventKind(
        "subscribed", access,
        "a central subscribed to a characteristic value; under BlueZ the central is one of the connected ones")
    static let unsubscribed = EventKind("unsubscribed", access, "a central unsubscribed from a characteristic value")
    static let written = EventKind(
        "written", access + [.value, .decoded], "a central wrote a characteristic value, and got its response")
    static let refused = EventKind(
        "refused", access + [.operation, .attError, .code, .reason, .value],
        "a central's read or write was answered with an error; those that bluetoothd refuses by itself are not reported"
    )
    static let settingsSaved = EventKind(
        "settings-saved", [.device, .file], "settings are saved; precedes the `written` event of the change")
    static let settingsRestored = EventKind(
        "settings-restored", [.device, .file, .message, .hint], "saved settings take precedence over the profile")
    static let labelChanged = EventKind(
        "label-changed", [.device, .receiver], "a beacon or receiver has another `label`, or none (`ctl set`)")
    static let settingsReset = EventKind(
        "settings-reset", [.device, .file], "saved settings were removed (`--factory-reset`, `ctl reset`)")
    static let bondsSaved = EventKind(
        "bonds-saved", [.device, .file], "bonds are saved; precedes the PDU that the peer relies on")
    static let bondsReset = EventKind(
        "bonds-reset", [.device, .file], "all bonds of a beacon were removed (`--factory-reset`)")
    static let muted = EventKind(
        "muted", [.device, .seconds], "nothing that a beacon sends is received any more (`ctl mute`)")
    static let unmuted = EventKind("unmuted", [.device], "what a beacon sends is received again")
    static let connectionsFailing = EventKind(
        "connections-failing", [.device, .connections, .phase, .reason],
        "the next connections to a beacon fail (`ctl fail-connections`); none if their number is 0")
    static let batteryFlat = EventKind(
        "battery-flat", [.device], "the battery of a beacon is flat, so that it is off (`ctl battery`)")
    static let batteryFull = EventKind("battery-full", [.device], "the battery is full again")

    private static let beacons = [
        advertisingStarted, advertisingChanged, advertisingStopped, advertisingRefused, connected, disconnected,
        subscribed,
        unsubscribed, written, refused, settingsSaved, settingsRestored, settingsReset, labelChanged, bondsSaved,
        bondsReset, muted,
        unmuted,
        connectionsFailing, batteryFlat, batteryFull,
    ]
    private static let advertisement: [EventField] =
        [.device, .radio, .requested, .unknown, .different] + EventField.effective
    private static let central: [EventField] = [.device, .central]
    private static let access = central + [.characteristic, .characteristicName]
}

// MARK: - Pairing

extension EventKind {
    static let pairingBegan = EventKind("pairing-began", central, "a central started to pair with a beacon")
    static let passkeyShown = EventKind(
        "passkey-shown", central + [.passkey], "the passkey that the user must enter on the central")
    static let passkeyWanted = EventKind(
        "passkey-wanted", central, "the central displays a passkey: enter it with `ctl pair`")
    static let comparisonWanted = EventKind(
        "comparison-wanted", central + [.passkey],
        "both sides display a number: confirm or reject it with `ctl pair`")
    static let paired = EventKind(
        "paired", central + peer + [.bonded, .authenticated, .secureConnections, .keySize], "pairing succeeded")
    static let pairingFailed = EventKind(
        "pairing-failed", central + problem, "pairing failed, or the peer has lost the key of its bond")
    static let encrypted = EventKind(
        "encrypted", central + [.authenticated, .keySize],
        "the link is encrypted, after pairing or with the keys of a bond")
    static let bondForgotten = EventKind("bond-forgotten", central + peer, "a bond was removed")

    private static let pairing = [
        pairingBegan, passkeyShown, passkeyWanted, comparisonWanted, paired, pairingFailed, encrypted, bondForgotten,
    ]
    private static let peer: [EventField] = [.peer, .peerType]
}

// MARK: - What devices show, and phones

extension EventKind {
    // Of devices (`DeviceReport`).
    static let waiting = EventKind(
        "waiting", [.device, .message, .hint],
        "a beacon does not advertise until its owner acts: a SensorTag whose side key must be pressed")
    static let notificationsAvailable = EventKind(
        "notifications-available", central + [.reason], "a display has subscribed to the notifications of a phone")
    static let notificationsUnavailable = EventKind(
        "notifications-unavailable", central + [.reason],
        "a display does not receive the notifications of a phone any more")
    static let notificationAdded = EventKind("notification-added", notification, "a phone has another notification")
    static let notificationModified = EventKind("notification-modified", notification, "a notification has changed")
    static let notificationRemoved = EventKind("notification-removed", notification, "a notification is gone")
    static let notificationShown = EventKind(
        "notification-shown", notification, "a display has the requested attributes of a notification")
    static let notificationNotShown = EventKind(
        "notification-not-shown", notification + [.reason], "a display could not get the attributes of a notification")
    static let actionPerformed = EventKind(
        "action-performed", notification + [.action, .name], "an action of a notification was performed")
    static let actionFailed = EventKind(
        "action-failed", notification + [.action, .reason], "an action of a notification failed")
    // Of phones.
    static let looking = EventKind("looking", central, "a phone scans for an accessory")
    static let accessoryFound = EventKind(
        "accessory-found", central + [.address, .advertisingData], "a phone received the advertisement of an accessory")
    static let connectionFailed = EventKind(
        "connection-failed", central + [.address, .message, .hint], "a phone could not connect to an accessory")
    static let notNotified = EventKind(
        "not-notified", central + [.characteristic, .value, .reason], "a value was not delivered to the display")
    static let serviceBack = EventKind("service-back", central, "the notification service of a phone was added")
    static let serviceAway = EventKind("service-away", central, "the notification service of a phone was removed")
    static let sessionBegan = EventKind("session-began", central, "an accessory subscribed to notifications")
    static let sessionEnded = EventKind("session-ended", central, "an accessory unsubscribed from notifications")
    static let asked = EventKind(
        "asked", central + [.value, .notification, .app],
        "an accessory requested attributes of a notification or an app")

    private static let reported = [
        waiting, notificationsAvailable, notificationsUnavailable, notificationAdded, notificationModified,
        notificationRemoved, notificationShown, notificationNotShown, actionPerformed, actionFailed, looking,
        accessoryFound,
        connectionFailed, notNotified, serviceBack, serviceAway, sessionBegan, sessionEnded, asked,
    ]
    private static let notification = central + [.notification]
}

// MARK: - All kinds

extension EventKind {
    /// All kinds, in the order of the documentation.
    package static let all = run + hosts + air + beacons + pairing + reported

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    /// The beginning of the name of a notification's event that the specification reserves, before its number.
    private static let reserved = "notification-event-"
    /// The kinds of these events, with a pattern in the place of a name.
    package static let reservedNotification = EventKind(
        reserved + "[0-9]+", notification, "a notification has an event that the specification reserves")

    /// The kind with a name; `nil` if no event has it.
    static func named(_ name: String) -> EventKind? {
        if let kind = byName[name] { return kind }
        guard name.hasPrefix(reserved), UInt8(name.dropFirst(reserved.count)) != nil else { return nil }
        return EventKind(name, notification, reservedNotification.meaning)
    }

    /// The kinds that a pattern may match: the name of an event, or the beginning of several with a `*`.
    /// - Throws: `EmulatorError` `.badProfile` if there are none.
    static func matching(_ pattern: String) throws(EmulatorError) -> [EventKind] {
        let found =
            pattern.hasSuffix("*")
            ? all.filter { $0.name.hasPrefix(pattern.dropLast()) } : named(pattern).map { [$0] } ?? []
        guard found.isEmpty else { return found }
        throw unknown(pattern)
    }

    /// `there is no event "conected"; did you mean "connected"? events are …`
    static func unknown(_ name: String) -> EmulatorError {
        EmulatorError(
            .badProfile, "there is no event \"\(name)\"",
            hint: hints[name] ?? Spelling.hint(name, "events", all.map(\.name).sorted()))
    }

    /// Hints for names that no event has: those that events had, and those that people look for among the events.
    package static let hints: [String: String] = {
        var hints = [
            "persisted": settingsSaved, "bonds-persisted": bondsSaved, "not-told": notNotified,
        ].mapValues { "it is \"\($0.name)\" now" }
        for name in ["region-entered", "region-exited", "region-left"] {
            hints[name] =
                "a receiver has the states of its regions: ctl receiver regions, phone.state(region) in tests, and enters and exits "
                + "in the expectations of scenarios"
        }
        return hints
    }()

    /// The names of the fields of all events.
    static let allFieldNames = Set((all.flatMap(\.fields) + EventField.common).map(\.name))

    /// Whether the object of the event may have a field.
    func has(_ field: String) -> Bool { (EventField.common + fields).contains { $0.name == field } }
}
