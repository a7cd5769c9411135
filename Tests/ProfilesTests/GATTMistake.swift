// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Mistakes that only beacons with declared services can have.
enum GATTMistake {
    /// A mistake in the keys of the beacon.
    private static func beacon(_ keys: String, field: String = "", _ message: String) -> ProfileMistake {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        return ProfileMistake(
            "profile: p\nbeacons:\n  - id: a\n    device: gatt\n" + lines,
            field: ["beacons[0]", field].filter { !$0.isEmpty }.joined(separator: "."), message)
    }

    /// A mistake in the keys of the beacon's only characteristic.
    private static func value(
        properties: String = "[read, write, notify]", _ keys: String, field: String = "", _ message: String
    ) -> ProfileMistake {
        let lines = keys.split(separator: "\n").map { "      \($0)\n" }.joined()
        return beacon(
            "services:\n- uuid: 180F\n  characteristics:\n    - uuid: 2A19\n      properties: \(properties)\n" + lines,
            field: ["services[0].characteristics[0]", field].filter { !$0.isEmpty }.joined(separator: "."), message)
    }

    /// A mistake in the source of the value. The only characteristic has the properties read and notify.
    private static func quantity(_ keys: String, field: String = "", _ message: String) -> ProfileMistake {
        value(properties: "[read, notify]", "type: uint8\n" + keys, field: field, message)
    }

    /// A mistake in several characteristics.
    private static func several(_ list: String, field: String = "", _ message: String) -> ProfileMistake {
        let lines = list.split(separator: "\n").map { "    \($0)\n" }.joined()
        return beacon("services:\n- uuid: 180F\n  characteristics:\n" + lines, field: field, message)
    }

    private static let keys =
        "name, uuid, properties, permissions, length, type, scale, decimals, clock, range, counter, drain, waveform, "
        + "random-walk, trace, value, description, presentation, descriptors, notify, stored, range-error, echo, "
        + "restarts, read-error, write-error, read-delay, write-delay, deviations"
    private static let types =
        "types are hex, text, boolean, uint8 to uint64, int8 to int64, float32, float64, sfloat and float, and a byte "
        + "order follows after a space: uint16 be"
    private static let uuidRule =
        "is not a UUID; write four hexadecimal digits, such as 180D, or all 32 as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    // MARK: - Services and characteristics

    static let structure = [
        beacon("services: ¦180F\n", field: "services", "a list of at least one service is expected here"),
        beacon("services: ¦[]\n", field: "services", "a list of at least one service is expected here"),
        beacon("services:\n- ¦180F\n", field: "services[0]", "a mapping of keys and values is expected here"),
        beacon("services:\n- ¦uuid: 180F\n", field: "services[0]", "\"characteristics\" is missing"),
        beacon(
            "services:\n- uuid: 180F\n  characteristics: ¦[]\n", field: "services[0].characteristics",
            "a list of at least one characteristic is expected here"),
        beacon(
            "services:\n- uuid: ¦180\n  characteristics: [{ uuid: 2A19, properties: [read] }]\n",
            field: "services[0].uuid",
            "\"180\" \(uuidRule)"),
        beacon(
            "services:\n- uuid: ¦1800\n  characteristics: [{ uuid: 2A00, properties: [read] }]\n",
            field: "services[0].uuid",
            "every device has the service 1800; leave it out, and write name and appearance of the beacon"),
        beacon(
            "services:\n- uuid: 180F\n  ¦primary: true\n  characteristics: [{ uuid: 2A19, properties: [read] }]\n",
            field: "services[0]", "there is no key \"primary\" here; keys are uuid, characteristics"),
        several("- ¦properties: [read]\n", field: "services[0].characteristics[0]", "\"uuid\" is missing"),
        several("- ¦uuid: 2A19\n", field: "services[0].characteristics[0]", "\"properties\" is missing"),
        several(
            "- uuid: 2A19\n  properties: ¦read\n", field: "services[0].characteristics[0].properties",
            "a list is expected here; write [read]"),
        value(
            properties: "¦[]", "", field: "properties",
            "at least one property is expected here: read, write, write-without-response, notify, indicate"),
        value(
            properties: "[read, ¦observe]", "", field: "properties[1]",
            "there is no property \"observe\"; properties are read, write, write-without-response, notify, indicate"),
        value("¦values: 5\n", "there is no key \"values\" here; did you mean \"value\"? keys are \(keys)"),
        value("name: ¦a.b\n", field: "name", "\"a.b\" has a dot, which separates names here"),
        value(
            "name: ¦major\n", field: "name",
            "\"major\" is reserved for a setting, or for true and false; write another name"
        ),
        value(
            "permissions: ¦secret\n", field: "permissions", "\"secret\" is not one of open, encrypted, authenticated"),
        value(
            "permissions: { read: open, ¦notify: open }\n", field: "permissions",
            "there is no key \"notify\" here; keys are read, write, subscribe"),
        several(
            "- { uuid: 2A19, properties: [read] }\n- { uuid: ¦2A19, properties: [read] }\n",
            field: "services[0].characteristics[1]",
            "services[0].characteristics[0] has the name \"2A19\" already; give every characteristic its own name"
        ),
        several(
            "- { name: x, uuid: 2A19, properties: [read] }\n- { name: ¦x, uuid: 2A1A, properties: [read] }\n",
            field: "services[0].characteristics[1].name",
            "services[0].characteristics[0] has the name \"x\" already; give every characteristic its own name"),
    ]

    // MARK: - Values

    static let values = [
        value("type: ¦uint7\n", field: "type", "there is no type \"uint7\"; \(types)"),
        value("type: ¦uint16 me\n", field: "type", "there is no type \"uint16 me\"; \(types)"),
        value("type: ¦text le\n", field: "type", "there is no type \"text le\"; \(types)"),
        value("value: ¦5\n", field: "value", "\"5\" has 1 hexadecimal digit; write two for each byte, such as 0a1b"),
        value("type: uint8\nvalue: ¦256\n", field: "value", "\"256\" is not a whole number from 0 to 255"),
        value("type: boolean\nvalue: ¦maybe\n", field: "value", "\"maybe\" is not one of true, false"),
        value("type: sfloat\nvalue: ¦1e300\n", field: "value", "\"1e300\" is too large for this type"),
        value(
            "type: int16\nscale: 0.01\nvalue: ¦400\n", field: "value", "\"400\" is not a number from -327.68 to 327.67"),
        value(
            "type: uint8\nscale: ¦0\n", field: "scale", "\"0\" is not a scale; write the size of one step, such as 0.01"
        ),
        value("type: text\nscale: ¦2\n", field: "scale", "only whole numbers have a scale"),
        value(
            "type: uint8\ndecimals: ¦1\n", field: "decimals",
            "only sfloat and float have decimals; write scale: 0.1 for whole numbers of tenths"),
        value("type: float\ndecimals: ¦9\n", field: "decimals", "\"9\" is not a whole number from 0 to 8"),
        value(
            "type: text\nrange: ¦[1, 2]\n", field: "range", "only numbers have a range; for text, write length"),
        value(
            "type: uint8\nrange: ¦[2, 1]\n", field: "range",
            "a range is the least and the greatest number, such as [0, 100]"),
        value("type: uint8\nrange: [¦low, 9]\n", field: "range[0]", "\"low\" is not a number; write one such as 36.6"),
        value(
            "fields: [{ name: x, type: uint8 }, ¦{ name: y, type: uint8, drain: { every: 1s } }]\n", field: "fields[1]",
            "a value that changes by itself cannot be written; leave write and write-without-response out of the properties"
        ),
        value("type: uint8\nrange: [0, 9]\nvalue: ¦10\n", field: "value", "10 is out of range: range says 0 to 9"),
        value(
            "type: uint8\nlength: ¦1\n", field: "length", "a value of this type has 1 bytes; leave length out"),
        value("length: ¦513\n", field: "length", "\"513\" is not a whole number from 0 to 512"),
        value("length: { min: 5, max: ¦4 }\n", field: "length.max", "max is less than min; exchange them"),
        value(
            "value: 010203\nlength: ¦{ max: 2 }\n", field: "length", "the value has 3 bytes, and length is 0 to 2"),
        value(
            properties: "[read]", "value: ¦01\nclock: date-time\n", field: "value",
            "clock and value exclude each other; leave one of them out"),
        value(
            properties: "[read]", "clock: ¦sundial\n", field: "clock",
            "\"sundial\" is not one of current-time, date-time, unix"),
        value(
            properties: "[read]", "clock: ¦unix\n", field: "clock",
            "the clock \"unix\" counts seconds; write a type such as uint32"),
        value(
            properties: "[read]", "clock: date-time\ntype: ¦uint32\n", field: "type",
            "the clock \"date-time\" determines the type; leave the type out"),
        value(
            "fields: ¦[]\n", field: "fields", "a list of at least one field is expected here"),
        value(
            "type: ¦uint8\nfields: [{ name: x, type: uint8 }]\n", field: "type",
            "each field has this key of its own; move it into the fields"),
        value("fields: [¦{ type: uint8 }]\n", field: "fields[0]", "\"name\" is missing"),
        value(
            "fields: [{ name: x, type: uint8 }, { name: ¦x, type: uint8 }]\n", field: "fields[1].name",
            "fields[0] has the name \"x\" already; give every field its own name"),
        value(
            "fields: [{ name: x, type: ¦text }, { name: y, type: uint8 }]\n", field: "fields[0].type",
            "only the last field can be text, whose length is not fixed"),
    ]

    // MARK: - Behaviour

    static let behaviours = [
        quantity(
            "value: ¦5\nwaveform: { shape: sine, min: 0, max: 9, period: 1s }\n", field: "value",
            "waveform and value exclude each other; leave one of them out"),
        quantity(
            "counter: { max: 9, every: 1s }\nrandom-walk: ¦{ min: 0, max: 9, step: 1, every: 1s }\n",
            field: "random-walk",
            "counter and random-walk exclude each other; leave one of them out"),
        value(
            properties: "[read]", "type: text\ncounter: ¦{ max: 9, every: 1s }\n", field: "counter",
            "counter makes numbers, which text is not; write a type such as uint8"),
        quantity(
            "waveform: { shape: ¦round, min: 0, max: 9, period: 1s }\n", field: "waveform.shape",
            "\"round\" is not one of sine, triangle, square, sawtooth"),
        quantity("waveform: ¦{ shape: sine, min: 0, max: 9 }\n", field: "waveform", "\"period\" is missing"),
        quantity(
            "waveform: { shape: sine, min: 0, max: ¦-1, period: 1s }\n", field: "waveform.max",
            "max is less than min; exchange them"),
        quantity(
            "waveform: ¦{ shape: sine, min: 0, max: 300, period: 1s }\n", field: "waveform",
            "0 to 300 is out of range: the value can be 0 to 255"),
        quantity(
            "waveform: { shape: sine, min: 0, max: 9, period: ¦9ms }\n", field: "waveform.period",
            "9ms is out of range: write 10ms to 1000h"),
        quantity(
            "waveform: { shape: sine, min: 0, max: 9, period: 1s, phase: ¦1 }\n", field: "waveform.phase",
            "\"1\" is not a part of a period from 0 up to but not 1"),
        quantity("counter: ¦{ every: 1s }\n", field: "counter", "\"max\" is missing"),
        quantity(
            "counter: { start: ¦10, max: 9, every: 1s }\n", field: "counter.start",
            "10 is not from 9 to 9, which are min and max"),
        quantity(
            "counter: { step: ¦0.5, max: 9, every: 1s }\n", field: "counter.step", "\"0.5\" is not a whole number"),
        quantity(
            "drain: { from: 9, to: ¦10, every: 1s }\n", field: "drain.to",
            "it goes down: to is at most from, and both have at most 53 bits"),
        quantity(
            "random-walk: { min: 0, max: 9, step: ¦0, every: 1s }\n", field: "random-walk.step",
            "\"0\" is not a number above 0"),
        quantity(
            "random-walk: { min: 0, max: 9, start: ¦10, step: 1, every: 1s }\n", field: "random-walk.start",
            "the start lies between min and max"),
        quantity("trace: ¦{ repeat: true }\n", field: "trace", "\"file\" is missing"),
        quantity(
            "trace: { points: ¦[[5s, 1], [5s, 2]] }\n", field: "trace.points", "the times of a trace go up, from 0s on"),
        quantity(
            "trace: { points: [[0s, 1], ¦[1s]] }\n", field: "trace.points[1]",
            "a time and a value are expected here, such as [5s, 21.5]"),
        quantity(
            "trace: { file: ¦heart.csv }\n", field: "trace.file",
            "the file \"heart.csv\" cannot be read here; write its values into the profile"),
        value(
            properties: "¦[read, write]", "type: uint8\ncounter: { max: 9, every: 1s }\n", field: "properties",
            "a value that changes by itself cannot be written; leave write and write-without-response out of the properties"
        ),
        value(properties: "[read]", "notify: ¦1s\n", field: "notify", "this needs the property notify or indicate"),
        value(
            "notify: ¦sometimes\n", field: "notify",
            "\"sometimes\" is not one of on-change, never, or a time such as 1s"),
        value("notify: ¦1ms\n", field: "notify", "1ms is out of range: write 10ms to 1000h"),
        value(properties: "[read]", "stored: ¦true\n", field: "stored", "this needs the property write"),
        value(
            properties: "[write]", "echo: ¦true\n", field: "echo",
            "\"2A19\" cannot notify what is written; give it the property notify or indicate"),
        value("echo: ¦other\n", field: "echo", "there is no characteristic \"other\"; characteristics are 2A19"),
        value(
            "restarts: [2A19, ¦2A19.beats]\n", field: "restarts[1]",
            "there is no characteristic \"2A19.beats\"; characteristics are 2A19"),
        value(
            "read-error: ¦0\n", field: "read-error",
            "\"0\" is not an error code from 0x01 to 0xFF; an application's own are 0x80 to 0x9F"),
        value(properties: "[write]", "read-error: ¦0x80\n", field: "read-error", "this needs the property read"),
        value(
            "write-error: { code: 0x80, time: ¦0 }\n", field: "write-error.time",
            "\"0\" is not a whole number from 1 to 1000000"),
        value(
            "write-error: { code: 0x80, until-written: ¦true }\n", field: "write-error.until-written",
            "this error does not end with a write; leave it out"),
        value("read-error: ¦{ time: 1 }\n", field: "read-error", "\"code\" is missing"),
        value("read-delay: ¦61s\n", field: "read-delay", "61s is out of range: write 0ms to 60s"),
        value(
            "deviations: [¦late]\n", field: "deviations[0]",
            "\"late\" is not one of no-client-configuration, notify-before-response"),
        value(
            properties: "[write]", "deviations: ¦[no-client-configuration]\n", field: "deviations",
            "this needs the property notify or indicate"),
        value(
            properties: "[notify]", "deviations: ¦[notify-before-response]\n", field: "deviations",
            "this needs the property write"),
    ]

    // MARK: - Descriptors and advertising

    static let others = [
        value(
            "descriptors: [{ uuid: ¦2902, value: 0000 }]\n", field: "descriptors[0].uuid",
            "2902 is added where the properties need it; leave it out"),
        value("descriptors: [¦{ uuid: 2901 }]\n", field: "descriptors[0]", "\"value\" is missing"),
        value(
            "presentation: { format: 4, unit: ¦percent }\n", field: "presentation.unit",
            "\"percent\" is not a whole number from 0 to 65535"),
        beacon("centrals: ¦9\n", field: "centrals", "\"9\" is not a whole number from 1 to 8"),
        beacon(
            "pdu: ¦ADV_NONCONN_IND\nservices: [{ uuid: 180F, characteristics: [{ uuid: 2A19, properties: [read] }] }]\n",
            field: "pdu",
            "ADV_NONCONN_IND accepts no connections, so the services cannot be used; write ADV_IND, or leave pdu out"),
        beacon("appearance: ¦heart\n", field: "appearance", "\"heart\" is not a whole number from 0 to 65535"),
        beacon("advertise: { services: [¦heart] }\n", field: "advertise.services[0]", "\"heart\" \(uuidRule)"),
        beacon(
            "advertise: { service-data: [{ uuid: 180F, data: ¦5 }] }\n", field: "advertise.service-data[0].data",
            "\"5\" has 1 hexadecimal digit; write two for each byte, such as 0a1b"),
        beacon(
            "advertise: { manufacturer-data: ¦{ data: 00 } }\n", field: "advertise.manufacturer-data",
            "\"company\" is missing"),
        beacon(
            "advertise: { tx-power: ¦true }\n", field: "advertise.tx-power",
            "an unknown power cannot be advertised; write tx-power: 0dBm for the beacon"),
        beacon(
            "advertise: ¦{ service-data: [{ uuid: 180F, value-of: level }] }\n", field: "advertise",
            "there is no characteristic \"level\", and no other"),
        beacon(
            "advertise: ¦{ manufacturer-data: { company: 1, data: \"" + String(repeating: "00", count: 40) + "\" } }\n",
            field: "advertise",
            "the advertisement does not fit into two PDUs of 31 bytes; write fewer services under advertise, or less data"
        ),
    ]

    // MARK: - The battery

    static let battery = [
        battery("level: ¦101\n", field: "level", "101 is out of range: the value can be 0 to 100"),
        battery(
            "level: ¦{}\n", field: "level",
            "what changes it is missing; keys are counter, drain, waveform, random-walk, trace"),
        battery("level: ¦[5]\n", field: "level", "a single value is expected here"),
        battery("book-compatible: ¦yes\n", field: "book-compatible", "\"yes\" is not one of true, false"),
        battery(
            "¦services: []\n",
            "there is no key \"services\" here; keys are \(ProfileMistake.keys(of: "battery"))"),
    ]

    private static func battery(_ keys: String, field: String = "", _ message: String) -> ProfileMistake {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        return ProfileMistake(
            "profile: p\nbeacons:\n  - id: a\n    device: battery\n" + lines,
            field: ["beacons[0]", field].filter { !$0.isEmpty }.joined(separator: "."), message)
    }
}
