// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import BluetoothCore

// The profile keys of an accessory.

extension ANCSAccessory {
    package var address: BluetoothAddress? { configuration.address }
    package var advertisedName: String? { configuration.name }
    package var interval: AdvertisingInterval { configuration.interval }
    package var transmitPower: TransmitPower? { configuration.transmitPower }

    package init?(from reader: inout ProfileReader) {
        let defaults = Configuration()
        let consumer = ANCSConsumer.Configuration(
            attributes: reader.ancsAttributes() ?? defaults.consumer.attributes,
            asksAppNames: reader.value("app-names", ValueText.boolean) ?? defaults.consumer.asksAppNames)
        self.init(
            Configuration(
                name: reader.value("name", ValueText.label) ?? defaults.name,
                address: reader.value("address", ValueText.address),
                interval: reader.value("interval", ValueText.radiatedInterval) ?? defaults.interval,
                transmitPower: reader.value("tx-power", ValueText.transmitPower), consumer: consumer))
    }

    package func write(to writer: inout DeviceWriter) {
        writer.write("name", DeviceWriter.quoted(configuration.name))
        let names = configuration.consumer.attributes.map(ProfileReader.text)
        writer.write("ask", "[\(names.joined(separator: ", "))]")
        if !configuration.consumer.asksAppNames { writer.write("app-names", "false") }
        writer.write("interval", DeviceWriter.text(configuration.interval))
        writer.write("tx-power", DeviceWriter.text(configuration.transmitPower))
    }
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
