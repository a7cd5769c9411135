// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth

// The profile keys of an accessory.

extension ANCSAccessory {
    package var advertising: AdvertisingSettings { configuration.advertising }
    package var advertisedName: String? { configuration.name }

    package static let settings: [Setting<Configuration>] =
        [
            Setting(
                "ask",
                "the attributes that it requests of each notification: app, title, subtitle, message, message-size, date, "
                    + "positive-action, negative-action; a number after title, subtitle or message is the maximum number of "
                    + "bytes. [] requests none", .list(ProfileReader.ancsAttribute),
                standard: "[app, title 64, message 256, date]",
                read: { reader, configuration in
                    if let attributes = reader.ancsAttributes() { configuration.consumer.attributes = attributes }
                    return true
                },
                write: { configuration, writer in
                    let names = configuration.consumer.attributes.map(ProfileReader.text)
                    writer.write("ask", "[\(names.joined(separator: ", "))]")
                }),
            Setting(
                "app-names", "whether it requests the names of apps", .boolean, \.consumer.asksAppNames, omits: { $0 },
                parse: ValueText.boolean, print: { "\($0)" }),
            .name(
                \.name, meaning: "its name, shortened to the 8 bytes that fit beside the solicitation", .label,
                standard: "BOB", parse: ValueText.label),
        ] + Setting.advertising()

    package static let template = Configuration()
}

extension ProfileReader {
    /// `ask: [app, title 11, message 64, date]`
    fileprivate mutating func ancsAttributes() -> [ANCSAttributeRequest]? {
        guard let node = node("ask") else { return nil }
        guard node.sequence != nil else {
            add("a list such as [app, title 11, date] is expected here", field: "ask", at: node.place)
            return nil
        }
        return values("ask", Self.ancsAttribute)
    }

    /// An attribute, and the maximum length of a text.
    fileprivate static let ancsAttribute = ValueShape.either([
        .choice(ancsNames.map(\.name)),
        .pattern(
            "(\(ancsNames.filter(\.identifier.takesMaximumLength).map(\.name).joined(separator: "|"))) +[0-9]{1,5}"),
    ])

    private static func ancsAttribute(_ text: String) throws(ValueFault) -> ANCSAttributeRequest {
        let words = text.split(separator: " ").map(String.init)
        guard let name = words.first, let identifier = ancsNames.first(where: { $0.name == name })?.identifier else {
            let names = ancsNames.map(\.name).joined(separator: ", ")
            throw ValueFault("there is nothing \"\(text)\" to ask for; write one of \(names)")
        }
        guard words.count > 1 else { return ANCSAttributeRequest(identifier, maximumLength: 64) }
        guard words.count == 2, identifier.takesMaximumLength else {
            throw ValueFault("\"\(text)\": only title, subtitle and message take a length, such as title 11")
        }
        return ANCSAttributeRequest(identifier, maximumLength: try ValueText.unsigned16(words[1]))
    }

    /// The text of a requested attribute.
    fileprivate static func text(_ request: ANCSAttributeRequest) -> String {
        let name = ancsNames.first { $0.identifier == request.identifier }?.name ?? ""
        return request.maximumLength.map { "\(name) \($0)" } ?? name
    }

    private static let ancsNames: [(name: String, identifier: ANCSAttributeIdentifier)] = [
        ("app", .appIdentifier), ("title", .title), ("subtitle", .subtitle), ("message", .message),
        ("message-size", .messageSize), ("date", .date), ("positive-action", .positiveActionLabel),
        ("negative-action", .negativeActionLabel),
    ]
}
