// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Devices
import Emulator
import Receiving

/// The JSON Schema of profiles. The keys of devices and formats are those of their lists of settings.
enum ProfileSchema {
    static var document: JSONValue {
        var root =
            SchemaPart.mapping(
                [("profile", SchemaPart.single("the name of the profile; saved settings are kept under it"))] + airKeys
                    + [
                        ("defaults", beacon(isDefault: true)),
                        ("include", SchemaPart.oneOrMore(of: SchemaPart.single, "files whose contents are added")),
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
            ("receivers", SchemaPart.list(of: receiver, "the receivers on the virtual air")),
            ("physics", physics), ("walls", SchemaPart.list(of: wall, "walls on the virtual air, with their loss")),
        ]
    }

    // MARK: - Beacons

    private static let placeKeys = ["position", "path", "track", "orbit", "grid"]

    private static var commonKeys: [SchemaPart.Key] {
        [
            ("id", SchemaPart.single("the name of the beacon in the profile")),
            ("device", SchemaPart.choice(DeviceRegistry.names, "what the beacon is")),
            ("count", SchemaPart.single("the number of copies, 1 to 10000, in which {n} is the number of the copy")),
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
            let value = setting.group != nil || isQuantity(setting.key) ? quantityOr(setting) : value(of: setting, kind)
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

    private static func text(of setting: SettingDeclaration) -> String {
        "\(setting.meaning) (\(setting.standard == "required" ? "required" : "default: \(setting.standard)"))"
    }

    /// Whether a setting may change with the time.
    private static func isQuantity(_ key: String) -> Bool { ["level", "humidity", "pressure", "keys"].contains(key) }

    private static func quantityOr(_ setting: SettingDeclaration) -> JSONValue {
        SchemaPart.described(SchemaPart.definition("quantity"), text(of: setting))
    }

    private static func value(of setting: SettingDeclaration, _ kind: any ProfiledDevice.Type) -> JSONValue {
        let description = text(of: setting)
        switch setting.key {
        case "services" where kind.kind == GATTPeripheral.kind:
            return SchemaPart.list(of: SchemaPart.definition("service"), description)
        case "services", "ask": return SchemaPart.list(of: SchemaPart.single, description)
        case "advertise": return SchemaPart.described(GATTSchema.advertised, description)
        case "telemetry":
            let quantity = SchemaPart.definition("quantity")
            return SchemaPart.mapping(
                [
                    ("every", SchemaPart.single("the number of advertisements in a round (default: 10)")),
                    ("battery", SchemaPart.described(quantity, "the voltage in mV")),
                    ("temperature", SchemaPart.described(quantity, "in °C")),
                ], description)
        case "format": return SchemaPart.choice(BeaconFormats.transmittable.map { $0.formatName }, description)
        case "pdu": return SchemaPart.choice(AdvertisingPDU.allCases.map(\.rawValue), description)
        default: return SchemaPart.single(description)
        }
    }

    /// The keys of all formats that can be sent; which of them there are depends on `format`.
    private static var formatKeys: [SchemaPart.Key] {
        func keys<Frame: TransmittableBeacon>(of _: Frame.Type) -> [(name: String, text: String)] {
            Frame.keys.map { ($0.name, "of \(Frame.formatName): \($0.meaning)") }
        }
        var texts: [String: [String]] = [:]
        for key in BeaconFormats.transmittable.flatMap({ keys(of: $0) }) {
            texts[key.name, default: []].append(key.text)
        }
        return texts.sorted { $0.key < $1.key }.map { ($0.key, SchemaPart.single($0.value.joined(separator: "; "))) }
    }

    private static let pairing = SchemaPart.mapping(
        [
            ("io", SchemaPart.single("none, display, keyboard and so on: what the device has for numbers")),
            ("passkey", SchemaPart.single("six digits")),
            ("comparison", SchemaPart.single("the answer to a comparison")),
            ("bonding", SchemaPart.boolean("whether keys are saved")),
            ("mitm", SchemaPart.boolean("whether authentication is required")),
            ("secure-connections", SchemaPart.single("preferred, required or off")),
            ("minimum-key-size", SchemaPart.single("7 to 16 bytes")),
            ("private-address", SchemaPart.boolean("whether the address changes, and bonded centrals resolve it")),
            ("request", SchemaPart.boolean("whether centrals that connect are asked to pair")),
        ], "how the beacon pairs")

    private static var schedule: JSONValue {
        let settings = Set(DeviceRegistry.all.flatMap { $0.declarations }.filter { $0.group == nil }.map(\.key))
            .union(DeviceRegistry.commonSettings.map(\.key)).union(formatKeys.map(\.name)).subtracting(["address"])
        let lists = settings.sorted().map {
            ($0, SchemaPart.list(of: SchemaPart.single, "its values, one after the other"))
        }
        let rotation = SchemaPart.mapping(
            [
                ("every", SchemaPart.single("the time between two values, such as 15m")),
                ("address", SchemaPart.oneOrMore(of: SchemaPart.single, "random, or a list of addresses")),
            ] + lists, required: ["every"], "what changes after a time, such as minor: [1, 2, 3]")
        return SchemaPart.mapping(
            [
                (
                    "between",
                    SchemaPart.oneOrMore(of: SchemaPart.single, "times of the day, such as mon-fri 09:00-17:00")
                ),
                ("on", SchemaPart.single("the time on")), ("off", SchemaPart.single("the time off, after it")),
                ("rotate", rotation),
            ], "when the beacon is on")
    }

    // MARK: - Receivers and the air

    private static let receiver = SchemaPart.mapping(
        [
            ("id", SchemaPart.single("the name of the receiver")),
            (
                "hci-server",
                SchemaPart.single("where its hosts find controllers: \(ServerAddress.forms)")
            ),
            ("esphome", SchemaPart.single("where a Bluetooth proxy of ESPHome's API listens: 127.0.0.1:6053")),
            ("phone", SchemaPart.choice(PhoneModel.names, "the phone that it receives like")),
            (
                "scan",
                SchemaPart.mapping(
                    [
                        ("window", SchemaPart.single("the receiving time in each interval, such as 30ms")),
                        ("interval", SchemaPart.single("the time from one window to the next, such as 40ms")),
                        ("active", SchemaPart.boolean("whether it sends scan requests")),
                    ], "its scan, instead of that of the phone")
            ),
            ("regions", SchemaPart.list(of: ScenarioSchema.region, "the regions that it monitors")),
            ("listening", SchemaPart.boolean("whether its app scans")),
            ("screen", SchemaPart.choice(Screen.allCases.map(\.rawValue), "the state of its screen")),
            ("count", SchemaPart.single("the number of copies")),
        ] + placeKeys.map { ($0, SchemaPart.definition($0)) }, required: ["id"])

    private static let wall = SchemaPart.mapping(
        [
            ("from", SchemaPart.definition("position")), ("to", SchemaPart.definition("position")),
            ("loss", SchemaPart.single("the loss of a signal that passes through, such as 6dB")),
        ], required: ["from", "to", "loss"])

    private static let physics: JSONValue = {
        let names = Propagation.environments.map(\.name) + ["off"]
        func part(_ keys: [SchemaPart.Key], _ required: [String], _ description: String) -> JSONValue {
            let off = SchemaPart.choice(["off"], "without it")
            return SchemaPart.described(
                SchemaPart.any([off, SchemaPart.mapping(keys, required: required)]), description)
        }
        let model = SchemaPart.mapping([
            ("preset", SchemaPart.choice(names, "the model to begin with")),
            ("exponent", SchemaPart.single("the path-loss exponent, 0 to 10")),
            (
                "shadowing",
                part(
                    [("sigma", SchemaPart.single("in dB")), ("distance", SchemaPart.single("in metres"))],
                    ["sigma", "distance"], "slow variation of the RSSI with the place")
            ),
            ("fading", part([("k", SchemaPart.single("a ratio"))], ["k"], "Rice fading with the factor k")),
            ("fast", SchemaPart.single("the deviation from packet to packet in dB, or off")),
            ("sensitivity", SchemaPart.single("the weakest signal that is received, such as -95dBm, or off")),
            ("capture", SchemaPart.single("how much stronger a packet must be to survive a collision, in dB, or off")),
            ("body", SchemaPart.single("the loss of the receiver's body, in dB, or off")),
        ])
        return SchemaPart.described(
            SchemaPart.any([SchemaPart.choice(names, "a preset"), model]), "the model of the virtual air")
    }()

    // MARK: - Definitions

    static var definitions: [SchemaPart.Key] { places + GATTSchema.definitions }

    private static let places: [SchemaPart.Key] = {
        let position = SchemaPart.list(of: SchemaPart.single, "two or three numbers of metres, such as [2.5, 4]")
        let anchor = SchemaPart.mapping(
            [
                ("lat", SchemaPart.single("the latitude of [0, 0]")), ("lon", SchemaPart.single("its longitude")),
                ("bearing", SchemaPart.single("the direction of the second axis, in degrees from north")),
                ("ele", SchemaPart.single("the elevation of height 0")),
            ], required: ["lat", "lon"])
        let track = SchemaPart.mapping(
            [
                ("file", SchemaPart.single("a .csv, .gpx or .geojson file beside the profile")),
                ("who", SchemaPart.single("selects the rows of a CSV file (default: those of the id)")),
                ("anchor", anchor),
            ], required: ["file"])
        let pauses: JSONValue = .object([
            "type": .text("object"), "propertyNames": .object(["pattern": .text("^[0-9]+$")]),
            "additionalProperties": SchemaPart.single,
            "description": .text("times of rest at points, by their numbers from 1"),
        ])
        return [
            ("position", position),
            (
                "path",
                SchemaPart.mapping(
                    [
                        ("through", SchemaPart.list(of: position, "the points")),
                        ("speed", SchemaPart.single("such as 1.2m/s")), ("pauses", pauses),
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
                        ("centre", position), ("radius", SchemaPart.single("in metres")),
                        ("period", SchemaPart.single("the time of a round, such as 60s")),
                        ("angle", SchemaPart.single("where it starts, in degrees")),
                    ], required: ["centre", "radius", "period"], "a circle")
            ),
            (
                "grid",
                SchemaPart.mapping(
                    [
                        ("columns", SchemaPart.single("the number of copies in a row")),
                        ("spacing", SchemaPart.single("the distance between two, such as 2m")), ("origin", position),
                    ], required: ["columns", "spacing"], "places the copies of an entry with a count, row after row")
            ),
        ]
    }()
}
