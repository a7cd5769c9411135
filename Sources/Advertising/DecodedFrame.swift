// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A beacon frame: its format and the fields of that format.
package struct DecodedFrame: Encodable {
    let format: String
    let fields: [BeaconField]

    package init(_ frame: BeaconFrame) {
        format = frame.format
        fields = frame.fields
    }

    /// For people, in one line.
    package var line: String { ([format] + fields.compactMap(\.text)).joined(separator: " ") }

    private enum Key: CodingKey {
        case format
    }

    package func encode(to encoder: any Encoder) throws {
        try FieldObject(fields: fields).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(format, forKey: .format)
    }
}

/// The fields of a frame as a JSON object.
package struct FieldObject: Encodable {
    private let fields: [BeaconField]

    package init(fields: [BeaconField]) { self.fields = fields }

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for field in fields {
            let key = Key(field.key)
            switch field.value {
            case .text(let text): try container.encode(text, forKey: key)
            case .integer(let integer): try container.encode(integer, forKey: key)
            case .number(let number): try container.encode(number, forKey: key)
            case .list(let values):
                var list = container.nestedUnkeyedContainer(forKey: key)
                for value in values {
                    switch value {
                    case .text(let text): try list.encode(text)
                    case .integer(let integer): try list.encode(integer)
                    case .number(let number): try list.encode(number)
                    // A list in a list does not occur.
                    case .list: break
                    }
                }
            }
        }
    }
}
