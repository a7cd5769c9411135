// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// A phone that tells its notifications to accessories.
package struct PhoneProfile: Hashable, Sendable {
    /// Its name in this program.
    package let name: String
    /// The name that accessories read.
    package let displayName: String
    /// The longest attribute protocol PDU that it takes, in octets: 23 to 517.
    package let maximumTransmissionUnit: UInt16
    /// Whether accessories must be paired with it.
    package let needsPairing: Bool
    /// What happens on it.
    package let script: ANCSScript

    /// Reads a phone's profile.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    /// - Throws: `ProfileFaults`: everything that is wrong, with line and column.
    package init(parsing text: String, file: String) throws(ProfileFaults) {
        let root = try YAMLText(text, file: file).root(of: "a phone's profile", example: "profiles/phones/iphone.yaml")
        var reader = ProfileReader(root, file: file, path: "")
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        if reader.has("beacons"), !Self.isPhone(reader) {
            reader.add(
                "this is a profile of beacons; beaconry run runs it, and beaconry phone takes one such as "
                    + "profiles/phones/iphone.yaml", field: nil, at: root.place)
            throw ProfileFaults(reader.faults)
        }
        let name = reader.required("phone", ValueText.name)
        let displayName = reader.value("name", ValueText.label)
        maximumTransmissionUnit = reader.value("mtu", Self.transmissionUnit) ?? 185
        needsPairing = reader.value("pairing", Self.pairing) ?? true
        let apps = reader.pairs("apps", Self.appIdentifier, ValueText.label) ?? [:]
        let steps = Self.steps(&reader, root)
        let faults = reader.finish()
        guard faults.isEmpty, let name else { throw ProfileFaults(faults) }
        self.name = name
        self.displayName = displayName ?? name
        script = ANCSScript(steps: steps, apps: apps)
    }

    /// Whether this text is a phone's profile, right or not, and not one of beacons.
    package static func isPhone(_ text: String) -> Bool {
        guard let root = try? YAMLText(text, file: "").root(of: "", example: "") else { return false }
        return isPhone(ProfileReader(root, file: "", path: ""))
    }

    /// Whether a file's keys are those of a phone's profile.
    static func isPhone(_ reader: ProfileReader) -> Bool {
        reader.has("phone") || reader.has("notifications") && !reader.has("beacons")
    }

    private static func steps(_ reader: inout ProfileReader, _ root: ProfileNode) -> [ANCSScript.Step] {
        var steps: [ANCSScript.Step] = []
        var posted = Posted()
        let notifications = reader.entries(of: "notifications", kind: "notification") { node, reader in
            Self.notification(node, &reader)
        }
        for (number, entry) in notifications.enumerated() {
            guard let entry else {
                posted.isIncomplete = true
                continue
            }
            if posted.notifications.updateValue(entry.notification, forKey: entry.id) != nil {
                reader.add(
                    "the id \"\(entry.id)\" is another notification's already; give every notification its own",
                    field: "notifications[\(number)].id",
                    at: root.mapping?["notifications"]?.sequence?[number].mapping?["id"]?.place)
            }
            steps.append(ANCSScript.Step(at: entry.time, .post(entry.id, entry.notification)))
            if let end = entry.end { steps.append(ANCSScript.Step(at: end, .remove(entry.id))) }
        }
        if notifications.isEmpty { posted.isIncomplete = true }
        guard root.mapping?["changes"] != nil else {
            _ = reader.node("changes")
            return steps
        }
        var last = Duration.zero
        let changes = reader.entries(of: "changes", kind: "change") { node, reader in
            let step = Self.change(node, &reader, posted)
            if let time = step?.time {
                if time < last {
                    reader.add(
                        "changes stand in the order of their times; move it up", field: "at",
                        at: node.mapping?["at"]?.place)
                }
                last = max(last, time)
            }
            // A later change is one to what the earlier ones made of it.
            if case .post(let id, let notification)? = step?.event { posted.notifications[id] = notification }
            return step
        }
        steps += changes.compactMap(\.self)
        return steps
    }

    /// The notifications that changes may be of.
    private struct Posted {
        var notifications: [String: ANCSNotification] = [:]
        /// Whether there are others, with mistakes of their own: a change of one of those is no mistake more.
        var isIncomplete = false
    }

    private struct Entry {
        let id: String
        let time: Duration?
        let end: Duration?
        let notification: ANCSNotification
    }

    private static func notification(_ node: ProfileNode, _ reader: inout ProfileReader) -> Entry? {
        let id = reader.required("id", ValueText.name)
        let time = reader.value("at", ValueText.duration)
        let end = reader.value("until", ValueText.duration)
        if let end, end <= time ?? .zero {
            reader.add(
                "it cannot go before it has come; write a later time", field: "until",
                at: node.mapping?["until"]?.place)
        }
        var notification = ANCSNotification(category: reader.required("category", Self.category) ?? .other)
        Self.read(&reader, into: &notification)
        guard let id else { return nil }
        return Entry(id: id, time: time, end: end, notification: notification)
    }

    private static func change(
        _ node: ProfileNode, _ reader: inout ProfileReader, _ posted: Posted
    ) -> ANCSScript.Step? {
        let time = reader.required("at", ValueText.duration)
        if node.mapping?["service"] != nil {
            guard let isPresent = reader.value("service", Self.presence), let time else { return nil }
            return ANCSScript.Step(at: time, .setService(isPresent: isPresent))
        }
        let id = reader.required("id") { text throws(ValueFault) in
            guard posted.notifications[text] != nil || posted.isIncomplete else {
                let names = posted.notifications.keys.sorted().joined(separator: ", ")
                throw ValueFault("there is no notification \"\(text)\"; notifications are \(names)")
            }
            return text
        }
        // All keys are read, whatever is wrong with the id: none of them is unknown for that.
        let known = id.flatMap { posted.notifications[$0] }
        var notification = known ?? ANCSNotification(category: .other)
        notification.category = reader.value("category", Self.category) ?? notification.category
        Self.read(&reader, into: &notification)
        guard let id, known != nil else { return nil }
        return time.map { ANCSScript.Step(at: $0, .post(id, notification)) }
    }

    /// What a notification and a change of it have in common.
    private static func read(_ reader: inout ProfileReader, into notification: inout ANCSNotification) {
        notification.app = reader.value("app", appIdentifier) ?? notification.app
        notification.title = reader.value("title", ValueText.message) ?? notification.title
        notification.subtitle = reader.value("subtitle", ValueText.message) ?? notification.subtitle
        notification.message = reader.value("message", ValueText.message) ?? notification.message
        notification.date = reader.value("date", date) ?? notification.date
        notification.positiveLabel = reader.value("positive-action", ValueText.label) ?? notification.positiveLabel
        notification.negativeLabel = reader.value("negative-action", ValueText.label) ?? notification.negativeLabel
        notification.actionsFail = reader.value("actions-fail", ValueText.boolean) ?? notification.actionsFail
        for (key, flag) in [("silent", ANCSNotificationEvent.Flags.silent), ("important", .important)] {
            guard let isOn = reader.value(key, ValueText.boolean) else { continue }
            if isOn { notification.flags.insert(flag) } else { notification.flags.remove(flag) }
        }
    }
}

// MARK: - Values of single keys

extension PhoneProfile {
    private static func transmissionUnit(_ text: String) throws(ValueFault) -> UInt16 {
        guard let octets = UInt16(text), 23...517 ~= octets else {
            throw ValueFault("\"\(text)\" is not a whole number of octets from 23 to 517")
        }
        return octets
    }

    private static func pairing(_ text: String) throws(ValueFault) -> Bool {
        switch text {
        case "required": return true
        case "off": return false
        default: throw ValueFault(Spelling.notOne(text, of: ["required", "off"]))
        }
    }

    private static func presence(_ text: String) throws(ValueFault) -> Bool {
        switch text {
        case "back": return true
        case "away": return false
        default: throw ValueFault(Spelling.notOne(text, of: ["away", "back"]))
        }
    }

    private static func appIdentifier(_ text: String) throws(ValueFault) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPlain, 1...155 ~= text.utf8.count else {
            throw ValueFault("an app's identifier has 1 to 155 bytes, such as com.apple.MobileSMS")
        }
        return text
    }

    private static func category(_ text: String) throws(ValueFault) -> ANCSCategory {
        guard let category = ANCSCategory(name: text) else {
            throw ValueFault(
                "there is no category \"\(text)\"; categories are \(ANCSCategory.names.joined(separator: ", "))")
        }
        return category
    }

    private static func date(_ text: String) throws(ValueFault) -> String {
        let octets = Array(text.utf8)
        let isDate =
            octets.count == 15
            && octets.enumerated().allSatisfy { index, octet in
                index == 8 ? octet == UInt8(ascii: "T") : UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet
            }
        guard isDate else { throw ValueFault("\"\(text)\" is not a date; write it as 20140512T093015") }
        return text
    }
}
