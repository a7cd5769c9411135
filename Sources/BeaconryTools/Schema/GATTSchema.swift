// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulator

/// The parts of the JSON Schema of profiles that describe services, characteristics and their values.
enum GATTSchema {
    static var definitions: [SchemaPart.Key] {
        [
            ("service", service), ("characteristic", characteristic), ("quantity", quantity),
        ] + generators.map { ($0.name, $0.value) }
    }

    private static let service = SchemaPart.mapping(
        [
            ("uuid", SchemaPart.single("180F, or 128 bits")),
            ("characteristics", SchemaPart.list(of: SchemaPart.definition("characteristic"))),
        ], required: ["uuid", "characteristics"])

    private static var characteristic: JSONValue {
        let properties = SchemaPart.list(of: SchemaPart.choice(FormatText.propertyNames, ""), "what clients may do")
        return SchemaPart.mapping(
            [
                ("name", SchemaPart.single("its name in ctl set and in events")),
                ("uuid", SchemaPart.single("2A19, or 128 bits")), ("properties", properties),
                ("permissions", permissions), ("length", length),
                ("fields", SchemaPart.list(of: SchemaPart.mapping(valueKeys + [fieldName], required: ["name"]))),
                ("description", SchemaPart.single("the Characteristic User Description")),
                ("presentation", presentation), ("descriptors", SchemaPart.list(of: descriptor)),
                ("notify", SchemaPart.single("on-change, never, or a time such as 1s")),
                ("stored", SchemaPart.boolean("whether what is written is saved")),
                ("range-error", SchemaPart.single("the error of a value out of range, such as 0x80")),
                ("echo", SchemaPart.single("true, or the characteristic that takes the value that is written")),
                ("restarts", SchemaPart.list(of: SchemaPart.single, "values that begin again with a write")),
                ("read-error", fault), ("write-error", fault),
                ("read-delay", SchemaPart.single("the time until a read is answered")),
                ("write-delay", SchemaPart.single("the time until a write is answered")),
            ] + valueKeys, required: ["uuid", "properties"])
    }

    private static let fieldName: SchemaPart.Key = ("name", SchemaPart.single("the name of the field"))

    /// The keys of a value, with its format.
    private static var valueKeys: [SchemaPart.Key] {
        [
            (
                "type",
                SchemaPart.single("hex, text, boolean, uint8 to uint64, int8 to int64, float32, float64, sfloat, float")
            ),
            ("value", SchemaPart.single("the value at first")),
            ("clock", SchemaPart.single("the time of day, in this form")),
            ("scale", SchemaPart.single("what the number is multiplied with to get the quantity")),
            ("decimals", SchemaPart.single("0 to 8")),
            ("range", SchemaPart.list(of: SchemaPart.single, "the least and the greatest number")),
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
            SchemaPart.single,
            SchemaPart.mapping([("min", SchemaPart.single), ("max", SchemaPart.single)]),
        ]), "the length of the value in bytes, or its limits")

    private static let presentation = SchemaPart.mapping(
        [
            ("format", SchemaPart.single), ("exponent", SchemaPart.single), ("unit", SchemaPart.single),
            ("namespace", SchemaPart.single), ("description", SchemaPart.single),
        ], required: ["format", "unit"], "the Characteristic Presentation Format")

    private static let descriptor = SchemaPart.mapping(
        [
            ("uuid", SchemaPart.single), ("type", SchemaPart.single), ("value", SchemaPart.single),
            ("permissions", SchemaPart.choice(FormatText.securityNames, "what the link must be")),
        ], required: ["uuid", "value"])

    private static let fault = SchemaPart.described(
        SchemaPart.any([
            SchemaPart.single,
            SchemaPart.mapping(
                [
                    ("code", SchemaPart.single("such as 0x80")),
                    ("time", SchemaPart.single("which time only, from 1")),
                    ("until-written", SchemaPart.boolean("whether a write ends it")),
                ], required: ["code"]),
        ]), "the error that is answered")

    // MARK: - Quantities

    /// A number, or what changes it.
    private static let quantity = SchemaPart.any([
        SchemaPart.single, SchemaPart.mapping(generators.map { ($0.name, SchemaPart.definition($0.name)) }),
    ])

    private static let generators: [SchemaPart.Key] = {
        let every: SchemaPart.Key = ("every", SchemaPart.single("the time between two values, such as 1s"))
        let limits: [SchemaPart.Key] = [
            ("min", SchemaPart.single("the least value")), ("max", SchemaPart.single("the greatest value")),
        ]
        let points = SchemaPart.list(of: SchemaPart.list(of: SchemaPart.single), "such as [[0s, 20], [5s, 21.5]]")
        return [
            (
                "counter",
                SchemaPart.mapping(
                    [
                        ("start", SchemaPart.single), ("step", SchemaPart.single), every,
                        ("wrap", SchemaPart.boolean("whether it starts again at its end")),
                    ] + limits, required: ["every", "max"], "counts up")
            ),
            (
                "drain",
                SchemaPart.mapping(
                    [("from", SchemaPart.single), ("to", SchemaPart.single), every], required: ["every"],
                    "counts down, and stays at the end")
            ),
            (
                "waveform",
                SchemaPart.mapping(
                    [
                        ("shape", SchemaPart.choice(Waveform.Shape.allCases.map(\.rawValue), "the shape")),
                        ("period", SchemaPart.single("the time of a period")),
                        ("phase", SchemaPart.single("where it starts, 0 to 1")), every,
                    ] + limits, required: ["shape", "min", "max", "period"], "goes up and down")
            ),
            (
                "random-walk",
                SchemaPart.mapping(
                    [("seed", SchemaPart.single), ("start", SchemaPart.single), ("step", SchemaPart.single), every]
                        + limits, required: ["step", "min", "max", "every"], "small random changes")
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
            ("data", SchemaPart.single("hexadecimal digits")),
            ("value-of", SchemaPart.single("the characteristic whose value it is")),
        ]
        let service = SchemaPart.mapping([("uuid", SchemaPart.single)] + data, required: ["uuid"])
        return SchemaPart.mapping([
            ("services", SchemaPart.list(of: SchemaPart.single, "their UUIDs")),
            ("solicited-services", SchemaPart.list(of: SchemaPart.single, "their UUIDs")),
            ("service-data", SchemaPart.list(of: service)),
            (
                "manufacturer-data",
                SchemaPart.mapping([("company", SchemaPart.single("such as 0x0131"))] + data, required: ["company"])
            ),
            ("tx-power", SchemaPart.boolean("whether the transmit power is advertised")),
        ])
    }()
}
