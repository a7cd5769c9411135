// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import JSON
import Profiles

/// The first line of the results of a sweep: what all its runs are.
struct SweepHeader: Hashable, Sendable {
    /// The identity: a hash of the version of the program and of all files.
    let sweep: String
    let name: String
    let version: String
    /// The seeds as they are written.
    let seeds: String
    /// The names of the variants.
    let variants: [String]
    /// For each variant, the number of its baseline; `nil` for one that is a baseline itself.
    let baselines: [Int?]

    init(_ spec: SweepSpec, identity: String, version: String) {
        sweep = identity
        name = spec.name
        self.version = version
        seeds = spec.seeds.text
        variants = spec.variants.map(\.name)
        baselines = spec.baselines
    }

    /// The header of a line; `nil` if it is none.
    init?(_ line: JSONNode) {
        guard let sweep = line["sweep"]?.scalar?.string, let name = line["name"]?.scalar?.string,
            let version = line["version"]?.scalar?.string, let seeds = line["seeds"]?.scalar?.string,
            let variants = line["variants"]?.elements, let baselines = line["baselines"]?.elements
        else { return nil }
        self.sweep = sweep
        self.name = name
        self.version = version
        self.seeds = seeds
        self.variants = variants.compactMap(\.scalar?.string)
        self.baselines = baselines.map { $0.scalar?.wholeNumber }
        guard self.variants.count == variants.count, baselines.count == variants.count,
            self.baselines.allSatisfy({ $0.map(variants.indices.contains) ?? true })
        else { return nil }
    }

    private struct Record: Encodable {
        let v = 1
        let sweep, name, version, seeds: String
        let variants: [String]
        let baselines: [Int?]
    }

    /// The line, without its end.
    var line: String {
        JSONLine.encode(
            Record(
                sweep: sweep, name: name, version: version, seeds: seeds, variants: variants, baselines: baselines))
    }
}

/// The result of a run: a line.
struct SweepLine {
    let sweep, variant: String
    let seed: UInt64
    let figures: [(name: String, value: Double?)]
    let passed: Bool

    init(sweep: String, variant: String, seed: UInt64, _ figures: RunFigures, passed: Bool) {
        self.sweep = sweep
        self.variant = variant
        self.seed = seed
        self.figures = figures.values
        self.passed = passed
    }

    /// The result of a line; `nil` if it is none.
    init?(_ line: JSONNode) {
        guard let sweep = line["sweep"]?.scalar?.string, let variant = line["variant"]?.scalar?.string,
            let seed = line["seed"]?.scalar?.setting.flatMap({ UInt64($0) }),
            let figures = line["figures"]?.members, case .boolean(let passed)? = line["passed"]?.scalar
        else { return nil }
        self.sweep = sweep
        self.variant = variant
        self.seed = seed
        self.passed = passed
        var values: [(name: String, value: Double?)] = []
        for (name, value) in figures {
            switch value.scalar {
            case .number(let number): values.append((name, number))
            case .null: values.append((name, nil))
            default: return nil
            }
        }
        self.figures = values
    }

    /// The line, without its end. Not by an encoder, which would sort the figures.
    var text: String {
        let members = figures.map { name, value in
            "\(JSONLine.encode(name)):\(value.map { JSONLine.encode($0.isFinite ? $0 : nil) } ?? "null")"
        }
        // A seed may be larger than the numbers that all readers of JSON have exactly.
        let number = seed <= UInt64(JSONValue.largestInteger) ? "\(seed)" : "\"\(seed)\""
        return
            "{\"v\":1,\"sweep\":\(JSONLine.encode(sweep)),\"variant\":\(JSONLine.encode(variant)),\"seed\":\(number),"
            + "\"passed\":\(passed),\"figures\":{\(members.joined(separator: ","))}}"
    }
}
