// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Emulator
import Foundation
import JSON
import Testing

@testable import BeaconryTools
@testable import Profiles

/// The JSON Schemas and the parsers accept the same values.
///
/// The documents have each key of the schemas. Each value of a document is exchanged for the values that its schema names: the
/// members of closed sets, the bounds of numbers and of counts and one beyond them, and values of other types.
struct SchemaAgreementTests {
    /// What the parser knows and the schema does not: rules about several keys, names of other entries, files, and bounds of texts
    /// with a unit. Paths of keys; a `*` stands for any.
    private static let parserOnly: [(path: String, reason: String)] = [
        ("beacons", "other keys name them"),
        ("beacons.temperature", "the range of a format"),
        ("beacons.button", "the range of a format"),
        ("beacons.humidity", "the range of a format"),
        ("beacons.illuminance", "the range of a format"),
        ("beacons.motion", "the range of a format"),
        ("beacons.voltage", "the range of a format"),
        ("beacons.window", "the range of a format"),
        ("rooms.floor", "another key names it"), ("rooms.doors.at", "the walls of the room"),
        ("rooms.doors.width", "the length of the wall"),
        ("receivers.phone", "regions of namespaces"),
        ("receivers.phone.*", "the system of a handset"),
        ("beacons.bind-key", "digits that look like a number"),
        ("beacons.bind-key-file", "the file"),
        ("receivers.regions.namespace", "digits that look like a number"),
        ("receivers.regions.instance", "digits that look like a number"),
        ("beacons.track*", "the file, and the distance of its points from the anchor"),
        ("beacons.grid.origin", "the places of all copies"),
        ("beacons.scan-response", "digits that look like a number"),
        ("beacons.namespace", "digits that look like a number"),
        ("beacons.instance", "digits that look like a number"),
        ("beacons.id1", "digits that look like a number"),
        ("beacons.device", "the other keys belong to a kind of device"),
        ("beacons.format", "the other keys belong to a format"),
        ("beacons.pdu", "a PDU type without scan responses, or for connections"),
        ("beacons.services", "several services of 16 bytes do not fit"),
        ("beacons.advertising-data", "the structures fit together"),
        ("beacons.acceleration.*", "the range of a firmware"),
        ("*.uuid", "declared once, and not one of those that are added"),
        ("*.fields.*", "the format, the type and the range of a field belong together"),
        ("*.value", "a value of a type"),
        ("*.clock", "the type belongs to the clock"),
        ("*.scale", "not 0, and whole numbers only"),
        ("*.length*", "the length of the value"),
        ("*.properties", "other keys need properties"),
        ("*.restarts", "the name of a characteristic"),
        ("*.until-written", "time and until-written exclude each other, and reads only"),
        ("*.min", "the order of min, start and max"),
        ("*.max", "the order of min, start and max"),
        ("*.start", "the order of min, start and max"),
        ("*.from", "the order of from and to"),
        ("*.to", "the order of from and to"),
        ("*.points*", "the times go up, and a number"),
        ("*.file", "a file"),
        ("map.image", "the file"),
        ("*.pairing.*", "the rules of one pairing"),
        ("*.advertise.*", "what fits into a PDU"),
        ("expect.*", "the names in the profile, and the order of times"),
        ("timeline.*", "the names in the profile, and the order of times"),
        ("*.id", "each once"),
        ("receivers.count", "1,000 receivers in all entries"),
        ("regions.*", "a minor number needs a major number"),
    ]

    // Each is composed of hundreds of parts.
    private static let profileSchema = ProfileSchema.document
    private static let scenarioSchema = ScenarioSchema.document

    @Test func schemasAgreeWithTheirParsers() throws {
        var different: Set<String> = []
        for documents in Documents.formats {
            var tried: Set<String> = []
            for document in documents {
                // A key has the shapes of all formats that have it, and the parser that of one.
                _ = try check(document, against: Self.profileSchema, permissive: "beacons.", tried: &tried) {
                    text throws(ProfileFaults) in
                    _ = try Profile(parsing: text, file: "test.yaml", sources: Documents.sources)
                }
            }
        }
        for document in Documents.profiles {
            var tried: Set<String> = []
            different.formUnion(
                try check(document, against: Self.profileSchema, tried: &tried) { text throws(ProfileFaults) in
                    _ = try Profile(parsing: text, file: "test.yaml", sources: Documents.sources)
                })
        }
        for document in Documents.scenarios {
            var tried: Set<String> = []
            different.formUnion(
                try check(document, against: Self.scenarioSchema, tried: &tried) { text throws(ProfileFaults) in
                    _ = try Scenario(parsing: text, file: "test.yaml", sources: Documents.sources) {
                        _ throws(ProfileFaults) in
                        throw ProfileFaults([])
                    }
                })
        }
        #expect(different == Set(Self.parserOnly.map(\.path)), "each exception is needed")
    }

    /// A key that is added to a schema needs a value in a document below.
    @Test func documentsHaveEachKey() throws {
        let ofProfiles = SchemaReader(Self.profileSchema).allKeys()
        let kinds: [(JSONValue, [String], Set<String>)] = [
            (Self.profileSchema, Documents.formats.flatMap { $0 } + Documents.profiles, []),
            (Self.scenarioSchema, Documents.scenarios, ofProfiles),
        ]
        for (schema, documents, known) in kinds {
            let schema = SchemaReader(schema)
            var present: Set<String> = []
            for document in documents {
                let value = try Documents.value(document)
                present.formUnion(schema.places(in: value).map { Self.common($0.path) })
            }
            let missing = Set(schema.allKeys().subtracting(known).map { Self.common($0) }).subtracting(present)
            #expect(missing.isEmpty, "no document has \(missing.sorted())")
        }
    }

    /// Each key whose value is a text for people reports the rest of it that YAML takes for a comment, and no other key does: each single
    /// value of the documents is exchanged for a text with and without quotes.
    @Test func eachTextThatACommentCutsIsReported() throws {
        var reported: Set<String> = []
        for document in Documents.formats.flatMap({ $0 }) + Documents.profiles + Documents.texts + Documents.scenarios {
            let isScenario = document.hasPrefix("scenario:")
            func cutTexts(_ value: JSONValue, _ changed: (String) -> String = { $0 }) -> [CutText]? {
                let text = changed(JSONLine.encode(value))
                guard isScenario else {
                    return try? Profile(parsing: text, file: "test.yaml", sources: Documents.sources).cutTexts
                }
                return try? Scenario(parsing: text, file: "test.yaml", sources: Documents.sources) {
                    _ throws(ProfileFaults) in throw ProfileFaults([])
                }.cutTexts
            }
            let base = try Documents.value(document)
            #expect(cutTexts(base)?.isEmpty == true)
            let schema = SchemaReader(isScenario ? Self.scenarioSchema : Self.profileSchema)
            for place in schema.places(in: base) where place.value.string != nil {
                let cut = cutTexts(base.replacing(place.steps, by: .text("CUT"))) { text in
                    text.replacing("\"CUT\"", with: " Word #4\n")
                }
                // Most values are no words.
                guard let cut else { continue }
                let key = place.path.split(separator: ".").last.map { String($0) } ?? ""
                let isID = ["id", "profile", "scenario"].contains(key)
                let isText = isID || cutTexts(base.replacing(place.steps, by: .text("Word #4"))) != nil
                #expect(cut.count == (isText ? 1 : 0), "\(place.path)")
                if isText { reported.insert(key) }
            }
        }
        #expect(reported == Self.textKeys)
    }

    /// The keys of texts for people, and of ids.
    private static let textKeys: Set = [
        "id", "profile", "scenario", "name", "device-name", "label", "description", "hello", "goodbye", "value", "text",
    ]

    /// The path from the last key that is alike wherever it is: a generator, or a place of a beacon or a receiver.
    private static func common(_ path: String) -> String {
        let alike = ["counter", "drain", "waveform", "random-walk", "trace"] + Movement.keys + ["grid"]
        let keys = path.split(separator: ".").map(String.init)
        guard let index = keys.lastIndex(where: alike.contains) else { return path }
        return keys[index...].joined(separator: ".")
    }

    /// Compares schema and parser.
    /// - Parameters:
    ///   - permissive: the beginning of the paths where the schema may accept what the parser does not; `nil` for none.
    ///   - tried: the values of paths that need no other attempt; they become more.
    /// - Returns: The paths of `parserOnly` that a difference needs.
    private func check(
        _ document: String, against schema: JSONValue, permissive: String? = nil, tried: inout Set<String>,
        parse: (String) throws(ProfileFaults) -> Void
    ) throws -> Set<String> {
        let schema = SchemaReader(schema)
        let base = try Documents.value(document)
        func faults(_ value: JSONValue) -> String? {
            do throws(ProfileFaults) {
                try parse(JSONLine.encode(value))
                return nil
            } catch {
                return error.faults.first?.message ?? "none"
            }
        }
        try #require(faults(base) == nil, "\(document): \(faults(base) ?? "")")
        try #require(schema.isValid(base))
        var different: Set<String> = []
        var smaller: [ArraySlice<Step>: (document: JSONValue, index: Int)] = [:]
        for place in schema.places(in: base) {
            // Beacons and characteristics are read without their neighbours, where they may be.
            var (document, steps) = (base, place.steps)
            for (position, step) in zip(place.steps.indices, place.steps).dropFirst() {
                guard case .index(let index) = step, case .key(let key) = place.steps[position - 1],
                    ["beacons", "characteristics"].contains(key)
                else { continue }
                let element = place.steps[...position]
                if smaller[element] == nil {
                    let single = document.keepingOnly(index, ofListAt: steps[..<position])
                    let isRead = schema.isValid(single) && faults(single) == nil
                    smaller[element] = isRead ? (single, 0) : (document, index)
                }
                if let found = smaller[element] {
                    document = found.document
                    steps[position] = .index(found.index)
                }
            }
            for candidate in schema.candidates(at: place)
            where tried.insert("\(place.path) \(candidate)").inserted {
                let changed = document.replacing(steps, by: candidate)
                let (isValid, fault) = (schema.isValid(changed), faults(changed))
                guard isValid != (fault == nil) else { continue }
                if isValid, let permissive, place.path.hasPrefix(permissive) { continue }
                let exceptions = isValid ? Self.parserOnly.map(\.path).filter { Self.matches(place.path, $0) } : []
                different.formUnion(exceptions)
                #expect(
                    !exceptions.isEmpty,
                    "\(place.path): \(JSONLine.encode(candidate)): schema \(isValid), parser: \(fault ?? "accepts it")")
            }
        }
        #expect(tried.count > (permissive == nil ? 50 : 10))
        return different
    }

    private static func matches(_ path: String, _ pattern: String) -> Bool {
        let expression = pattern.split(separator: "*", omittingEmptySubsequences: false)
            .map { NSRegularExpression.escapedPattern(for: String($0)) }.joined(separator: ".*")
        return path.range(of: "^\(expression)$", options: .regularExpression) != nil
    }
}

// MARK: - Documents

private enum Documents {
    /// Files that documents name.
    static let sources = ProfileSources(
        files: { name throws(ValueFault) in
            switch name {
            case "walk.csv": "t,who,x,y\n0,a,0,0\n5,a,1,1\n"
            case "walk.gpx":
                """
                <gpx><trk><trkseg>
                <trkpt lat="48.1" lon="11.5"><ele>500</ele><time>2026-01-01T00:00:00Z</time></trkpt>
                <trkpt lat="48.1001" lon="11.5"><ele>500</ele><time>2026-01-01T00:00:10Z</time></trkpt>
                </trkseg></trk></gpx>
                """
            case "trace.csv": "0,1\n5,2\n"
            case "key.txt": "231d39c1d7cc1ab1aee224cd096db932\n"
            default: throw ValueFault("there is no file \(name)")
            }
        },
        pictures: { name throws(ValueFault) in
            guard name == "plan.png" else { throw ValueFault("there is no file \(name)") }
            let size: [UInt8] = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 3, 0, 0, 0, 2]
            return try Picture([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + size, named: name)
        })

    /// The value of a YAML text, whose single values are texts.
    static func value(_ text: String) throws -> JSONValue {
        value(try YAMLText(text, file: "test.yaml").root(of: "a profile", example: ""))
    }

    private static func value(_ node: ProfileNode) -> JSONValue {
        switch node.content {
        case .scalar(let text): .text(text)
        case .sequence(let parts): .array(parts.map { value($0) })
        case .mapping(let mapping):
            .object(Dictionary(uniqueKeysWithValues: mapping.pairs.map { ($0.key.text ?? "", value($0.value)) }))
        }
    }

    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    /// For each format, each of its keys beside the required ones, in a document of its own.
    static let formats = BeaconFormats.transmittable.map { documents(of: $0) }

    private static func documents<Frame: TransmittableBeacon>(of _: Frame.Type) -> [String] {
        var required: [String] = []
        var optional: [String] = []
        for key in Frame.keys {
            if let example = Frame.example.first(where: { $0.key == key.name })?.value, key.isRequired {
                required.append("\(key.name): \"\(example)\"")
            } else {
                optional.append("\(key.name): \"\(text(of: key.shape))\"")
            }
        }
        return (optional.isEmpty ? [""] : optional).map { key in
            let keys =
                ["id: b", "device: beacon", "format: \(Frame.formatName)"] + required + [key].filter { !$0.isEmpty }
            return "profile: formats\nbeacons:\n  - { \(keys.joined(separator: ", ")) }\n"
        }
    }

    /// A text of a shape.
    private static func text(of shape: ValueShape) -> String {
        switch shape {
        case .boolean: "true"
        case .number(let range, _) where !range.contains(1): "\(range.lowerBound)"
        case .either(let shapes): shapes.first.map { text(of: $0) } ?? ""
        case .pattern(let pattern, _):
            pattern.hasPrefix("[0-9]+ ")
                ? "1 3" : pattern.hasPrefix("[0-9]+(") ? pattern.hasSuffix("{3,3}") ? "4.2.1.0" : "6.1.0" : "02"
        default: "1"
        }
    }

    static let profiles = [
        """
        profile: air
        physics:
          preset: office
          exponent: 2
          clutter: 0.5dB
          shadowing: { sigma: 3dB, distance: 1m }
          open-space: { exponent: 1.5, sigma: 2dB }
          fading: { k: 2 }
          fast: 1dB
          antenna: 2dB
          sensitivity: -95dBm
          capture: 6dB
          interference: { channel-37: 20%, channel-38: 5%, channel-39: 0%, burst: 2ms, level: -60dBm }
          body: 3dB
          hand: 2dB
        walls: [{ from: [0, 0], to: [1, 1], loss: 6dB }, { from: [0, 0], to: [1, 1], material: glass }]
        floors: [{ id: ground, from: 0m }, { id: upper, from: 2.6m, slab: { material: concrete } }, { id: roof, from: 5, slab: { loss: 9dB } }]
        rooms:
          - { id: a, label: "Küche", floor: ground, outline: [[0, 0], [4, 0], [4, 3]], walls: brick, doors: [{ at: [4, 1], width: 0.9m }] }
          - { id: b, floor: upper, outline: [[0, 0], [4, 0], [4, 3]], walls: 8dB }
        map: { image: plan.png, width: 30m, origin: [0, 1] }
        power-on: together
        beacons: [{ id: a, device: ibeacon, ibeacon: { uuid: \(uuid) } }]
        """,
        """
        profile: beacons
        beacons:
          - id: a
            label: "Löwe"
            device: ibeacon
            count: 2
            grid: { columns: 2, spacing: 2m, origin: [0, 0] }
            ibeacon: { uuid: \(uuid), major: 1, minor: 2, measured-power: -59 }
            interval: 100ms
            tx-power: 0dBm
            name: a
            flags: 0x06
            pdu: ADV_IND
            pairing:
              io: display
              passkey: 123456
              comparison: ask
              bonding: true
              mitm: true
              secure-connections: preferred
              minimum-key-size: 7
              private-address: false
              request: true
            schedule: { between: [mon-fri 09:00-17:00], on: 10s, off: 50s }
          - id: b
            device: ibeacon
            ibeacon: { uuid: \(uuid) }
            services: [\(uuid)]
            address: C0:FF:EE:00:00:01
            path: { through: [[0, 3], [9, 3]], speed: 1.2m/s, pauses: { 2: 20s }, repeat: true }
            schedule: { between: 09:00-17:00, rotate: { every: 15m, minor: [1, 2], address: random } }
          - id: c
            device: ibeacon
            ibeacon: { uuid: \(uuid) }
            schedule: { rotate: { every: 15m, address: [C0:FF:EE:00:00:01] } }
            orbit: { centre: [1, 1], radius: 2, period: 10s, angle: 90 }
          - id: d
            device: ibeacon
            ibeacon: { uuid: \(uuid) }
            track: { file: walk.csv, who: a }
          - id: e
            device: ibeacon
            ibeacon: { uuid: \(uuid) }
            track: { file: walk.gpx, anchor: { lat: 48.1, lon: 11.5, bearing: 30, ele: 500 } }
        """,
        """
        profile: receivers
        beacons: [{ id: a, device: ibeacon, ibeacon: { uuid: \(uuid) } }]
        receivers:
          - { id: r, position: [1, 2, 3], phone: android-13-balanced, listening: true, screen: on,
              scan: { window: 30ms, interval: 40ms, active: true },
              regions: [{ id: x, uuid: \(uuid), major: 1, minor: 2, exit-after: 30s, notify-on-display: true }, { id: y, namespace: 8b0ca750e7a7f6e3b0c2, instance: 0123456789ab, exit-after: 30s }] }
          - { id: s, label: "Löwe", hci-server: "tcp:127.0.0.1:6403" }
          - { id: t, esphome: "127.0.0.1:6053" }
          - { id: v, phone: { preset: android-9-low-power, handset: pixel-4 }, bluetooth: on, permission: granted, estimator: nearest,
              rssi-offset: -7dB, sensitivity: -90dBm, fast: 2dB, antenna: isotropic, carried: hand, heading: 90 }
          - { id: u, count: 2 }
        """,
        """
        profile: formats
        beacons:
          - { id: a, device: beacon, format: altbeacon, id1: \(uuid), id2: 1, id3: 2, measured-power: -59,
              company: 0x0118, reserved: 1 }
          - { id: b, device: beacon, format: eddystone-uid, namespace: 8b0ca750e7a7f6e3b0c2, instance: 0123456789ab,
              power-at-0m: -20, telemetry: { every: 10, battery: 3000, temperature: 21.5 } }
          - { id: c, device: beacon, format: eddystone-url, url: https://example.com/a, power-at-0m: -20 }
          - { id: kk, device: beacon, format: bthome, address: C0:FF:EE:00:00:01, bind-key: 231d39c1d7cc1ab1aee224cd096db932 }
          - { id: kf, device: beacon, format: bthome, address: C0:FF:EE:00:00:01, bind-key-file: key.txt }
          - { id: d, device: beacon, format: eddystone-tlm, battery-millivolts: 3000, temperature: 21.5,
              advertisements: 1, uptime-tenths: 2 }
          - { id: e, device: beacon, format: ibeacon, uuid: \(uuid), major: 1, minor: 2, measured-power: -59 }
          - { id: f, device: raw, advertising-data: 0201060303aafe, scan-response: 0303aafe, pdu: ADV_IND }
          - { id: g, device: beacon, format: bthome, packet-id: 1, battery: 50, temperature: 21.5, illuminance: 10, voltage: 3 }
          - { id: g2, device: beacon, format: bthome, motion: true, window: false, button: 1, humidity: 50, trigger: true }
          - { id: g3, device: beacon, format: bthome, device-type: 1 }
          - { id: h, device: battery, level: 50, name: b, book-compatible: false, presentation: true }
          - { id: i, device: iot-design-shop, ibeacon: { uuid: \(uuid), major: 1, minor: 2, measured-power: -59 },
              name: c, interval: 100ms, tx-power: 0dBm, on-bad-interval: clamp, advertise-while-connected: true,
              measured-power-by-tx-power: { 0dBm: -59, -6dBm: -65 } }
          - { id: j, device: ancs-accessory, ask: [app, title 11], app-names: true, name: d }
          - { id: k, device: sensortag, firmware: 1.4, temperature: { object: 20, ambient: 21 },
              acceleration: { x: 0, y: 0, z: 1 }, magnetism: { x: 0, y: 0, z: 1 }, rotation: { x: 0, y: 0, z: 1 },
              humidity: 45, pressure: 1000, keys: left, advertising: always, image-service: true }
        """,
        """
        profile: peripheral
        beacons:
          - id: device
            device: gatt
            centrals: 2
            appearance: 0x0341
            name: p
            services:
              - uuid: 180A
                characteristics:
                  - uuid: 2A29
                    name: maker
                    properties: [read, write, notify]
                    permissions: { read: open, write: encrypted, subscribe: authenticated }
                    type: hex
                    value: "00"
                    length: { min: 0, max: 20 }
                    description: words
                    presentation: { format: 4, exponent: -2, unit: 0x272F, namespace: 1, description: 0 }
                    descriptors: [{ uuid: 2906, type: hex, value: "00", permissions: open }]
                    notify: on-change
                    stored: true
                    range-error: 0x80
                    echo: maker
                    restarts: [maker]
                    read-error: { code: 0x80, time: 1 }
                    write-error: 0x80
                    read-delay: 10ms
                    write-delay: 10ms
                    deviations: [no-client-configuration, notify-before-response]
                  - { uuid: 2A2A, properties: [read], permissions: open, type: uint8, value: 1, scale: 1, range: [0, 100] }
                  - { uuid: 2A2B, properties: [read], type: sfloat, decimals: 1 }
                  - { uuid: 2A2C, properties: [read], clock: current-time }
                  - { uuid: 2A2D, properties: [read], fields: [{ name: f, type: uint8, value: 1, scale: 1, range: [0, 9] }] }
                  - { uuid: 2A35, properties: [read], fields: [{ name: f, type: sfloat, decimals: 1 }, { name: g, clock: date-time }] }
                  - { uuid: 2A36, properties: [write], write-error: { code: 1, time: 1 } }
                  - { uuid: 2A37, properties: [write], write-error: { code: 1, until-written: false } }
                  - { uuid: 2A2E, properties: [read], type: uint32,
                      counter: { start: 0, step: 1, every: 1s, wrap: true, min: 0, max: 10 } }
                  - { uuid: 2A2F, properties: [read], type: uint8, drain: { from: 100, to: 0, every: 1s } }
                  - { uuid: 2A30, properties: [read], type: uint8,
                      waveform: { shape: sine, min: 0, max: 10, period: 10s, phase: 0, every: 1s } }
                  - { uuid: 2A31, properties: [read], type: uint8,
                      random-walk: { seed: 1, start: 1, step: 1, every: 1s, min: 0, max: 10 } }
                  - { uuid: 2A32, properties: [read], type: uint8, trace: { points: [[0s, 1], [5s, 2]], repeat: true } }
                  - { uuid: 2A33, properties: [read], type: uint8, trace: { file: trace.csv } }
                  - { uuid: 2A34, properties: [read, write], length: 4, value: "00000000", read-error: { code: 1, until-written: true } }
            advertise:
              services: [180A]
              solicited-services: [180D]
              service-data: [{ uuid: 180A, data: 0a }, { uuid: 180D, value-of: maker }]
              tx-power: false
          - id: other
            device: gatt
            advertise: { manufacturer-data: { company: 0x0131, data: 0a0b } }
          - id: third
            device: gatt
            services: [{ uuid: 180A, characteristics: [{ uuid: 2A29, name: n, properties: [read], value: "00" }] }]
            advertise: { manufacturer-data: { company: 0x0131, value-of: n } }
        """,
    ]

    /// Further values that are texts.
    static let texts = [
        """
        profile: texts
        beacons:
          - id: device
            device: gatt
            services:
              - uuid: 180A
                characteristics:
                  - { uuid: 2A29, properties: [read], type: text, value: words }
                  - { uuid: 2A24, properties: [read], fields: [{ name: a, type: text, value: words }] }
        """
    ]

    static let scenarios = [
        """
        scenario: test
        seed: 1
        duration: 60s
        beacons: [{ id: b, device: battery }, { id: c, device: ibeacon, ibeacon: { uuid: \(uuid) } }]
        receivers: [{ id: r }]
        regions:
          - { id: shop, uuid: \(uuid), major: 1, minor: 2, exit-after: 30s, notify-on-display: true, hello: hi, goodbye: bye, at-most-once-per: 10m }
          - { id: mall, namespace: 8b0ca750e7a7f6e3b0c2, instance: 0123456789ab, exit-after: 30s, hello: hi, goodbye: bye, at-most-once-per: 10m }
        timeline:
          - { at: 10s, do: off c }
          - { every: 5s, until: 20s, do: [mute c, unmute c] }
        expect:
          - { receiver: r, enters: shop, by: 10s, count: 0 }
          - { receiver: r, exits: shop, within: 5s, after: 10s }
          - { receiver: r, hello: shop, between: [10s, 20s] }
          - { receiver: r, goodbye: shop, by: 10s, require: 95% }
          - { receiver: r, sees: c, by: 10s }
          - { receiver: r, does-not-see: c, by: 10s }
          - { receiver: r, nearest: c, by: 10s, for: 3s }
          - { receiver: r, proximity: c, is: [near, far], by: 10s }
          - { receiver: r, proximity: c, is: near, at: 10s }
          - { receiver: r, distance: c, metres: 1, tolerance: 1, by: 10s }
          - { receiver: r, rssi: c, dbm: [-70, -55], by: 10s }
          - { receiver: r, reports: c, count: [9, 11] }
          - { receiver: r, reports: c, count: 10+ }
          - { receiver: r, connected: b, by: 10s, never: true }
          - { receiver: r, value: b, characteristic: 2A19, hex: 0a, by: 10s }
          - { on-air: c, at: 10s }
          - { off-air: c, at: 10s }
          - { beacon: c, strongest: r, at: 10s }
          - { receiver: r, room-error: ..10%, between: [0s, 60s] }
          - { receiver: r, median-error: ..2m, by: 60s }
        """
    ]
}

extension JSONValue {
    /// A document with one element of a list.
    fileprivate func keepingOnly(_ index: Int, ofListAt steps: ArraySlice<Step>) -> JSONValue {
        let list = steps.reduce(Optional(self)) { value, step in
            switch step {
            case .key(let key): value?.members?[key]
            case .index(let index): value?.elements?[index]
            }
        }
        return replacing(steps, by: .array([list?.elements?[index] ?? .null]))
    }

    /// The value with another one at a path of keys and indices.
    fileprivate func replacing(_ steps: ArraySlice<Step>, by value: JSONValue) -> JSONValue {
        guard let step = steps.first else { return value }
        switch (self, step) {
        case (.object(var members), .key(let key)):
            members[key] = members[key]?.replacing(steps.dropFirst(), by: value)
            return .object(members)
        case (.array(var elements), .index(let index)):
            elements[index] = elements[index].replacing(steps.dropFirst(), by: value)
            return .array(elements)
        default: return self
        }
    }
}

private enum Step: Hashable {
    case key(String)
    case index(Int)
}

/// A value in a document.
private struct Place {
    let steps: ArraySlice<Step>
    /// The keys, without indices.
    let path: String
    let value: JSONValue
    /// The schemas that apply to it.
    let schemas: [JSONValue]
}

// MARK: - JSON Schema

/// What the schemas use of JSON Schema, draft 7. A keyword that is not listed stops the test.
private final class SchemaReader {
    private let root: JSONValue
    private var expressions: [String: NSRegularExpression] = [:]

    init(_ root: JSONValue) { self.root = root }

    private func resolved(_ schema: JSONValue) -> [String: JSONValue] {
        let members = schema.members ?? [:]
        guard let name = members["$ref"]?.string?.replacing("#/definitions/", with: "") else { return members }
        return root.members?["definitions"]?.members?[name]?.members ?? [:]
    }

    func isValid(_ value: JSONValue) -> Bool { isValid(value, root) }

    private func isValid(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        if case .boolean(let accepts) = schema { return accepts }
        let members = resolved(schema)
        return members.allSatisfy { word, rule in accepts(value, word, rule, members) }
    }

    private func accepts(_ value: JSONValue, _ word: String, _ rule: JSONValue, _ schema: [String: JSONValue]) -> Bool {
        let number = rule.double ?? 0
        switch word {
        case "$schema", "title", "description", "definitions", "then", "patternProperties", "$ref": return true
        case "type": return (rule.elements ?? [rule]).contains { isOf(value, $0.string ?? "") }
        case "enum": return rule.elements?.contains(value) ?? false
        case "const": return value == rule
        case "pattern": return value.string.map { matches($0, rule.string ?? "") } ?? true
        case "minLength": return value.string.map { Double($0.unicodeScalars.count) >= number } ?? true
        case "maxLength": return value.string.map { Double($0.unicodeScalars.count) <= number } ?? true
        case "minimum": return value.double.map { $0 >= number } ?? true
        case "maximum": return value.double.map { $0 <= number } ?? true
        case "exclusiveMinimum": return value.double.map { $0 > number } ?? true
        case "exclusiveMaximum": return value.double.map { $0 < number } ?? true
        case "minProperties": return value.members.map { Double($0.count) >= number } ?? true
        case "maxProperties": return value.members.map { Double($0.count) <= number } ?? true
        case "minItems": return value.elements.map { Double($0.count) >= number } ?? true
        case "maxItems": return value.elements.map { Double($0.count) <= number } ?? true
        case "anyOf": return rule.elements?.contains { isValid(value, $0) } ?? false
        case "allOf": return rule.elements?.allSatisfy { isValid(value, $0) } ?? false
        case "if": return !isValid(value, rule) || schema["then"].map { isValid(value, $0) } ?? true
        case "items": return value.elements?.allSatisfy { isValid($0, rule) } ?? true
        case "required":
            return value.members.map { members in rule.elements?.allSatisfy { members[$0.string ?? ""] != nil } ?? true
            } ?? true
        case "propertyNames": return value.members?.keys.allSatisfy { isValid(.text($0), rule) } ?? true
        case "properties":
            return value.members?.allSatisfy { key, part in rule.members?[key].map { isValid(part, $0) } ?? true }
                ?? true
        case "additionalProperties":
            return value.members?.allSatisfy { key, part in
                schema["properties"]?.members?[key] != nil || schema["patternProperties"] != nil && key.hasPrefix("x-")
                    || isValid(part, rule)
            } ?? true
        default: preconditionFailure("the keyword \(word) is not known here")
        }
    }

    private func isOf(_ value: JSONValue, _ type: String) -> Bool {
        switch value {
        case .null: type == "null"
        case .boolean: type == "boolean"
        case .number(let number): type == "number" || type == "integer" && number == number.rounded()
        case .text: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        let expression: NSRegularExpression
        if let known = expressions[pattern] {
            expression = known
        } else {
            guard let made = try? NSRegularExpression(pattern: pattern) else { preconditionFailure("\(pattern)") }
            expressions[pattern] = made
            expression = made
        }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    // MARK: - Places

    /// The schemas that apply to a value, each without `anyOf`, `allOf` and conditions.
    private func parts(of schema: JSONValue, for value: JSONValue?) -> [[String: JSONValue]] {
        let members = resolved(schema)
        var found = [members]
        for word in ["anyOf", "allOf"] {
            found += (members[word]?.elements ?? []).flatMap { parts(of: $0, for: value) }
        }
        if let condition = members["if"], let consequence = members["then"],
            value.map({ isValid($0, condition) }) ?? true
        {
            found += parts(of: consequence, for: value)
        }
        return found
    }

    /// All values of a document, the values of lists and mappings included.
    func places(in document: JSONValue) -> [Place] { places(of: document, [root], [], []) }

    private func places(of value: JSONValue, _ schemas: [JSONValue], _ steps: [Step], _ keys: [String]) -> [Place] {
        let parts = schemas.flatMap { self.parts(of: $0, for: value) }
        var found = [
            Place(
                steps: steps[...], path: keys.joined(separator: "."), value: value, schemas: parts.map { .object($0) })
        ]
        for (key, member) in value.members ?? [:] {
            let specific = parts.filter { $0["propertyNames"] != nil }.compactMap { $0["properties"]?.members?[key] }
            var inner = specific.isEmpty ? parts.compactMap { $0["properties"]?.members?[key] } : specific
            if inner.isEmpty { inner = parts.compactMap { $0["additionalProperties"] }.filter { $0.members != nil } }
            found += places(of: member, inner, steps + [.key(key)], keys + [key])
        }
        for (index, element) in (value.elements ?? []).enumerated() {
            found += places(of: element, parts.compactMap { $0["items"] }, steps + [.index(index)], keys)
        }
        return found
    }

    /// Values for a place: those that its schemas name, one beyond each bound, and values of other types.
    func candidates(at place: Place) -> [JSONValue] {
        guard !place.steps.isEmpty else { return [] }
        var found: [JSONValue] = []
        for schema in place.schemas.compactMap(\.members) {
            found += schema["enum"]?.elements ?? []
            let isWhole = schema["type"]?.elements?.contains(.text("integer")) ?? false
            for (word, sign) in [
                ("minimum", -1.0), ("maximum", 1.0), ("exclusiveMinimum", -1.0), ("exclusiveMaximum", 1.0),
            ] {
                guard let bound = schema[word]?.double else { continue }
                let step = isWhole ? 1 : max(0.001, abs(bound) * 1e-6)
                found += [.number(bound), .number(bound + sign * step), .number(bound - sign * step)]
            }
            if schema["minLength"] != nil, let most = schema["maxLength"]?.double {
                found += [0, 1, Int(most), Int(most) + 1].map { .text(String(repeating: "a", count: $0)) }
            }
            if let elements = place.value.elements, let first = elements.first {
                if schema["minItems"] != nil { found.append(.array(Array(elements.dropLast()))) }
                if let most = schema["maxItems"]?.double.map({ Int($0) }), most < 1000 {
                    found.append(.array(elements + Array(repeating: first, count: most + 1 - elements.count)))
                }
            }
        }
        switch place.value {
        case .text: found += [.array([]), .object([:]), .boolean(true), .number(-7.5), .text("?")]
        case .array: found += [.text("?"), .object([:]), .array([])]
        case .object: found += [.text("?"), .array([])]
        default: break
        }
        return found
    }

    // MARK: - Keys

    /// The paths of all keys of the schema, but of the settings that may rotate.
    func allKeys() -> Set<String> {
        var found: Set<String> = []
        collect(root, "", into: &found)
        return found.filter { path in
            (!path.contains(".rotate.") || path.hasSuffix(".rotate.every") || path.hasSuffix(".rotate.address"))
                && !path.hasPrefix("defaults") && path != "include" && path != "profile"
        }
    }

    private func collect(_ schema: JSONValue, _ path: String, into found: inout Set<String>) {
        for part in parts(of: schema, for: nil) {
            for (key, value) in part["properties"]?.members ?? [:] {
                let inner = path.isEmpty ? key : "\(path).\(key)"
                guard inner.split(separator: ".").count < 9, found.insert(inner).inserted else { continue }
                collect(value, inner, into: &found)
            }
            if let items = part["items"] { collect(items, path, into: &found) }
        }
    }
}
