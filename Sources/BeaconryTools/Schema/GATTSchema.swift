// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Emulator
import JSON

/// The parts of the JSON Schema of profiles that describe services, characteristics and their values.
enum GATTSchema {
    static var definitions: [SchemaPart.Key] {
        [
            ("service", service), ("characteristic", characteristic), ("generator", generator),
        ] + generators.map { ($0.name, $0.value) }
    }

    private static let service = SchemaPart.mapping(
        [
            ("uuid", SchemaPart.value(.bluetoothUUID, "180F, or 128 bits")),
            ("characteristics", SchemaPart.list(of: SchemaPart.definition("characteristic"), count: 1...Int.max)),
        ], required: ["uuid", "characteristics"])

    private static var characteristic: JSONValue {
        let properties = SchemaPart.list(
            of: SchemaPart.choice(FormatText.propertyNames, ""), "what clients may do", count: 1...Int.max)
        return SchemaPart.mapping(
            [
                ("name", SchemaPart.value(.attributeName, "its name in ctl set and in events")),
                ("uuid", SchemaPart.value(.bluetoothUUID, "2A19, or 128 bits")), ("properties", properties),
                ("permissions", permissions), ("length", length),
                (
                    "fields",
                    SchemaPart.list(
                        of: SchemaPart.mapping(valueKeys + [fieldName], required: ["name"]), count: 1...Int.max)
                ),
                ("description", SchemaPart.value(.label, "the Characteristic User Description")),
                ("presentation", presentation), ("descriptors", SchemaPart.list(of: descriptor, count: 1...Int.max)),
                (
                    "notify",
                    SchemaPart.value(
                        .either([.choice(["on-change", "never"]), .duration]), "on-change, never, or a time such as 1s")
                ),
                ("stored", SchemaPart.boolean("whether what is written is saved")),
                ("range-error", SchemaPart.value(.attributeError, "the error of a value out of range, such as 0x80")),
                (
                    "echo",
                    SchemaPart.value(
                        .either([.boolean, .attributeName]),
                        "true, or the characteristic that takes the value that is written")
                ),
                (
                    "restarts",
                    SchemaPart.list(of: SchemaPart.value(.attributePath), "values that begin again with a write")
                ),
                ("read-error", fault), ("write-error", fault),
                ("read-delay", SchemaPart.value(.duration, "the time until a read is answered")),
                ("write-delay", SchemaPart.value(.duration, "the time until a write is answered")),
            ] + valueKeys, required: ["uuid", "properties"])
    }

    private static let fieldName: SchemaPart.Key = ("name", SchemaPart.value(.attributeName, "the name of the field"))

    /// The keys of a value, with its format.
    private static var valueKeys: [SchemaPart.Key] {
        [
            (
                "type",
                SchemaPart.value(
                    FormatText.shape,
                    "hex, text, boolean, uint8 to uint64, int8 to int64, float32, float64, sfloat, float; a byte order may "
                        + "follow, as in uint16 be")
            ),
            ("value", SchemaPart.single("the value at first")),
            ("clock", SchemaPart.value(.choice(of: ClockForm.self), "the time of day, in this form")),
            ("scale", SchemaPart.value(.anyNumber, "what the number is multiplied with to get the quantity")),
            ("decimals", SchemaPart.value(.integer(0...8, isHexadecimal: true), "0 to 8")),
            (
                "range",
                SchemaPart.list(of: SchemaPart.value(.anyNumber), "the least and the greatest number", count: 2...2)
            ),
        ] + generators.map { ($0.name, SchemaPart.definition($0.name)) }
    }

    private static let permissions: JSONValue = {
        let names = FormatText.securityNames
        let each = ["read", "write", "subscribe"].map { ($0, SchemaPart.choice(names, "what \($0) demands")) }
        return SchemaPart.described(
            SchemaPart.any([SchemaPart.choice(names, "for all"), SchemaPart.mapping(each)]),
            "what the link must be")
    }()

    private static let length = SchemaPart.described(
        SchemaPart.any([
            SchemaPart.value(.length),
            SchemaPart.mapping([("min", SchemaPart.value(.length)), ("max", SchemaPart.value(.length))]),
        ]), "the length of the value in bytes, or its limits")

    private static let presentation = SchemaPart.mapping(
        [
            ("format", SchemaPart.value(.byte)),
            ("exponent", SchemaPart.value(.integer(-128...127, isHexadecimal: true))),
            ("unit", SchemaPart.value(.word)), ("namespace", SchemaPart.value(.byte)),
            ("description", SchemaPart.value(.word)),
        ], required: ["format", "unit"], "the Characteristic Presentation Format")

    private static let descriptor = SchemaPart.mapping(
        [
            ("uuid", SchemaPart.value(.bluetoothUUID)), ("type", SchemaPart.value(FormatText.shape)),
            ("value", SchemaPart.single),
            ("permissions", SchemaPart.choice(FormatText.securityNames, "what the link must be")),
        ], required: ["uuid", "value"])

    private static let fault = SchemaPart.described(
        SchemaPart.any([
            SchemaPart.value(.attributeError),
            SchemaPart.mapping(
                [
                    ("code", SchemaPart.value(.attributeError, "such as 0x80")),
                    ("time", SchemaPart.value(.integer(1...1_000_000, isHexadecimal: true), "which time only, from 1")),
                    ("until-written", SchemaPart.boolean("whether a write ends it")),
                ], required: ["code"]),
        ]), "the error that is answered")

    // MARK: - Quantities

    /// A number, or what changes it.
    static func quantity(_ shape: ValueShape) -> JSONValue {
        SchemaPart.any([SchemaPart.value(shape), SchemaPart.definition("generator")])
    }

    /// One of the generators.
    private static let generator: JSONValue = {
        var members = SchemaPart.mapping(generators.map { ($0.name, SchemaPart.definition($0.name)) }).members ?? [:]
        members["minProperties"] = .number(1)
        members["maxProperties"] = .number(1)
        return .object(members)
    }()

    private static let generators: [SchemaPart.Key] = {
        let every: SchemaPart.Key = ("every", SchemaPart.value(.duration, "the time between two values, such as 1s"))
        let whole = ValueShape.integer(-(1 << 53)...1 << 53)
        func limits(_ number: ValueShape) -> [SchemaPart.Key] {
            [
                ("min", SchemaPart.value(number, "the least value")),
                ("max", SchemaPart.value(number, "the greatest value")),
            ]
        }
        let points = SchemaPart.list(
            of: SchemaPart.list(of: SchemaPart.single, count: 2...2), "such as [[0s, 20], [5s, 21.5]]",
            count: 1...Int.max)
        return [
            (
                "counter",
                SchemaPart.mapping(
                    [
                        ("start", SchemaPart.value(.anyInteger)), ("step", SchemaPart.value(.anyInteger)), every,
                        ("wrap", SchemaPart.boolean("whether it starts again at its end")),
                    ] + limits(whole), required: ["every", "max"], "counts up")
            ),
            (
                "drain",
                SchemaPart.mapping(
                    [("from", SchemaPart.value(whole)), ("to", SchemaPart.value(whole)), every], required: ["every"],
                    "counts down, and stays at the end")
            ),
            (
                "waveform",
                SchemaPart.mapping(
                    [
                        ("shape", SchemaPart.choice(Waveform.Shape.allCases.map(\.rawValue), "the shape")),
                        ("period", SchemaPart.value(.duration, "the time of a period")),
                        ("phase", SchemaPart.value(.open(0...1, excludes: .highest), "where it starts")), every,
                    ] + limits(.number(-1e100...1e100)), required: ["shape", "min", "max", "period"], "goes up and down"
                )
            ),
            (
                "random-walk",
                SchemaPart.mapping(
                    [
                        ("seed", SchemaPart.value(.integer(0...Int.max))), ("start", SchemaPart.value(.anyNumber)),
                        ("step", SchemaPart.value(.open(0 ... .infinity, excludes: .lowest))), every,
                    ] + limits(.number(-1e100...1e100)), required: ["step", "min", "max", "every"],
                    "small random changes")
            ),
            (
                "trace",
                SchemaPart.mapping(
                    [
                        ("points", points), ("file", SchemaPart.single("a file of lines such as 5,21.5")),
                        ("repeat", SchemaPart.boolean("whether it starts again at its end")),
                    ], "recorded values")
            ),
        ]
    }()

    // MARK: - Advertised data

    static let advertised: JSONValue = {
        let data: [SchemaPart.Key] = [
            ("data", SchemaPart.value(.octets, "hexadecimal digits")),
            ("value-of", SchemaPart.value(.attributeName, "the characteristic whose value it is")),
        ]
        let service = SchemaPart.mapping([("uuid", SchemaPart.value(.bluetoothUUID))] + data, required: ["uuid"])
        return SchemaPart.mapping([
            ("services", SchemaPart.list(of: SchemaPart.value(.bluetoothUUID), "their UUIDs")),
            ("solicited-services", SchemaPart.list(of: SchemaPart.value(.bluetoothUUID), "their UUIDs")),
            ("service-data", SchemaPart.list(of: service, count: 1...Int.max)),
            (
                "manufacturer-data",
                SchemaPart.mapping(
                    [("company", SchemaPart.value(.word, "such as 0x0131"))] + data, required: ["company"])
            ),
            ("tx-power", SchemaPart.boolean("whether the transmit power is advertised")),
        ])
    }()
}
