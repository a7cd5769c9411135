// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Devices
import Yams

// The keys of a notification display.

extension MappingReader {
    /// What the mapping says of a notification display.
    mutating func ancsAccessory() -> ANCSAccessory.Configuration {
        let defaults = ANCSAccessory.Configuration()
        let consumer = ANCSConsumer.Configuration(
            attributes: ancsAttributes() ?? defaults.consumer.attributes,
            asksAppNames: value("app-names", ValueText.boolean) ?? defaults.consumer.asksAppNames)
        return ANCSAccessory.Configuration(
            name: value("name", ValueText.label) ?? defaults.name, address: value("address", ValueText.address),
            interval: value("interval", ValueText.radiatedInterval) ?? defaults.interval,
            transmitPower: value("tx-power", ValueText.transmitPower), consumer: consumer)
    }

    /// `ask: [app, title 11, message 64, date]`
    private mutating func ancsAttributes() -> [ANCSAttributeRequest]? {
        guard let node = node("ask") else { return nil }
        guard node.sequence != nil else {
            add("a list such as [app, title 11, date] is expected here", field: "ask", mark: node.mark)
            return nil
        }
        return values("ask", Self.ancsAttribute)
    }

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

    /// A request as it is read.
    static func text(_ request: ANCSAttributeRequest) -> String {
        let name = ancsNames.first { $0.identifier == request.identifier }?.name ?? ""
        return request.maximumLength.map { "\(name) \($0)" } ?? name
    }

    private static let ancsNames: [(name: String, identifier: ANCSAttributeIdentifier)] = [
        ("app", .appIdentifier), ("title", .title), ("subtitle", .subtitle), ("message", .message),
        ("message-size", .messageSize), ("date", .date), ("positive-action", .positiveActionLabel),
        ("negative-action", .negativeActionLabel),
    ]
}
