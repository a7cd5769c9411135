// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The name of a column: which key it could be, and the unit in it.
struct ColumnName: Hashable, Sendable {
    /// A key that the name means.
    struct Meaning: Hashable, Sendable {
        let key: ListKey
        /// Where the name is in the names of the key: the first are preferred.
        let rank: Int
        /// The unit in the name, such as `cm`; `nil` if it has none.
        let unit: String?
        /// Whether the values decide if it is that key.
        var isUncertain = false
    }

    let text: String
    /// The words of the name, without the part of a unit.
    private let words: [String]
    /// The unit in the name, whatever its key is; `nil` for none.
    let unit: String?

    /// Words in front of a name that say whose it is.
    private static let owners: Set = [
        "list", "ibeacon", "beacon", "beacons", "ble", "bluetooth", "eddystone", "altbeacon", "properties",
        "attributes", "fields", "data", "config",
        "configuration", "settings", "advertising", "advertisement", "identity", "identifiers", "tag", "device",
        "sensor",
    ]
    /// Words in front of the name of a coordinate.
    private static let places: Set = [
        "position", "location", "coordinates", "coords", "pos", "point", "geometry", "geo", "gps", "map",
    ]

    init(_ text: String) {
        self.text = text
        let words = Self.words(text)
        let last = words.last ?? ""
        let mark = text.hasSuffix("\"") || text.hasSuffix("″") ? "in" : nil
        if let mark {
            (self.words, unit) = (words, mark)
        } else if words.count > 1, ListUnit.isUnit(last) {
            let rest = words.dropLast()
            // x in cm, but x in is in inches.
            (self.words, unit) = (Array(rest.count > 1 && rest.last == "in" ? rest.dropLast() : rest), last)
        } else {
            (self.words, unit) = (words, nil)
        }
    }

    /// The words of a name, in which iBeacon and dBm are one.
    private static func words(_ text: String) -> [String] {
        let words = ListWords.words(text)
        if words.starts(with: ["i", "beacon"]) { return ["ibeacon"] + words.dropFirst(2) }
        return words.suffix(2) == ["d", "bm"] ? words.dropLast(2) + ["dbm"] : words
    }

    /// The name in small letters and digits.
    var plain: String { ListWords.words(text).joined() }

    /// The keys that the name means, the best first.
    var meanings: [Meaning] {
        if ["#", "№", "Nº", "N°"].contains(text) { return [Meaning(key: .number, rank: 0, unit: nil)] }
        for (name, unit) in candidates {
            guard let found = Self.known[name] else { continue }
            return found.map { Meaning(key: $0.key, rank: $0.rank, unit: unit, isUncertain: $0.isUncertain) }
        }
        return []
    }

    /// What each name means. What the values decide comes first: a location is a position, or else a label.
    private static let known: [String: [Meaning]] = {
        var known: [String: [Meaning]] = [:]
        for key in ListKey.all {
            for (rank, name) in key.uncertain.enumerated() {
                let meaning = Meaning(key: key, rank: key.columns.count + rank, unit: nil, isUncertain: true)
                known[name, default: []].append(meaning)
            }
        }
        for key in ListKey.all {
            for (rank, name) in key.columns.enumerated() {
                known[name, default: []].append(Meaning(key: key, rank: rank, unit: nil))
            }
        }
        return known
    }()

    /// Whether it is the name of a key of a format.
    func isName(of key: String) -> Bool {
        let plain = ListWords.words(key).joined()
        return candidates.contains { $0.name == plain }
    }

    /// The forms of the name that may be known, and the unit that is not part of them.
    private var candidates: [(name: String, unit: String?)] {
        let all = Self.words(text)
        var forms: [(name: String, unit: String?)] = [(all.joined(), nil), (words.joined(), unit)]
        // What is in brackets may be an explanation: Name (German).
        let short = Self.words(text.replacing(/[\(\[].*?[\)\]]/, with: ""))
        if short != all { forms.append((short.joined(), unit)) }
        for (part, unit) in [(all, nil), (words, unit), (short, unit)] {
            var rest = part[...]
            while rest.count > 1, let first = rest.first, Self.owners.contains(first) {
                rest = rest.dropFirst()
                forms.append((rest.joined(), unit))
            }
            if rest.count == 2, let first = rest.first, Self.places.contains(first), let last = rest.last,
                [
                    "x", "y", "z", "lat", "lng", "lon", "long", "latitude", "longitude", "height", "altitude",
                    "elevation",
                ].contains(last)
            {
                forms.append((last, unit))
            }
        }
        return forms.filter { !$0.name.isEmpty }
    }

    /// Why it is not taken, if profiles have no key for it.
    var reason: String? {
        candidates.lazy.compactMap { ListKey.reasons[$0.name] }.first
    }
}
