// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator

/// An event in words, for people.
enum EventText {
    /// One line; without the time, which the reader has.
    static func line(_ record: EventRecord) -> String {
        let who = record.device.map { "\($0): " } ?? ""
        switch record.event {
        case "radio-ready": return radioReady(record)
        case "ready":
            let count = record.beacons ?? 0
            return "ready: \(count) beacon\(count == 1 ? " is" : "s are") on the air"
        case "advertising-started", "advertising-changed": return who + onAir(record)
        case "advertising-stopped": return who + "off the air (\(record.reason ?? "no reason known"))"
        case "connected", "disconnected": return who + "\(record.central ?? "a central") \(record.event)"
        case "written":
            let settings = (record.decoded ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return who + "\(record.central ?? "a central") wrote \(record.value ?? "") to " + characteristic(record)
                + (settings.isEmpty ? "" : ": " + settings.joined(separator: " "))
        case "subscribed", "unsubscribed":
            let word = record.event == "subscribed" ? "to" : "from"
            return who + "\(record.central ?? "a central") \(record.event) \(word) " + characteristic(record)
        case "persisted": return who + "settings are durable in \(record.file ?? "")"
        case "warning":
            return "warning: " + who + "\(record.message ?? "") [\(record.code ?? "")]; \(record.hint ?? "")"
        case "stopping": return "stopping"
        case "host-joined": return "\(host(record)) joined as controller \(record.address ?? "")"
        case "host-left": return "\(host(record)) left"
        case "host-refused": return "\(host(record)) was refused" + because(record)
        case "scan-started": return "\(host(record)) started a scan (\(record.scan ?? ""))"
        case "scan-stopped": return "\(host(record)) stopped its scan"
        case "pairing-began", "passkey-shown", "passkey-wanted", "comparison-wanted", "paired", "pairing-failed",
            "encrypted", "bond-forgotten":
            return who + PairingText.line(record)
        case "bonds-persisted": return who + "bonds are durable in \(record.file ?? "")"
        case "accessory-found": return who + "found an accessory, \(record.address ?? "")"
        case "session-began": return who + "\(record.central ?? "the accessory") hears notifications"
        case "session-ended": return who + "\(record.central ?? "the accessory") hears no notifications any more"
        case "asked": return who + "\(record.central ?? "the accessory") asked \(record.value ?? "")"
        case "refused" where record.operation != nil:
            let value = record.value.map { "\($0) to " } ?? ""
            return who + "refused: \(record.central ?? "a central") \(record.operation == "read" ? "read" : "wrote") "
                + value + characteristic(record) + because(record)
        case "refused":
            return who + "\(record.central ?? "the accessory") wrote \(record.value ?? "") and was told "
                + "\(record.code ?? "")" + because(record)
        case "notifications-available": return who + "the phone tells its notifications" + because(record)
        case "notifications-unavailable": return who + "the phone tells no notifications" + because(record)
        case "notification-added", "notification-modified", "notification-removed", "notification-shown",
            "notification-not-shown", "action-performed", "action-failed":
            return who + notification(record)
        default: return who + ([record.event] + details(record)).joined(separator: ": ")
        }
    }

    private static func host(_ record: EventRecord) -> String {
        "host \(record.peer ?? "") on \(record.transport ?? "")"
    }

    /// Its name and its UUID.
    private static func characteristic(_ record: EventRecord) -> String {
        let identifier = record.characteristic ?? ""
        return record.characteristicName.map { "\($0) (\(identifier))" } ?? identifier
    }

    private static func because(_ record: EventRecord) -> String { record.reason.map { ": \($0)" } ?? "" }

    /// What a display with little room shows: the category's word, and then who or what.
    private static func notification(_ record: EventRecord) -> String {
        guard let notification = record.notification else {
            return "\(record.action ?? "") action on \(record.name ?? "a notification") performed"
        }
        let display = notification.display ?? "notification \(notification.uid)"
        switch record.event {
        case "notification-added": return display
        case "notification-modified": return "\(display) changed"
        case "notification-removed": return "\(display) is gone"
        case "notification-shown":
            let lines = [notification.title, notification.subtitle, notification.message, notification.appName]
            return SafeText.line(lines.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " | "))
        case "notification-not-shown": return "nothing is known of \(display)" + because(record)
        case "action-performed": return "\(record.action ?? "") action on \(display) performed"
        default: return "\(record.action ?? "") action on \(display) failed" + because(record)
        }
    }

    private static func details(_ record: EventRecord) -> [String] {
        let sentence = [record.message, record.hint].compactMap(\.self).joined(separator: "; ")
        return sentence.isEmpty ? [record.file].compactMap(\.self) : [sentence]
    }

    private static func radioReady(_ record: EventRecord) -> String {
        if record.radio == "virtual" {
            let servers = record.servers ?? []
            var served = servers.isEmpty ? "not served to others" : "served at \(servers.joined(separator: " and "))"
            if let seed = record.seed { served += ", seed \(seed)" }
            return "radio virtual is ready: \(record.way ?? "") (\(record.reason ?? "")), \(served)"
        }
        let kind = record.extended == true ? "extended" : "legacy"
        return "radio \(record.radio ?? "") \(record.address ?? "") is ready: \(kind) advertising, "
            + "\(record.freeInstances ?? 0) of \(record.instances ?? 0) instances free, by \(record.way ?? "") "
            + "(\(record.reason ?? ""))"
    }

    private static func onAir(_ record: EventRecord) -> String {
        var words = ["on the air:"]
        let hex = record.advertisingData ?? record.requested?.advertisingData ?? ""
        let response = record.scanResponse ?? record.requested?.scanResponse ?? ""
        if let name = AdvertisementText.name(hex, response) { words.append("\(name),") }
        words.append(record.pdu ?? "PDU type unknown,")
        if let ticks = record.intervalTicks {
            words.append("every \(ticks) ticks,")
        } else if let range = record.intervalTicksRange, range.count == 2 {
            words.append("every \(range[0]) to \(range[1]) ticks,")
        } else {
            words.append("interval unknown (\(record.requested?.intervalTicks ?? 0) ticks asked),")
        }
        if let power = record.txPower { words.append("\(power) dBm,") }
        if let address = record.address { words.append("from \(address),") }
        words.append("data \(record.advertisingData ?? "unknown (\(record.requested?.advertisingData ?? "") asked)")")
        if !response.isEmpty { words.append("scan response \(response)") }
        return words.joined(separator: " ")
    }
}
