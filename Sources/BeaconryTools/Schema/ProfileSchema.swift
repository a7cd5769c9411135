// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Emulator
import JSON
import Profiles
import Receiving
import Space

/// The JSON Schema of profiles. The keys of devices and formats come from their lists of settings.
enum ProfileSchema {
    static var document: JSONValue {
        var root =
            SchemaPart.mapping(
                [("profile", SchemaPart.value(.name, "the name of the profile; saved settings are kept under it"))]
                    + airKeys
                    + [
                        ("defaults", beacon(isDefault: true)),
                        (
                            "include",
                            SchemaPart.oneOrMore(
                                of: SchemaPart.value(.text(1...4096)), "files whose contents are added")
                        ),
                    ],
                required: ["profile"]
            ).members ?? [:]
        root["anyOf"] = .array(
            ["beacons", "include"].map { .object(["required": .array([.text($0)])]) })
        root["patternProperties"] = anchors
        return SchemaPart.document(.object(root), title: "A profile of beaconry", definitions: definitions)
    }

    /// Keys for anchors.
    static let anchors: JSONValue = .object(["^x-": .boolean(true)])

    /// The keys of an air, in profiles and scenarios.
    static var airKeys: [SchemaPart.Key] {
        [
            ("beacons", SchemaPart.list(of: beacon(isDefault: false), "the beacons")),
            (
                "receivers",
                SchemaPart.list(of: receiver, "the receivers on the virtual air", count: 1...Int.max)
            ),
            ("physics", physics),
            ("walls", SchemaPart.list(of: wall, "walls on the virtual air, with their loss", count: 1...Int.max)),
        ]
    }

    // MARK: - Beacons

    private static let copies = ValueShape.integer(1...EntryRepetition.maximumCount)
    private static let placeKeys = ["position", "path", "track", "orbit", "grid"]

    private static var commonKeys: [SchemaPart.Key] {
        [
            ("id", SchemaPart.value(.name, "the name of the beacon in the profile")),
            ("device", SchemaPart.choice(DeviceRegistry.names, "what the beacon is")),
            (
                "count",
                SchemaPart.value(copies, "the number of copies, 1 to 10000, in which {n} is the number of the copy")
            ),
            ("pairing", pairing), ("schedule", schedule),
        ] + placeKeys.map { ($0, SchemaPart.definition($0)) }
    }

    /// An entry, or the defaults of all entries, which may belong to any kind of device.
    private static func beacon(isDefault: Bool) -> JSONValue {
        let kinds = DeviceRegistry.all.map { (name: $0.kind, keys: keys(of: $0)) }
        let common = commonKeys
        // Keys that kinds have in common may have different values.
        var values: [String: [JSONValue]] = [:]
        for (name, value) in kinds.flatMap(\.keys) where !(values[name]?.contains(value) ?? false) {
            values[name, default: []].append(value)
        }
        let all = values.map { ($0.key, $0.value.count == 1 ? $0.value[0] : SchemaPart.any($0.value)) }
        var schema = SchemaPart.mapping(common + all, required: isDefault ? [] : ["id"]).members ?? [:]
        let allowed = kinds.map { kind in
            let condition: JSONValue = .object([
                "required": .array([.text("device")]),
                "properties": .object(["device": .object(["const": .text(kind.name)])]),
            ])
            let names = common.map(\.name) + kind.keys.map(\.name)
            let consequence: JSONValue = .object([
                "propertyNames": .object(["enum": .array(names.sorted().map { .text($0) })]),
                "properties": SchemaPart.properties(kind.keys),
            ])
            return JSONValue.object(["if": condition, "then": consequence])
        }
        // Defaults may have keys of other kinds than the usual one.
        if !isDefault { schema["allOf"] = .array(allowed) }
        return .object(schema)
    }

    /// The keys of a kind of device, from its settings.
    private static func keys(of kind: any ProfiledDevice.Type) -> [SchemaPart.Key] {
        var keys: [SchemaPart.Key] = []
        var groups: [String: [SchemaPart.Key]] = [:]
        for setting in kind.declarations {
            let value = value(of: setting)
            guard let group = setting.group else {
                keys.append((setting.key, value))
                continue
            }
            groups[group, default: []].append((setting.key, value))
        }
        keys += groups.sorted { $0.key < $1.key }.map { ($0.key, SchemaPart.mapping($0.value)) }
        if kind.kind == Beacon.kind { keys += formatKeys.filter { key in !keys.contains { $0.name == key.name } } }
        return keys
    }

    private static func value(of setting: SettingDeclaration) -> JSONValue {
        let description =
            "\(setting.meaning) (\(setting.standard == "required" ? "required" : "default: \(setting.standard)"))"
        switch setting.form {
        case .value(let shape): return SchemaPart.value(shape, description)
        case .quantity(let shape): return SchemaPart.described(GATTSchema.quantity(shape), description)
        case .list(let shape, let count):
            return SchemaPart.list(of: SchemaPart.value(shape), description, count: count)
        case .mapping(let keys, let values):
            return SchemaPart.pairs(keys: keys, values: SchemaPart.value(values), description)
        case .structure:
            switch setting.key {
            case "services":
                return SchemaPart.list(of: SchemaPart.definition("service"), description, count: 1...Int.max)
            case "advertise": return SchemaPart.described(GATTSchema.advertised, description)
            default: return SchemaPart.mapping(telemetry, description)
            }
        }
    }

    private static let telemetry: [SchemaPart.Key] = [
        (
            "every",
            SchemaPart.value(BeaconTelemetry.roundShape, "the number of advertisements in a round (default: 10)")
        ),
        ("battery", SchemaPart.described(GATTSchema.quantity(BeaconTelemetry.voltageShape), "the voltage in mV")),
        ("temperature", SchemaPart.described(GATTSchema.quantity(BeaconTelemetry.temperatureShape), "in °C")),
    ]

    /// The keys of all formats that can be sent; which of them there are depends on `format`.
    private static var formatKeys: [SchemaPart.Key] {
        func keys<Frame: TransmittableBeacon>(of _: Frame.Type) -> [(name: String, text: String, shape: ValueShape)] {
            Frame.keys.map { ($0.name, "of \(Frame.formatName): \($0.meaning)", $0.shape) }
        }
        let all = BeaconFormats.transmittable.flatMap { keys(of: $0) }
        return Dictionary(grouping: all, by: \.name).sorted { $0.key < $1.key }.map { name, keys in
            let shapes = keys.reduce(into: [ValueShape]()) { if !$0.contains($1.shape) { $0.append($1.shape) } }
            let text = keys.map(\.text).joined(separator: "; ")
            return (name, SchemaPart.value(shapes.count == 1 ? shapes[0] : .either(shapes), text))
        }
    }

    private static let pairing = SchemaPart.mapping(
        [
            (
                "io",
                SchemaPart.value(
                    .choice(of: PairingSettings.InputOutput.self), "what the device has for numbers")
            ),
            ("passkey", SchemaPart.value(.passkey, "six digits")),
            (
                "comparison",
                SchemaPart.value(.choice(of: PairingSettings.Comparison.self), "the answer to a comparison")
            ),
            ("bonding", SchemaPart.boolean("whether keys are saved")),
            ("mitm", SchemaPart.boolean("whether authentication is required")),
            (
                "secure-connections",
                SchemaPart.value(
                    .choice(of: PairingSettings.Requirement.self), "whether LE Secure Connections are used")
            ),
            ("minimum-key-size", SchemaPart.value(.keySize, "in bytes")),
            ("private-address", SchemaPart.boolean("whether the address changes, and bonded centrals resolve it")),
            ("request", SchemaPart.boolean("whether centrals that connect are asked to pair")),
        ], "how the beacon pairs")

    /// The settings that `rotate` may have, each with a list of its values.
    private static var rotatedValues: [SchemaPart.Key] {
        let settings: [SchemaPart.Key] = DeviceRegistry.all.flatMap { $0.declarations }.map { setting in
            switch setting.form {
            case .value(let shape), .quantity(let shape): (setting.key, SchemaPart.value(shape))
            case .list, .mapping, .structure: (setting.key, SchemaPart.single)
            }
        }
        let values = Dictionary(grouping: settings + formatKeys, by: \.name).filter { $0.key != "address" }
        return values.sorted { $0.key < $1.key }.map { name, keys in
            let different = keys.reduce(into: [JSONValue]()) { if !$0.contains($1.value) { $0.append($1.value) } }
            let value = different.count == 1 ? different[0] : SchemaPart.any(different)
            return (name, SchemaPart.list(of: value, "its values, one after the other", count: 1...Int.max))
        }
    }

    private static var schedule: JSONValue {
        let rotation = SchemaPart.mapping(
            [
                ("every", SchemaPart.value(.duration, "the time between two values, such as 15m")),
                (
                    "address",
                    SchemaPart.described(
                        SchemaPart.any([
                            SchemaPart.value(.choice(["random"])),
                            SchemaPart.list(of: SchemaPart.value(.address), count: 1...Int.max),
                        ]), "random, or a list of addresses")
                ),
            ] + rotatedValues, required: ["every"], "what changes after a time, such as minor: [1, 2, 3]")
        return SchemaPart.mapping(
            [
                (
                    "between",
                    SchemaPart.oneOrMore(
                        of: SchemaPart.value(.window), "times of the day, such as mon-fri 09:00-17:00",
                        count: 1...Schedule.maximumWindows)
                ),
                ("on", SchemaPart.value(.duration, "the time on")),
                ("off", SchemaPart.value(.duration, "the time off, after it")),
                ("rotate", rotation),
            ], "when the beacon is on")
    }

    // MARK: - Receivers and the air

    private static let receiver = SchemaPart.mapping(
        [
            ("id", SchemaPart.value(.name, "the name of the receiver")),
            (
                "hci-server",
                SchemaPart.value(.server, "where its hosts find controllers: \(ServerAddress.forms)")
            ),
            (
                "esphome",
                SchemaPart.value(.hostAndPort, "where a Bluetooth proxy of ESPHome's API listens: 127.0.0.1:6053")
            ),
            ("phone", SchemaPart.choice(PhoneModel.names, "the phone that it receives like")),
            (
                "scan",
                SchemaPart.mapping(
                    [
                        ("window", SchemaPart.value(.interval, "the receiving time in each interval, such as 30ms")),
                        ("interval", SchemaPart.value(.interval, "the time from one window to the next, such as 40ms")),
                        ("active", SchemaPart.boolean("whether it sends scan requests")),
                    ], "parameters of its scan that replace the phone's")
            ),
            (
                "regions",
                SchemaPart.list(
                    of: ScenarioSchema.region, "the regions that it monitors",
                    count: 1...ListenerSettings.maximumRegions)
            ),
            ("listening", SchemaPart.boolean("whether its app scans")),
            ("screen", SchemaPart.choice(Screen.allCases.map(\.rawValue), "the state of its screen")),
            ("count", SchemaPart.value(copies, "the number of copies")),
        ] + placeKeys.map { ($0, SchemaPart.definition($0)) }, required: ["id"])

    private static let wall = SchemaPart.mapping(
        [
            ("from", corner), ("to", corner),
            ("loss", SchemaPart.value(.decibels, "the loss of a signal that passes through, such as 6dB")),
        ], required: ["from", "to", "loss"])

    private static let corner = SchemaPart.list(
        of: SchemaPart.value(.metres), "two numbers of metres, such as [4, 0]", count: 2...2)

    private static let physics: JSONValue = {
        let names = Propagation.environments.map(\.name) + ["off"]
        let model = SchemaPart.mapping(
            [("preset", SchemaPart.choice(names, "the model to begin with"))]
                + PhysicsKey.all.map { ($0.name, part($0)) })
        return SchemaPart.described(
            SchemaPart.any([SchemaPart.choice(names, "a preset"), model]), "the model of the virtual air")
    }()

    private static func part(_ key: PhysicsKey) -> JSONValue {
        let meaning = key.off == .impossible ? key.meaning : "\(key.meaning), or off"
        if key.isNumber {
            let shape = key.numbers[0].shape
            return SchemaPart.value(key.off == .impossible ? shape : .either([.choice(["off"]), shape]), meaning)
        }
        let numbers = SchemaPart.mapping(
            key.numbers.map { ($0.name, SchemaPart.value($0.shape, $0.meaning)) }, required: key.numbers.map(\.name))
        return SchemaPart.described(SchemaPart.any([SchemaPart.choice(["off"], "without it"), numbers]), meaning)
    }

    // MARK: - Definitions

    static var definitions: [SchemaPart.Key] { places + GATTSchema.definitions }

    private static let places: [SchemaPart.Key] = {
        let position = SchemaPart.list(
            of: SchemaPart.value(.metres), "two or three numbers of metres, such as [2.5, 4]", count: 2...3)
        let anchor = SchemaPart.mapping(
            [
                ("lat", SchemaPart.value(.latitude, "the latitude of [0, 0]")),
                ("lon", SchemaPart.value(.longitude, "its longitude")),
                ("bearing", SchemaPart.value(.degrees, "the direction of the second axis, in degrees from north")),
                ("ele", SchemaPart.value(.metres, "the elevation of height 0")),
            ], required: ["lat", "lon"])
        let track = SchemaPart.mapping(
            [
                ("file", SchemaPart.single("a .csv, .gpx or .geojson file beside the profile")),
                ("who", SchemaPart.value(.label, "selects the rows of a CSV file (default: the id)")),
                ("anchor", anchor),
            ], required: ["file"])
        let pauses = SchemaPart.pairs(
            keys: .integer(1...Int.max), values: SchemaPart.value(.duration),
            "times of rest at points, by their numbers from 1")
        return [
            ("position", position),
            (
                "path",
                SchemaPart.mapping(
                    [
                        ("through", SchemaPart.list(of: position, "the points", count: 2...Int.max)),
                        ("speed", SchemaPart.value(.speed, "such as 1.2m/s")), ("pauses", pauses),
                        ("repeat", SchemaPart.boolean("whether it starts again at its end")),
                    ], required: ["through", "speed"], "a way through points")
            ),
            (
                "track",
                SchemaPart.described(
                    SchemaPart.any([SchemaPart.single, track]), "recorded positions: a .csv, .gpx or .geojson file")
            ),
            (
                "orbit",
                SchemaPart.mapping(
                    [
                        ("centre", position), ("radius", SchemaPart.value(.radius, "in metres")),
                        ("period", SchemaPart.value(.duration, "the time of a round, such as 60s")),
                        ("angle", SchemaPart.value(.degrees, "where it starts, in degrees")),
                    ], required: ["centre", "radius", "period"], "a circle")
            ),
            (
                "grid",
                SchemaPart.mapping(
                    [
                        ("columns", SchemaPart.value(.integer(1...Int.max), "the number of copies in a row")),
                        (
                            "spacing",
                            SchemaPart.value(
                                .open(0 ... .infinity, unit: "m", excludes: .lowest),
                                "the distance between two, such as 2m")
                        ), ("origin", position),
                    ], required: ["columns", "spacing"], "places the copies of an entry with a count, row after row")
            ),
        ]
    }()
}
