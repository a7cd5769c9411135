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

    /// A notification with the fields of a device's report.
    init(_ fields: [String: DeviceReport.Value]) {
        func text(_ key: String) -> String? { if case .text(let text)? = fields[key] { text } else { nil } }
        func integer<Value: FixedWidthInteger>(_ key: String) -> Value? {
            if case .integer(let integer)? = fields[key] { Value(exactly: integer) } else { nil }
        }
        uid = integer("uid") ?? 0
        category = text("category")
        display = text("display")
        categoryCount = integer("categoryCount")
        if case .list(let names)? = fields["flags"] { flags = names }
        app = text("app")
        appName = text("appName")
        title = text("title")
        subtitle = text("subtitle")
        message = text("message")
        messageSize = integer("messageSize")
        date = text("date")
        positiveAction = text("positiveAction")
        negativeAction = text("negativeAction")
    }
}

extension EventRecord {
    /// A device's report.
    init(_ report: DeviceReport, device: String) {
        self.init(report.name, device: device)
        central = report.central?.name
        func text(_ key: String) -> String? {
            if case .text(let text)? = report.arguments[key] { text } else { nil }
        }
        reason = text("reason")
        action = text("action")
        message = text("message")
        if case .object(let fields)? = report.arguments["notification"] { notification = NotificationRecord(fields) }
        if case .list(let settings)? = report.arguments["settings"] {
            let commands = settings.map { "beaconry ctl set \(device) \($0)" }
            hint = "press it with \(commands.joined(separator: ", then "))"
        }
    }
}
