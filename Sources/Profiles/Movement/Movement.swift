// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Devices
package import Space

/// Where a beacon or a receiver of a profile is, and how it moves.
package struct Movement: Hashable, Sendable {
    /// The motion, from the start of the run.
    package let motion: Motion
    /// The key that declares it: one of `keys`.
    let key: String
    /// The value of that key, as YAML in one line.
    let value: String

    /// The keys, of which a beacon or a receiver has at most one.
    static let keys = ["position", "path", "track", "orbit"]

    /// A place that does not change.
    package init(at position: Position) {
        self.init(.rest(position), "position", Self.text(position))
    }

    /// A motion that no file has, and that is not written to one.
    package init(unwritten motion: Motion) {
        self.init(motion, "path", "")
    }

    private init(_ motion: Motion, _ key: String, _ value: String) {
        self.motion = motion
        self.key = key
        self.value = value
    }

    // MARK: - Text

    private static func text(_ position: Position) -> String {
        "[\([position.x, position.y, position.z].map { number($0) }.joined(separator: ", "))]"
    }

    /// All digits of a number of at most 10,000, without an exponent.
    private static func number(_ value: Double) -> String {
        let text = "\(value)"
        let parts = text.split(separator: "e")
        // Only small numbers are printed with an exponent.
        guard parts.count == 2, let exponent = Int(parts[1]), exponent < 0 else { return text }
        let digits = parts[0].filter(\.isNumber)
        return (value < 0 ? "-" : "") + "0." + String(repeating: "0", count: -exponent - 1) + digits
    }

    /// A mapping in one line; keys without a value are left out.
    private static func mapping(_ entries: [(String, String?)]) -> String {
        let present = entries.compactMap { key, value in value.map { "\(key): \($0)" } }
        return "{ \(present.joined(separator: ", ")) }"
    }
}

extension ValueShape {
    /// The radius of an orbit in metres.
    package static let radius = ValueShape.open(0...10_000, excludes: .lowest)
    /// Degrees from the equator; at the poles there is no east.
    package static let latitude = ValueShape.number(-89...89)
    /// Degrees from the meridian of Greenwich.
    package static let longitude = ValueShape.number(-180...180)
}

// MARK: - Keys

extension Movement {
    /// Reads the one of `keys` that is given; `nil` when none is, or when it has faults.
    /// - Parameter id: the id of the beacon or receiver, which selects the rows of a track by default.
    static func read(from reader: inout ProfileReader, of id: String) -> Movement? {
        var found: Movement?
        var first: String?
        for key in keys {
            guard let node = reader.node(key) else { continue }
            if let first {
                reader.add("\(first) and \(key) exclude each other; leave one of them out", field: key, at: node.place)
                continue
            }
            first = key
            switch key {
            case "position": found = readPosition(from: &reader)
            case "path": found = reader.part(key, readPath)
            case "orbit": found = reader.part(key, readOrbit)
            default: found = readTrack(from: &reader, of: id)
            }
        }
        return found
    }

    private static let positionRule = "a position is two or three numbers of metres, such as [2.5, 4]"
    private static let longestTime = Duration.seconds(3_600_000)

    /// `position: [x, y]` or `[x, y, z]`.
    private static func readPosition(from reader: inout ProfileReader) -> Movement? {
        guard let metres = reader.values("position", example: "[2, 0]", ValueText.metres) else { return nil }
        guard 2...3 ~= metres.count else {
            reader.add(positionRule, field: "position", at: reader.place(of: "position"))
            return nil
        }
        return Movement(at: Position(x: metres[0], y: metres[1], z: metres.count == 3 ? metres[2] : 0))
    }

    /// A position within a list or a mapping.
    private static func position(
        _ node: ProfileNode, field: String, from reader: inout ProfileReader
    ) -> Position? {
        guard let parts = node.sequence, 2...3 ~= parts.count else {
            reader.add(positionRule, field: field, at: node.place)
            return nil
        }
        var metres: [Double] = []
        for part in parts {
            do throws(ValueFault) {
                guard let text = part.text else { throw ValueFault(positionRule) }
                metres.append(try ValueText.metres(text))
            } catch {
                reader.add(error.message, field: field, at: part.place)
                return nil
            }
        }
        return Position(x: metres[0], y: metres[1], z: metres.count == 3 ? metres[2] : 0)
    }

    /// `{ through: [[0, 3], [9, 3]], speed: 1.2m/s, pauses: { 2: 20s }, repeat: true }`
    private static func readPath(from reader: inout ProfileReader) -> Movement? {
        let places = readPlaces(from: &reader)
        let speed = reader.required("speed", ValueText.speed)
        let count = places?.count ?? Int.max
        let pauses: [Int: Duration]? = reader.pairs(
            "pauses",
            { text throws(ValueFault) -> Int in
                guard let number = Int(text), number >= 1, number <= count else {
                    throw ValueFault("\"\(text)\" is not the number of a point, counted from 1")
                }
                return number
            },
            { text throws(ValueFault) -> Duration in
                try ValueText.duration(text, in: .zero...longestTime, limits: "0s to 1000h")
            })
        let repeats = reader.value("repeat", ValueText.boolean) ?? false
        guard let places, let speed else { return nil }
        let stays = (pauses ?? [:]).sorted { $0.key < $1.key }
        let path = Motion.Path(
            through: places, speed: speed,
            pauses: Dictionary(stays.map { ($0.key - 1, $0.value) }, uniquingKeysWith: { $1 }), repeats: repeats)
        let pausesText = mapping(stays.map { ("\($0.key)", DeviceWriter.text($0.value)) })
        let value = mapping([
            ("through", "[\(places.map { text($0) }.joined(separator: ", "))]"), ("speed", "\(number(speed))m/s"),
            ("pauses", stays.isEmpty ? nil : pausesText), ("repeat", repeats ? "true" : nil),
        ])
        return path.map { Movement(.path($0), "path", value) }
    }

    /// The points of `through`, which is required.
    private static func readPlaces(from reader: inout ProfileReader) -> [Position]? {
        guard let node = reader.node("through") else {
            reader.add("\"through\" is missing", field: nil, at: reader.place)
            return nil
        }
        guard let list = node.sequence, list.count >= 2 else {
            reader.add(
                "a list of at least two positions is expected here, such as [[0, 3], [9, 3]]", field: "through",
                at: node.place)
            return nil
        }
        var places: [Position] = []
        for (number, entry) in list.enumerated() {
            guard let place = position(entry, field: "through[\(number)]", from: &reader) else { return nil }
            places.append(place)
        }
        return places
    }

    /// `{ centre: [5, 5], radius: 3, period: 60s, angle: 90 }`
    private static func readOrbit(from reader: inout ProfileReader) -> Movement? {
        var centre: Position?
        if let node = reader.node("centre") {
            centre = position(node, field: "centre", from: &reader)
        } else {
            reader.add("\"centre\" is missing", field: nil, at: reader.place)
        }
        let radius = reader.required("radius") { text throws(ValueFault) -> Double in
            let radius = try ValueText.metres(text)
            guard radius > 0 else { throw ValueFault("\"\(text)\" is not a number of metres above 0") }
            return radius
        }
        let period = reader.required("period") { text throws(ValueFault) -> Duration in
            try ValueText.duration(text, in: .milliseconds(100)...longestTime, limits: "100ms to 1000h")
        }
        let angle = reader.value("angle", degrees) ?? 0
        guard let centre, let radius, let period else { return nil }
        let value = mapping([
            ("centre", text(centre)), ("radius", number(radius)), ("period", DeviceWriter.text(period)),
            ("angle", angle == 0 ? nil : number(angle)),
        ])
        return Motion.Orbit(centre: centre, radius: radius, period: period, angle: angle).map {
            Movement(.orbit($0), "orbit", value)
        }
    }

    private static func degrees(_ text: String) throws(ValueFault) -> Double {
        let angle = try ValueText.number(text)
        guard -360...360 ~= angle else { throw ValueFault("\"\(text)\" is not an angle from -360 to 360 degrees") }
        return angle
    }
}

// MARK: - Tracks

extension Movement {
    /// `track: guard.csv`, or `track: { file: guard.gpx, anchor: { lat: 48.1, lon: 11.5, bearing: 30 } }`.
    private static func readTrack(from reader: inout ProfileReader, of id: String) -> Movement? {
        if reader.present("track")?.mapping != nil { return reader.part("track") { readTrack(in: &$0, of: id) } }
        let source = reader
        return reader.value("track") { text throws(ValueFault) -> Movement in
            let path = try TrackFile.path(in: text, of: nil, id: id, anchor: nil, from: source)
            return Movement(.path(path), "track", DeviceWriter.quoted(text))
        }
    }

    private static func readTrack(in part: inout ProfileReader, of id: String) -> Movement? {
        // Known from here on: messages list the keys in this order.
        let file = part.node("file")
        if file == nil { part.add("\"file\" is missing", field: nil, at: part.place) }
        let who = part.value("who", ValueText.label)
        let anchor = part.part("anchor", readAnchor)
        guard file != nil, (who != nil) == part.has("who"), (anchor != nil) == part.has("anchor") else { return nil }
        let source = part
        return part.value("file") { text throws(ValueFault) -> Movement in
            let path = try TrackFile.path(in: text, of: who, id: id, anchor: anchor, from: source)
            let name = DeviceWriter.quoted(text)
            if who == nil, anchor == nil { return Movement(.path(path), "track", name) }
            let value = mapping([
                ("file", name), ("who", who.map { DeviceWriter.quoted($0) }), ("anchor", anchor.map { anchorText($0) }),
            ])
            return Movement(.path(path), "track", value)
        }
    }

    /// `{ lat: 48.1374, lon: 11.5755, bearing: 30, ele: 519 }`
    private static func readAnchor(from reader: inout ProfileReader) -> MapAnchor? {
        let latitude = reader.required("lat") { text throws(ValueFault) -> Double in
            let latitude = try ValueText.number(text)
            // At the poles there is no east.
            guard -89...89 ~= latitude else {
                throw ValueFault("\"\(text)\" is not a latitude from -89 to 89 degrees")
            }
            return latitude
        }
        let longitude = reader.required("lon") { text throws(ValueFault) -> Double in
            let longitude = try ValueText.number(text)
            guard -180...180 ~= longitude else {
                throw ValueFault("\"\(text)\" is not a longitude from -180 to 180 degrees")
            }
            return longitude
        }
        let bearing = reader.value("bearing", degrees) ?? 0
        let elevation = reader.value("ele", ValueText.metres)
        guard let latitude, let longitude else { return nil }
        return MapAnchor(latitude: latitude, longitude: longitude, bearing: bearing, elevation: elevation)
    }

    private static func anchorText(_ anchor: MapAnchor) -> String {
        mapping([
            ("lat", number(anchor.latitude)), ("lon", number(anchor.longitude)),
            ("bearing", anchor.bearing == 0 ? nil : number(anchor.bearing)),
            ("ele", anchor.elevation.map { number($0) }),
        ])
    }
}
