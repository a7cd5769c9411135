// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Radio

extension PhoneEvent {
    /// The form of the event; its sentence is without the phone.
    /// - Parameter accessory: the address of the accessory, for the sentence.
    func form(with accessory: String) -> EventForm {
        switch self {
        case .looking: EventForm(.looking, "scanning for an accessory")
        case .accessoryFound(let device, let data):
            EventForm(.accessoryFound, "found an accessory, \(device.address)") {
                try $0.set(.address, device.address.description)
                try $0.set(.advertisingData, hexadecimal: data)
            }
        case .connectionFailed(let device, let error):
            EventForm(
                .connectionFailed, "could not connect to \(device.address): \(error.message); \(error.hint)"
            ) {
                try $0.set(.address, device.address.description)
                try $0.set(.message, error.message)
                try $0.set(.hint, error.hint)
            }
        case .connected: EventForm(.connected, "\(accessory) connected")
        case .disconnected(let reason):
            EventForm(.disconnected, "\(accessory) disconnected") { try $0.set(.reason, reason) }
        case .encrypted(let protection): protection.form(with: accessory)
        case .pairingFailed(let error, let hint): error.form(with: accessory, hint: hint)
        case .notNotified(let characteristic, let value):
            EventForm(
                .notNotified,
                "could not notify \(accessory) of \(Hexadecimal.string(value)) (\(characteristic)): it is not subscribed, "
                    + "or has disconnected"
            ) {
                try $0.set(.characteristic, characteristic.description)
                try $0.set(.value, hexadecimal: value)
                try $0.set(.reason, "the accessory is not subscribed, or has disconnected")
            }
        case .serviceChanged(true): EventForm(.serviceBack, "notification service added")
        case .serviceChanged(false): EventForm(.serviceAway, "notification service removed")
        case .serviceFailed(let error):
            Warning(code: error.code.rawValue, message: error.message, hint: error.hint).form
        case .service(let report): report.form(with: accessory)
        }
    }
}

extension ANCSProvider.Report {
    fileprivate func form(with accessory: String) -> EventForm {
        switch self {
        case .sessionBegan: EventForm(.sessionBegan, "\(accessory) subscribed to notifications")
        case .sessionEnded: EventForm(.sessionEnded, "\(accessory) unsubscribed from notifications")
        case .notified(let event, let name):
            EventForm(event.eventKind, event.sentence) {
                try $0.set(.notification, ReportValue(.object(event.fields.merging(["name": .text(name)]) { $1 })))
            }
        case .asked(let command):
            EventForm(.asked, "\(accessory) asked \(Hexadecimal.string(command.serialized()))") {
                try $0.set(.value, hexadecimal: command.serialized())
                switch command {
                case .notificationAttributes(let uid, _):
                    try $0.set(.notification, ReportValue(.object(["uid": .integer(Int(uid))])))
                case .appAttributes(let app, _): try $0.set(.app, app)
                case .performAction, .unknown: break
                }
            }
        case .acted(let action, let name):
            EventForm(.actionPerformed, "\(action.name) action on \(name) performed") {
                try $0.set(.action, action.name)
                try $0.set(.name, name)
            }
        case .refused(let error, let command):
            EventForm(
                .refused,
                "\(accessory) wrote \(Hexadecimal.string(command)) and got the error \(error.code)"
                    + (Phone.meaning(of: error).map { ": \($0)" } ?? "")
            ) {
                try $0.set(.code, error.code)
                try $0.set(.value, hexadecimal: command)
                try $0.set(.reason, Phone.meaning(of: error))
            }
        }
    }
}

extension ANCSNotificationEvent {
    fileprivate var eventKind: EventKind {
        guard let found = EventKind.named(kind.eventName) else {
            preconditionFailure("\(kind.eventName) is not in EventKind")
        }
        return found
    }

    /// The category in the words of a small display.
    fileprivate var sentence: String {
        let display = category.display
        return switch kind {
        case .added: display
        case .modified: "\(display) changed"
        case .removed: "\(display) is gone"
        default: "notification event \(kind.rawValue)"
        }
    }
}
