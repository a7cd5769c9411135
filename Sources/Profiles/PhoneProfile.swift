// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// The profile of a phone that serves its notifications to accessories.
package struct PhoneProfile: Hashable, Sendable {
    /// The phone's name in this program.
    package let name: String
    /// The device name that accessories read.
    package let displayName: String
    /// The largest ATT_MTU that the phone accepts, in bytes: 23 to 517.
    package let maximumTransmissionUnit: UInt16
    /// Whether accessories must pair.
    package let needsPairing: Bool
    /// The notifications, and their changes over time.
    package let script: ANCSScript
    /// Texts of the file that a comment has cut, for warnings.
    package let cutTexts: [CutText]

    /// Reads a phone's profile.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(parsing text: String, file: String) throws(ProfileFaults) {
        let contents = ReadContents()
        let root = try YAMLText(text, file: file).root(
            of: FileKind.phone.name, example: "profiles/phones/iphone.yaml", noting: contents)
        try FileKind.phone.check(root, file: file)
        var reader = ProfileReader(root, file: file, path: "", contents: contents)
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let name = reader.required("phone", ValueText.name)
        let displayName = reader.value("name", ValueText.label)
        maximumTransmissionUnit = reader.value("mtu", Self.transmissionUnit) ?? 185
        needsPairing = reader.value("pairing", Self.pairing) ?? true
        let apps = reader.pairs("apps", Self.appIdentifier, ValueText.label) ?? [:]
        let steps = Self.steps(&reader)
        let faults = reader.finish()
        guard faults.isEmpty, let name else { throw ProfileFaults(faults) }
        self.name = name
        self.displayName = displayName ?? name
        script = ANCSScript(steps: steps, apps: apps)
        cutTexts = contents.cutTexts
    }

    /// Whether a text is a phone's profile, valid or not, rather than a profile of beacons.
    package static func isPhone(_ text: String) -> Bool {
        guard let root = try? YAMLText(text, file: "").root(of: "", example: "") else { return false }
        return isPhone(ProfileReader(root, file: "", path: ""))
    }

    /// Whether a file has the keys of a phone's profile.
    static func isPhone(_ reader: ProfileReader) -> Bool {
        reader.has("phone") || reader.has("notifications") && !reader.has("beacons")
    }

    private static func steps(_ reader: inout ProfileReader) -> [ANCSScript.Step] {
        var steps: [ANCSScript.Step] = []
        var posted = Posted()
        let notifications = reader.requiredParts("notifications", of: "notification", Self.notification)
        reader.addDuplicates(in: "notifications", notifications, key: "id", name: \.id) { _, id in
            "another notification has the id \"\(id)\" already; give every notification its own id"
        }
        for entry in notifications {
            guard let entry else {
                posted.isIncomplete = true
                continue
            }
            posted.notifications[entry.id] = entry.notification
            steps.append(ANCSScript.Step(at: entry.time, .post(entry.id, entry.notification)))
            if let end = entry.end { steps.append(ANCSScript.Step(at: end, .remove(entry.id))) }
        }
        if notifications.isEmpty { posted.isIncomplete = true }
        var last = Duration.zero
        let changes = reader.parts("changes", of: "change") { reader in
            let step = Self.change(&reader, posted)
            if let time = step?.time {
                if time < last {
                    reader.add(
                        "changes must be in the order of their times; move this one up", field: "at",
                        at: reader.place(of: "at"))
                }
                last = max(last, time)
            }
            // A change applies to the result of the earlier changes.
            if case .post(let id, let notification)? = step?.event { posted.notifications[id] = notification }
            return step
        }
        steps += changes?.compactMap(\.self) ?? []
        return steps
    }

    /// The notifications that a change may refer to.
    private struct Posted {
        var notifications: [String: ANCSNotification] = [:]
        /// Whether notifications with mistakes are missing here; then a change of an unknown one is no further mistake.
        var isIncomplete = false
    }

    private struct Entry {
        let id: String
        let time: Duration?
        let end: Duration?
        let notification: ANCSNotification
    }

    private static func notification(_ reader: inout ProfileReader) -> Entry? {
        let id = reader.required("id", ValueText.name)
        let time = reader.value("at", ValueText.duration)
        let end = reader.value("until", ValueText.duration)
        if let end, end <= time ?? .zero {
            reader.add(
                "a notification cannot be removed before it is posted; write a later time", field: "until",
                at: reader.place(of: "until"))
        }
        var notification = ANCSNotification(category: reader.required("category", Self.category) ?? .other)
        Self.read(&reader, into: &notification)
        guard let id else { return nil }
        return Entry(id: id, time: time, end: end, notification: notification)
    }

    private static func change(_ reader: inout ProfileReader, _ posted: Posted) -> ANCSScript.Step? {
        let time = reader.required("at", ValueText.duration)
        if reader.has("service") {
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
        // All keys are read even if the id is wrong, so that none of them is reported as unknown.
        let known = id.flatMap { posted.notifications[$0] }
        var notification = known ?? ANCSNotification(category: .other)
        notification.category = reader.value("category", Self.category) ?? notification.category
        Self.read(&reader, into: &notification)
        guard let id, known != nil else { return nil }
        return time.map { ANCSScript.Step(at: $0, .post(id, notification)) }
    }

    /// Reads the keys that notifications and their changes have in common.
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
            throw ValueFault("\"\(text)\" is not a whole number of bytes from 23 to 517")
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
