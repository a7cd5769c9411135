// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A report of an accessory about a phone's notifications.
package enum ANCSReport: Hashable, Sendable {
    /// Notifications are available.
    /// - Parameter canAsk: whether their attributes can be requested.
    case available(canAsk: Bool)
    /// Notifications are not available, or not any more; a clause with the reason.
    case unavailable(String)
    /// A notification was added, modified or removed.
    case event(ANCSNotificationEvent)
    /// The attributes of a notification that were requested, and the name of its app, if known.
    case content(ANCSNotificationEvent, [ANCSAttribute], appName: String?)
    /// The attributes of a notification could not be read; a clause with the reason.
    case contentMissing(UInt32, String)
    /// An action was performed, or failed for a reason.
    case acted(ANCSAction, UInt32, failure: String?)
}

extension DeviceReport {
    /// The report of an accessory that is connected to a phone.
    init(_ report: ANCSReport, central: Central) {
        switch report {
        case .available(let canAsk):
            self.init("notifications-available", central: central)
            if !canAsk {
                arguments["reason"] = .text("the phone sends no attributes of its notifications")
            }
        case .unavailable(let reason):
            self.init("notifications-unavailable", central: central, ["reason": .text(reason)])
        case .event(let event):
            self.init(event.kind.eventName, central: central, ["notification": .object(event.fields)])
        case .content(let event, let attributes, let appName):
            var fields = event.fields
            fields["appName"] = appName.map { .text($0) }
            for attribute in attributes {
                let identifier = ANCSAttributeIdentifier(rawValue: attribute.identifier)
                guard let name = identifier.fieldName else { continue }
                fields[name] =
                    identifier == .messageSize ? Int(attribute.text).map { .integer($0) } : .text(attribute.text)
            }
            self.init("notification-shown", central: central, ["notification": .object(fields)])
        case .contentMissing(let notification, let reason):
            self.init(
                "notification-not-shown", central: central,
                ["notification": Self.identity(notification), "reason": .text(reason)])
        case .acted(let action, let notification, let failure):
            self.init(
                failure == nil ? "action-performed" : "action-failed", central: central,
                ["notification": Self.identity(notification), "action": .text(action.name)])
            arguments["reason"] = failure.map { .text($0) }
        }
    }

    private static func identity(_ notification: UInt32) -> Value { .object(["uid": .integer(Int(notification))]) }
}

extension ANCSNotificationEvent {
    /// The fields of the event in reports and JSON.
    package var fields: [String: DeviceReport.Value] {
        [
            "uid": .integer(Int(notification)), "category": .text(category.name ?? "\(category.rawValue)"),
            "categoryCount": .integer(Int(categoryCount)),
            "display": .text(category.display),
            "flags": .list(Flags.names.filter { flags.contains($0.flag) }.map(\.name)),
        ]
    }
}

extension ANCSNotificationEvent.Flags {
    fileprivate static let names: [(flag: Self, name: String)] = [
        (.silent, "silent"), (.important, "important"), (.preExisting, "pre-existing"),
        (.positiveAction, "positive-action"), (.negativeAction, "negative-action"),
    ]
}

extension ANCSNotificationEvent.Kind {
    /// The name of the event in reports and JSON.
    package var eventName: String {
        switch self {
        case .added: "notification-added"
        case .modified: "notification-modified"
        case .removed: "notification-removed"
        default: "notification-event-\(rawValue)"
        }
    }
}

extension ANCSAttributeIdentifier {
    /// The name of the attribute in reports and JSON.
    fileprivate var fieldName: String? {
        switch self {
        case .appIdentifier: "app"
        case .title: "title"
        case .subtitle: "subtitle"
        case .message: "message"
        case .messageSize: "messageSize"
        case .date: "date"
        case .positiveActionLabel: "positiveAction"
        case .negativeActionLabel: "negativeAction"
        default: nil
        }
    }
}
