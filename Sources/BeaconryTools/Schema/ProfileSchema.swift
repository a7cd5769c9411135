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
        let required = ["beacons", "include"].map { JSONValue.object(["required": .array([.text($0)])]) }
        return Schema.object(
            [.required("profile", .value(.name), "the name of the profile; saved settings are kept under it")] + airKeys
                + [
                    .optional("defaults", beacon(isDefault: true), ""),
                    .optional("include", .oneOrMore(.value(.text(1...4096))), "files whose contents are added"),
                ]
        ).with(anchors).with(["anyOf": .array(required)]).document(
            title: "A profile of beaconry", definitions: definitions)
    }

    /// Keys for anchors.
    static let anchors: [String: JSONValue] = ["patternProperties": .object(["^x-": .boolean(true)])]

    /// The keys of an air, in profiles and scenarios.
    static var airKeys: [Schema.Member] {
        [
            .optional("beacons", .array(beacon(isDefault: false)), "the beacons"),
            .optional(
                "receivers", .array(receiver, 1...EntryRepetition.Limits.receivers.total),
                "the receivers on the virtual air"),
            .optional("physics", physics, "the model of the virtual air"),
            .optional("walls", .array(wall, 1...Int.max), "walls on the virtual air, with their loss"),
            .optional("floors", .array(floor, 1...BuildingParser.maximumFloors), "the floors of a building"),
            .optional("rooms", .array(room, 1...BuildingParser.maximumRooms), "the rooms on the floors"),
            .optional("map", plan, "the floor plan under the map of the page"),
            .optional(
                "power-on", .value(.choice(PowerOn.allCases.map(\.rawValue))),
                "whether the beacons were switched on together, as after a power cut (default: spread)"),
        ]
    }

    // MARK: - Beacons

    private static func copies(_ limits: EntryRepetition.Limits) -> ValueShape { .integer(1...limits.count) }
    private static let places: [Schema.Member] = ["position", "path", "track", "orbit", "grid"].map {
        .optional($0, .definition($0), "")
    }

    private static var commonKeys: [Schema.Member] {
        [
            .optional("id", .value(.name), "the name of the beacon in the profile"),
            .optional("label", .value(.label), "its name for people, which is not on the air"),
            .optional("device", .value(.choice(DeviceRegistry.names)), "what the beacon is"),
            .optional(
                "count", .value(copies(.beacons)),
                "the number of copies, 1 to 10000, in which {n} is the number of the copy"),
            .optional("pairing", pairing, "how the beacon pairs"),
            .optional("schedule", schedule, "when the beacon is on"),
        ] + places
    }

    /// An entry, or the defaults of all entries, which may belong to any kind of device.
    private static func beacon(isDefault: Bool) -> Schema {
        let kinds = DeviceRegistry.all.map { (name: $0.kind, keys: keys(of: $0)) }
        let common = commonKeys
        // Keys that kinds have in common may have different values.
        let all = merged(kinds.flatMap(\.keys)).map { Schema.Member.optional($0.key, $0.value, "") }
        let schema = Schema.object(common + all)
        // Defaults may have keys of other kinds than the usual one.
        guard !isDefault else { return schema }
        let allowed = kinds.map { kind in
            let condition: JSONValue = .object([
                "required": .array([.text("device")]),
                "properties": .object(["device": .object(["const": .text(kind.name)])]),
            ])
            let names = (common + kind.keys).map(\.name)
            let consequence: JSONValue = .object([
                "propertyNames": .object(["enum": .array(names.sorted().map { .text($0) })]),
                "properties": Schema.properties(kind.keys),
            ])
            return JSONValue.object(["if": condition, "then": consequence])
        }
        return schema.with(["required": .array([.text("id")]), "allOf": .array(allowed)])
    }

    /// The schemas of each key: one, or any of those that differ.
    private static func merged(_ keys: [Schema.Member]) -> [String: Schema] {
        Dictionary(grouping: keys, by: \.name).mapValues { keys in
            let different = keys.map { $0.schema.described($0.meaning) }
                .reduce(into: [Schema]()) { if !$0.contains($1) { $0.append($1) } }
            return different.count == 1 ? different[0] : .anyOf(different)
        }
    }

    /// The keys of a kind of device, from its settings.
    private static func keys(of kind: any ProfiledDevice.Type) -> [Schema.Member] {
        var keys: [Schema.Member] = []
        var groups: [String: [Schema.Member]] = [:]
        for setting in kind.declarations {
            guard let group = setting.group else {
                keys.append(member(setting))
                continue
            }
            groups[group, default: []].append(member(setting))
        }
        keys += groups.sorted { $0.key < $1.key }.map { .optional($0.key, .object($0.value), "") }
        if kind.kind == Beacon.kind { keys += formatKeys.filter { key in !keys.contains { $0.name == key.name } } }
        return keys
    }

    private static func member(_ setting: SettingDeclaration) -> Schema.Member {
        let fallback = setting.standard == "required" ? "required" : "default: \(setting.standard)"
        return .optional(setting.key, schema(of: setting), "\(setting.meaning) (\(fallback))")
    }

    private static func schema(of setting: SettingDeclaration) -> Schema {
        switch setting.form {
        case .value(let shape): .value(shape)
        case .quantity(let shape): GATTSchema.quantity(shape)
        case .list(let shape, let count): .array(.value(shape), count)
        case .mapping(let keys, let values): .dictionary(keys: keys, .value(values))
        case .structure:
            switch setting.key {
            case "services": .array(.definition("service"), 1...Int.max)
            case "advertise": GATTSchema.advertised
            default: telemetry
            }
        }
    }

    private static let telemetry = Schema.object([
        .optional(
            "every", .value(BeaconTelemetry.roundShape), "the number of advertisements in a round (default: 10)"),
        .optional("battery", GATTSchema.quantity(BeaconTelemetry.voltageShape), "the voltage in mV"),
        .optional("temperature", GATTSchema.quantity(BeaconTelemetry.temperatureShape), "in °C"),
    ])

    /// The keys of all formats that can be sent; which of them there are depends on `format`. They are definitions, since beacons,
    /// defaults and schedules have them.
    private static var formatKeys: [Schema.Member] {
        formatDefinitions.map { .optional(String($0.name.dropFirst(formatPrefix.count)), .definition($0.name), "") }
    }

    private static let formatPrefix = "of-format-"

    private static let formatDefinitions: [Schema.Member] = {
        func keys<Frame: TransmittableBeacon>(
            of _: Frame.Type
        ) -> [(name: String, text: String, shape: ValueShape, isList: Bool)] {
            Frame.keys.map { ($0.name, "of \(Frame.formatName): \($0.meaning)", $0.shape, $0.isList) }
        }
        let all = BeaconFormats.transmittable.flatMap { keys(of: $0) }
        return Dictionary(grouping: all, by: \.name).sorted { $0.key < $1.key }.map { name, keys in
            let shapes = keys.reduce(into: [ValueShape]()) { if !$0.contains($1.shape) { $0.append($1.shape) } }
            let text = keys.map(\.text).joined(separator: "; ")
            let value = Schema.value(shapes.count == 1 ? shapes[0] : .either(shapes))
            let others = [
                shapes.contains { $0.bounds != nil } ? Schema.definition("generator") : nil,
                keys.contains(where: \.isList) ? .array(value, 1...16) : nil,
            ].compactMap(\.self)
            return .optional(formatPrefix + name, others.isEmpty ? value : .anyOf([value] + others), text)
        }
    }()

    private static let pairing = Schema.object([
        .optional(
            "io", .value(.choice(of: PairingSettings.InputOutput.self)), "what the device has for numbers"),
        .optional("passkey", .value(.passkey), "six digits"),
        .optional("comparison", .value(.choice(of: PairingSettings.Comparison.self)), "the answer to a comparison"),
        .optional("bonding", .value(.boolean), "whether keys are saved"),
        .optional("mitm", .value(.boolean), "whether authentication is required"),
        .optional(
            "secure-connections", .value(.choice(of: PairingSettings.Requirement.self)),
            "whether LE Secure Connections are used"),
        .optional("minimum-key-size", .value(.keySize), "in bytes"),
        .optional("private-address", .value(.boolean), "whether the address changes, and bonded centrals resolve it"),
        .optional("request", .value(.boolean), "whether centrals that connect are asked to pair"),
    ])

    /// The settings that `rotate` may have, each with a list of its values.
    private static var rotatedValues: [Schema.Member] {
        let settings = DeviceRegistry.all.flatMap { $0.declarations }.map { setting -> Schema.Member in
            switch setting.form {
            case .value(let shape), .quantity(let shape): .optional(setting.key, .value(shape), "")
            case .list, .mapping, .structure: .optional(setting.key, .single, "")
            }
        }
        return merged(settings + formatKeys).filter { $0.key != "address" }.sorted { $0.key < $1.key }.map {
            .optional($0.key, .array($0.value, 1...Int.max), "its values, one after the other")
        }
    }

    private static var schedule: Schema {
        let addresses = Schema.anyOf([.value(.choice(["random"])), .array(.value(.address), 1...Int.max)])
        let rotation = Schema.object(
            [
                .required("every", .value(.duration), "the time between two values, such as 15m"),
                .optional("address", addresses, "random, or a list of addresses"),
            ] + rotatedValues)
        return .object([
            .optional(
                "between", .oneOrMore(.value(.window), 1...Schedule.maximumWindows),
                "times of the day, such as mon-fri 09:00-17:00"),
            .optional("on", .value(.duration), "the time on"),
            .optional("off", .value(.duration), "the time off, after it"),
            .optional("rotate", rotation, "what changes after a time, such as minor: [1, 2, 3]"),
        ])
    }

    // MARK: - Receivers and the air

    private static let receiver = Schema.object(
        [
            .required("id", .value(.name), "the name of the receiver"),
            .optional("label", .value(.label), "its name for people"),
            .optional(
                "hci-server", .value(.either([.server, .choice(["none"])])),
                "where its hosts find controllers: \(ServerAddress.forms); none is a receiver of the run without a server"
            ),
            .optional(
                "esphome", .value(.hostAndPort), "where a Bluetooth proxy of ESPHome's API listens: 127.0.0.1:6053"),
            .optional("phone", phone, "the phone that it receives like"),
            .optional("scan", scan, "parameters of its scan that replace the phone's"),
            .optional(
                "regions", .array(ScenarioSchema.region, 1...ListenerSettings.maximumRegions),
                "the regions that it monitors"),
            .optional("listening", .value(.boolean), "whether its app scans"),
            .optional("screen", .value(.choice(of: Screen.self)), "the state of its screen"),
            .optional("bluetooth", .value(.choice(of: PhoneBluetooth.self)), "whether its Bluetooth is on"),
            .optional(
                "permission", .value(.choice(of: PhonePermission.self)),
                "whether its user permits the app to find beacons"),
            .optional(
                "estimator", .value(.choice(of: PlaceEstimator.Kind.self)), "what estimates its place among the beacons"
            ),
            .optional("count", .value(copies(.receivers)), "the number of copies"),
        ] + ReceiverKey.all.map { .optional($0.name, .value($0.shape), $0.meaning) } + places)

    private static let phone = Schema.anyOf([
        .value(.choice(PhoneModel.names)),
        .object([
            .optional("preset", .value(.choice(PhoneModel.names)), "how it scans, and what its app reports"),
            .optional("handset", .value(.choice(Handset.names)), "whose RSSI offset it has"),
        ]),
    ])

    private static let scan = Schema.object([
        .optional("window", .value(.interval), "the receiving time in each interval, such as 30ms"),
        .optional("interval", .value(.interval), "the time from one window to the next, such as 40ms"),
        .optional("active", .value(.boolean), "whether it sends scan requests"),
    ])

    private static let wall = Schema.object(
        [
            .required("from", corner, "two numbers of metres, such as [4, 0]"),
            .required("to", corner, "two numbers of metres, such as [4, 0]"),
        ] + loss
    ).with(lossOrMaterial)

    private static let loss: [Schema.Member] = [
        .optional("loss", .value(.decibels), "the loss of a signal that passes through, such as 6dB"),
        .optional("material", .value(.material), "what it is made of, instead of a loss"),
    ]

    private static let lossOrMaterial: [String: JSONValue] = [
        "anyOf": .array(loss.map { .object(["required": .array([.text($0.name)])]) })
    ]

    private static let floor = Schema.object([
        .required("id", .value(.name), "the name of the floor"),
        .required("from", .value(.height), "the height at which it begins, such as 2.7m"),
        .optional(
            "slab", .object(loss).with(lossOrMaterial), "what is between it and the floor below; without it, nothing"),
    ])

    private static let room = Schema.object([
        .required("id", .value(.name), "the name of the room"),
        .optional("label", .value(.label), "its name for people"),
        .required("floor", .value(.name), "the id of its floor"),
        .required("outline", .array(corner, 3...BuildingParser.maximumCorners), "the corners, in order"),
        .optional("walls", .value(.wallLoss), "the material of its walls, or their loss; without it, it has none"),
        .optional("doors", .array(door, 1...BuildingParser.maximumCorners), "gaps in its walls"),
    ])

    private static let door = Schema.object([
        .required("at", corner, "the middle, on a wall of the room"),
        .required("width", .value(.width), "the width in metres, such as 0.9m"),
    ])

    private static let plan = Schema.object([
        .required("image", .text, "a PNG, JPEG or WebP in the folder of the file, such as plan.png"),
        .required("width", .value(.width), "the width of the picture in metres, such as 30m"),
        .optional("origin", corner, "the position of its lower left corner in metres; without it, [0, 0]"),
    ])

    private static let corner = Schema.array(.value(.metres), 2...2)

    private static let physics: Schema = {
        let names = Schema.value(.choice(Propagation.environments.map(\.name) + ["off"]))
        let keys = PhysicsKey.all.map { key in
            Schema.Member.optional(
                key.name, schema(of: key), key.off == .impossible ? key.meaning : "\(key.meaning), or off")
        }
        let model = Schema.object([.optional("preset", names, "the model to begin with")] + keys)
        return .anyOf([names.described("a preset"), model])
    }()

    private static func schema(of key: PhysicsKey) -> Schema {
        if key.isNumber {
            let shape = key.numbers[0].shape
            return .value(key.off == .impossible ? shape : .either([.choice(["off"]), shape]))
        }
        let numbers = Schema.object(key.numbers.map { .required($0.name, .value($0.shape), $0.meaning) })
        return .anyOf([.value(.choice(["off"])).described("without it"), numbers])
    }

    // MARK: - Definitions

    static let definitions: [Schema.Member] = {
        let position = Schema.array(.value(.metres), 2...3).described(
            "two or three numbers of metres, such as [2.5, 4]")
        let anchor = Schema.object([
            .required("lat", .value(.latitude), "the latitude of [0, 0]"),
            .required("lon", .value(.longitude), "its longitude"),
            .optional("bearing", .value(.degrees), "the direction of the second axis, in degrees from north"),
            .optional("ele", .value(.metres), "the elevation of height 0"),
        ])
        let track = Schema.object([
            .required("file", .single, "a .csv, .gpx or .geojson file beside the profile"),
            .optional("who", .value(.label), "selects the rows of a CSV file (default: the id)"),
            .optional("anchor", anchor, ""),
        ])
        let path = Schema.object([
            .required("through", .array(position, 2...Int.max), "the points"),
            .required("speed", .value(.speed), "such as 1.2m/s"),
            .optional(
                "pauses", .dictionary(keys: .integer(1...Int.max), .value(.duration)),
                "times of rest at points, by their numbers from 1"),
            .optional("repeat", .value(.boolean), "whether it starts again at its end"),
        ])
        let orbit = Schema.object([
            .required("centre", position, ""), .required("radius", .value(.radius), "in metres"),
            .required("period", .value(.duration), "the time of a round, such as 60s"),
            .optional("angle", .value(.degrees), "where it starts, in degrees"),
        ])
        let spacing = ValueShape.open(0 ... .infinity, unit: "m", excludes: .lowest)
        let grid = Schema.object([
            .required("columns", .value(.integer(1...Int.max)), "the number of copies in a row"),
            .required("spacing", .value(spacing), "the distance between two, such as 2m"),
            .optional("origin", position, ""),
        ])
        return [
            .optional("position", position, ""), .optional("path", path, "a way through points"),
            .optional(
                "track", .anyOf([.single, track]), "recorded positions: a .csv, .gpx or .geojson file"),
            .optional("orbit", orbit, "a circle"),
            .optional("grid", grid, "places the copies of an entry with a count, row after row"),
        ] + GATTSchema.definitions + formatDefinitions
    }()
}
