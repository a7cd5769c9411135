// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// A phone's notification as JSON has it: what is not known is absent.
package struct NotificationRecord: Codable, Hashable, Sendable {
    /// Its number in this session.
    package var uid: UInt32
    /// Its name in the script of an emulated phone.
    package var name: String?
    /// Its category: `incoming-call`; of an unknown one, the number.
    package var category: String?
    /// The category as a display with little room has it: `CALL`.
    package var display: String?
    /// How many notifications of the category there are.
    package var categoryCount: UInt8?
    /// What holds of it: `silent`, `important`, `pre-existing`, `positive-action`, `negative-action`.
    package var flags: [String]?
    /// The identifier of its app.
    package var app: String?
    /// The name of its app.
    package var appName: String?
    /// Its title.
    package var title: String?
    /// The line below.
    package var subtitle: String?
    /// Its text.
    package var message: String?
    /// The octets of the whole text.
    package var messageSize: Int?
    /// When, as the phone says it: `20140512T093015`.
    package var date: String?
    /// What the positive action does.
    package var positiveAction: String?
    /// What the negative action does.
    package var negativeAction: String?

    /// A notification of which only the number is known.
    init(uid: UInt32) { self.uid = uid }

    /// What a phone's event says.
    init(_ event: ANCSNotificationEvent) {
        self.init(uid: event.notification)
        category = event.category.name ?? "\(event.category.rawValue)"
        display = event.category.display
        categoryCount = event.categoryCount
        flags = Self.flagNames.filter { event.flags.contains($0.flag) }.map(\.name)
    }

    /// What a phone said when it was asked.
    init(_ event: ANCSNotificationEvent, _ attributes: [ANCSAttribute], appName: String?) {
        self.init(event)
        self.appName = appName
        for attribute in attributes {
            let text = attribute.text
            switch ANCSAttributeIdentifier(rawValue: attribute.identifier) {
            case .appIdentifier: app = text
            case .title: title = text
            case .subtitle: subtitle = text
            case .message: message = text
            case .messageSize: messageSize = Int(text)
            case .date: date = text
            case .positiveActionLabel: positiveAction = text
            case .negativeActionLabel: negativeAction = text
            default: break
            }
        }
    }

    private static let flagNames: [(flag: ANCSNotificationEvent.Flags, name: String)] = [
        (.silent, "silent"), (.important, "important"), (.preExisting, "pre-existing"),
        (.positiveAction, "positive-action"), (.negativeAction, "negative-action"),
    ]
}

extension EventRecord {
    /// What a device shows.
    init(_ report: DeviceReport, device: String) {
        switch report {
        case .notifications(let report, let central):
            self.init(report, device: device)
            self.central = central.name
        case .waiting(let reason, let settings):
            self.init("waiting", device: device)
            message = reason
            let commands = settings.map { "beaconry ctl set \(device) \($0)" }
            hint = "press it with \(commands.joined(separator: ", then "))"
        }
    }

    private init(_ report: ANCSReport, device: String) {
        switch report {
        case .available(let canAsk):
            self.init("notifications-available", device: device)
            if !canAsk { reason = "the phone tells that there are notifications, and nothing about them" }
        case .unavailable(let reason):
            self.init("notifications-unavailable", device: device)
            self.reason = reason
        case .event(let event):
            self.init(Self.name(of: event.kind), device: device)
            notification = NotificationRecord(event)
        case .content(let event, let attributes, let appName):
            self.init("notification-shown", device: device)
            notification = NotificationRecord(event, attributes, appName: appName)
        case .contentMissing(let uid, let reason):
            self.init("notification-not-shown", device: device)
            notification = NotificationRecord(uid: uid)
            self.reason = reason
        case .acted(let action, let uid, let failure):
            self.init(failure == nil ? "action-performed" : "action-failed", device: device)
            notification = NotificationRecord(uid: uid)
            self.action = action.name
            reason = failure
        }
    }

    /// The name of an event that a phone told.
    static func name(of kind: ANCSNotificationEvent.Kind) -> String {
        switch kind {
        case .added: "notification-added"
        case .modified: "notification-modified"
        case .removed: "notification-removed"
        default: "notification-event-\(kind.rawValue)"
        }
    }
}
