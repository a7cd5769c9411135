// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import JSON

/// The parts of the JSON Schema of profiles that describe services, characteristics and their values.
enum GATTSchema {
    static var definitions: [Schema.Member] {
        [
            .optional("service", service, ""), .optional("characteristic", characteristic, ""),
            .optional("generator", generator, ""),
        ] + generators
    }

    private static let service = Schema.object([
        .required("uuid", .value(.bluetoothUUID), "180F, or 128 bits"),
        .required("characteristics", .array(.definition("characteristic"), 1...Int.max), ""),
    ])

    private static var characteristic: Schema {
        let field = Schema.object(valueKeys + [.required("name", .value(.attributeName), "the name of the field")])
        return .object(
            [
                .optional("name", .value(.attributeName), "its name in ctl set and in events"),
                .required("uuid", .value(.bluetoothUUID), "2A19, or 128 bits"),
                .required(
                    "properties", .array(.value(.choice(FormatText.propertyNames)), 1...Int.max),
                    "what clients may do"),
                .optional("permissions", permissions, "what the link must be"),
                .optional("length", length, "the length of the value in bytes, or its limits"),
                .optional("fields", .array(field, 1...Int.max), ""),
                .optional("description", .value(.label), "the Characteristic User Description"),
                .optional("presentation", presentation, "the Characteristic Presentation Format"),
                .optional("descriptors", .array(descriptor, 1...Int.max), ""),
                .optional(
                    "notify", .value(.either([.choice(["on-change", "never"]), .duration])),
                    "on-change, never, or a time such as 1s"),
                .optional("stored", .value(.boolean), "whether what is written is saved"),
                .optional("range-error", .value(.attributeError), "the error of a value out of range, such as 0x80"),
                .optional(
                    "echo", .value(.either([.boolean, .attributeName])),
                    "true, or the characteristic that takes the value that is written"),
                .optional("restarts", .array(.value(.attributePath)), "values that begin again with a write"),
                .optional("read-error", fault, "the error that is answered"),
                .optional("write-error", fault, "the error that is answered"),
                .optional("read-delay", .value(.duration), "the time until a read is answered"),
                .optional("write-delay", .value(.duration), "the time until a write is answered"),
                .optional(
                    "deviations", .array(.value(.choice(of: CharacteristicDeviation.self)), 0...Int.max),
                    "how it deviates from the specification"),
            ] + valueKeys)
    }

    /// The keys of a value, with its format.
    private static var valueKeys: [Schema.Member] {
        [
            .optional(
                "type", .value(FormatText.shape),
                "hex, text, boolean, uint8 to uint64, int8 to int64, float32, float64, sfloat, float; a byte order may "
                    + "follow, as in uint16 be"),
            .optional("value", .single, "the value at first"),
            .optional("clock", .value(.choice(of: ClockForm.self)), "the time of day, in this form"),
            .optional("scale", .value(.anyNumber), "what the number is multiplied with to get the quantity"),
            .optional("decimals", .value(.integer(0...8, isHexadecimal: true)), "0 to 8"),
            .optional("range", .array(.value(.anyNumber), 2...2), "the least and the greatest number"),
        ] + generators.map { .optional($0.name, .definition($0.name), "") }
    }

    private static let permissions: Schema = {
        let names = Schema.value(.choice(FormatText.securityNames))
        let each = ["read", "write", "subscribe"].map { Schema.Member.optional($0, names, "what \($0) demands") }
        return .anyOf([names.described("for all"), .object(each)])
    }()

    private static let length = Schema.anyOf([
        .value(.length), .object([.optional("min", .value(.length), ""), .optional("max", .value(.length), "")]),
    ])

    private static let presentation = Schema.object([
        .required("format", .value(.byte), ""),
        .optional("exponent", .value(.integer(-128...127, isHexadecimal: true)), ""),
        .required("unit", .value(.word), ""), .optional("namespace", .value(.byte), ""),
        .optional("description", .value(.word), ""),
    ])

    private static let descriptor = Schema.object([
        .required("uuid", .value(.bluetoothUUID), ""), .optional("type", .value(FormatText.shape), ""),
        .required("value", .single, ""),
        .optional("permissions", .value(.choice(FormatText.securityNames)), "what the link must be"),
    ])

    private static let fault = Schema.anyOf([
        .value(.attributeError),
        .object([
            .required("code", .value(.attributeError), "such as 0x80"),
            .optional("time", .value(.integer(1...1_000_000, isHexadecimal: true)), "which time only, from 1"),
            .optional("until-written", .value(.boolean), "whether a write ends it"),
        ]),
    ])

    // MARK: - Quantities

    /// A number, or what changes it.
    static func quantity(_ shape: ValueShape) -> Schema { .anyOf([.value(shape), .definition("generator")]) }

    /// One of the generators.
    private static let generator = Schema.object(generators.map { .optional($0.name, .definition($0.name), "") })
        .with(["minProperties": .number(1), "maxProperties": .number(1)])

    private static let generators: [Schema.Member] = {
        let every = "the time between two values, such as 1s"
        let whole = ValueShape.integer(-(1 << 53)...1 << 53)
        let number = ValueShape.number(-1e100...1e100)
        let (least, greatest) = ("the least value", "the greatest value")
        let counter = Schema.object([
            .optional("start", .value(.anyInteger), ""), .optional("step", .value(.anyInteger), ""),
            .required("every", .value(.duration), every),
            .optional("wrap", .value(.boolean), "whether it starts again at its end"),
            .optional("min", .value(whole), least), .required("max", .value(whole), greatest),
        ])
        let drain = Schema.object([
            .optional("from", .value(whole), ""), .optional("to", .value(whole), ""),
            .required("every", .value(.duration), every),
        ])
        let waveform = Schema.object([
            .required("shape", .value(.choice(Waveform.Shape.allCases.map(\.rawValue))), "the shape"),
            .required("min", .value(number), least), .required("max", .value(number), greatest),
            .required("period", .value(.duration), "the time of a period"),
            .optional("phase", .value(.open(0...1, excludes: .highest)), "where it starts"),
            .optional("every", .value(.duration), every),
        ])
        let walk = Schema.object([
            .optional("seed", .value(.integer(0...Int.max)), ""), .optional("start", .value(.anyNumber), ""),
            .required("step", .value(.open(0 ... .infinity, excludes: .lowest)), ""),
            .required("min", .value(number), least), .required("max", .value(number), greatest),
            .required("every", .value(.duration), every),
        ])
        let trace = Schema.object([
            .optional(
                "points", .array(.array(.single, 2...2), 1...Int.max), "such as [[0s, 20], [5s, 21.5]]"),
            .optional("file", .single, "a file of lines such as 5,21.5"),
            .optional("repeat", .value(.boolean), "whether it starts again at its end"),
        ])
        return [
            .optional("counter", counter, "counts up"),
            .optional("drain", drain, "counts down, and stays at the end"),
            .optional("waveform", waveform, "goes up and down"),
            .optional("random-walk", walk, "small random changes"), .optional("trace", trace, "recorded values"),
        ]
    }()

    // MARK: - Advertised data

    static let advertised: Schema = {
        let data: [Schema.Member] = [
            .optional("data", .value(.octets), "hexadecimal digits"),
            .optional("value-of", .value(.attributeName), "the characteristic whose value it is"),
        ]
        let service = Schema.object([.required("uuid", .value(.bluetoothUUID), "")] + data)
        let manufacturer = Schema.object([.required("company", .value(.word), "such as 0x0131")] + data)
        return .object([
            .optional("services", .array(.value(.bluetoothUUID)), "their UUIDs"),
            .optional("solicited-services", .array(.value(.bluetoothUUID)), "their UUIDs"),
            .optional("service-data", .array(service, 1...Int.max), ""),
            .optional("manufacturer-data", manufacturer, ""),
            .optional("tx-power", .value(.boolean), "whether the transmit power is advertised"),
        ])
    }()
}
