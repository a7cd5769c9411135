// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Radio

/// The names of events in JSON, which conditions and selections of events use (docs/events.md, docs/ancs.md).
package enum EventName: String, CaseIterable, Sendable {
    // The run and its radio.
    case radioReady = "radio-ready"
    case radioLost = "radio-lost"
    case httpReady = "http-ready"
    case ready, degraded, recovered, reloaded
    case reloadFailed = "reload-failed"
    case scenarioRunning = "scenario-running"
    case scenarioChanged = "scenario-changed"
    case scenarioEnded = "scenario-ended"
    case scenarioStopped = "scenario-stopped"
    case replayEnded = "replay-ended"
    case stopping, warning
    case eventsLost = "events-lost"
    // Other programs' hosts.
    case hostJoined = "host-joined"
    case hostLeft = "host-left"
    case hostRefused = "host-refused"
    case scanStarted = "scan-started"
    case scanStopped = "scan-stopped"
    // Beacons.
    case advertisingStarted = "advertising-started"
    case advertisingChanged = "advertising-changed"
    case advertisingStopped = "advertising-stopped"
    case advertisingRefused = "advertising-refused"
    case connected, disconnected, subscribed, unsubscribed, written, refused, persisted
    case settingsRestored = "settings-restored"
    case settingsReset = "settings-reset"
    case bondsPersisted = "bonds-persisted"
    case bondsReset = "bonds-reset"
    case muted, unmuted
    case batteryFlat = "battery-flat"
    case batteryFull = "battery-full"
    // Pairing.
    case pairingBegan = "pairing-began"
    case passkeyShown = "passkey-shown"
    case passkeyWanted = "passkey-wanted"
    case comparisonWanted = "comparison-wanted"
    case pairingFailed = "pairing-failed"
    case paired, encrypted
    case bondForgotten = "bond-forgotten"
    // What devices show (`DeviceReport`).
    case notificationsAvailable = "notifications-available"
    case waiting
    case notificationsUnavailable = "notifications-unavailable"
    case notificationAdded = "notification-added"
    case notificationModified = "notification-modified"
    case notificationRemoved = "notification-removed"
    case notificationShown = "notification-shown"
    case notificationNotShown = "notification-not-shown"
    case actionPerformed = "action-performed"
    case actionFailed = "action-failed"
    // Phones.
    case accessoryFound = "accessory-found"
    case connectionFailed = "connection-failed"
    case notTold = "not-told"
    case looking
    case serviceBack = "service-back"
    case serviceAway = "service-away"
    case sessionBegan = "session-began"
    case sessionEnded = "session-ended"
    case asked

    /// All names, in their order.
    package static let all = allCases.map(\.rawValue).sorted()

    /// The name of a notification's event that the specification reserves has its number.
    private static let reserved = "notification-event-"

    /// Whether an event may have this name.
    package static func isKnown(_ name: String) -> Bool {
        EventName(rawValue: name) != nil || name.hasPrefix(reserved) && UInt8(name.dropFirst(reserved.count)) != nil
    }

    /// `there is no event "conected"; did you mean "connected"? events are …`
    static func unknown(_ name: String) -> EmulatorError {
        EmulatorError(
            .badProfile, "there is no event \"\(name)\"", hint: Spelling.hint(name, "events", all))
    }
}

extension EmulatorEvent {
    /// The name in JSON.
    var name: String {
        switch self {
        case .beacon(_, let event): event.name
        case .phone(_, _, let event): event.name
        case .radioReady: EventName.radioReady.rawValue
        case .radioLost: EventName.radioLost.rawValue
        case .ready: EventName.ready.rawValue
        case .degraded: EventName.degraded.rawValue
        case .recovered: EventName.recovered.rawValue
        case .replayEnded: EventName.replayEnded.rawValue
        case .controlServed: EventName.httpReady.rawValue
        case .reloaded: EventName.reloaded.rawValue
        case .reloadFailed: EventName.reloadFailed.rawValue
        case .scenario(let scenario): scenario.eventName.rawValue
        case .stopping: EventName.stopping.rawValue
        case .host(let event): event.name.rawValue
        case .warning: EventName.warning.rawValue
        case .lost: EventName.eventsLost.rawValue
        }
    }
}

extension ScenarioRecord {
    fileprivate var eventName: EventName {
        switch state {
        case .running: done > 0 ? .scenarioChanged : .scenarioRunning
        case .ended: .scenarioEnded
        case .stopped: .scenarioStopped
        }
    }
}

extension HostEvent {
    fileprivate var name: EventName {
        switch action {
        case .joined: .hostJoined
        case .left: .hostLeft
        case .refused: .hostRefused
        case .scanStarted: .scanStarted
        case .scanStopped: .scanStopped
        }
    }
}

extension BeaconEvent {
    fileprivate var name: String {
        let name: EventName
        switch self {
        case .report(let report): return report.name
        case .advertising(_, _, let isNew): name = isNew ? .advertisingStarted : .advertisingChanged
        case .advertisingStopped: name = .advertisingStopped
        case .advertisingRefused: name = .advertisingRefused
        case .connected: name = .connected
        case .disconnected: name = .disconnected
        case .subscribed(_, _, let isOn): name = isOn ? .subscribed : .unsubscribed
        case .written: name = .written
        case .refused: name = .refused
        case .pairing(_, let event): name = event.name
        case .settingsSaved: name = .persisted
        case .settingsRestored: name = .settingsRestored
        case .settingsReset: name = .settingsReset
        case .bondsSaved: name = .bondsPersisted
        case .bondsReset: name = .bondsReset
        case .muted: name = .muted
        case .unmuted: name = .unmuted
        case .battery(.flat): name = .batteryFlat
        case .battery(.full): name = .batteryFull
        case .warning: name = .warning
        }
        return name.rawValue
    }
}

extension PairingEvent {
    fileprivate var name: EventName {
        switch self {
        case .began: .pairingBegan
        case .passkeyShown: .passkeyShown
        case .passkeyWanted: .passkeyWanted
        case .comparisonWanted: .comparisonWanted
        case .paired: .paired
        case .failed: .pairingFailed
        case .encrypted: .encrypted
        case .forgotten: .bondForgotten
        }
    }
}

extension PhoneEvent {
    fileprivate var name: String {
        let name: EventName
        switch self {
        case .service(.notified(let event, _)): return event.kind.eventName
        case .service(.sessionBegan): name = .sessionBegan
        case .service(.sessionEnded): name = .sessionEnded
        case .service(.asked): name = .asked
        case .service(.acted): name = .actionPerformed
        case .service(.refused): name = .refused
        case .looking: name = .looking
        case .accessoryFound: name = .accessoryFound
        case .connectionFailed: name = .connectionFailed
        case .connected: name = .connected
        case .disconnected: name = .disconnected
        case .encrypted: name = .encrypted
        case .pairingFailed: name = .pairingFailed
        case .notNotified: name = .notTold
        case .serviceChanged(let isPresent): name = isPresent ? .serviceBack : .serviceAway
        case .serviceFailed: name = .warning
        }
        return name.rawValue
    }
}
