// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

extension SweepSpec {
    /// Reads a spec.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    ///   - sources: the files and environment variables that it may refer to; by default none.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(
        parsing text: String, file: String, sources: ProfileSources = ProfileSources()
    ) throws(ProfileFaults) {
        // The places of values show the file, because they are read again among the values of the scenario.
        let root = try ProfileExpansion.root(
            of: YAMLText(text, file: file, included: IncludedFile(path: file, folder: "")), in: file, sources,
            kind: .sweep, example: "docs/sweeps.md")
        var reader = ProfileReader(root, file: file, path: "")
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let name = reader.required("sweep", example: "rooms, a name for these runs", ValueText.name)
        let scenario = reader.required("scenario", example: "house.yaml, the file of a scenario", Self.path)
        let seeds = reader.required("seeds", example: "1..200", SeedList.init)
        let estimator = reader.value("estimator", EstimatorChoice.init)
        let isZipped = reader.value("zip", ValueText.boolean) ?? false
        let factors = Self.factors(from: &reader)
        let combinations = Self.combinations(of: factors, isZipped: isZipped, &reader)
        let baselines = Self.baselines(of: combinations, factors, isZipped: isZipped, &reader)
        if let seeds, seeds.seeds.count * combinations.count > Self.maximumRuns {
            reader.add(
                "these are \(ValueText.grouped(seeds.seeds.count * combinations.count)) runs, and at most "
                    + "\(ValueText.grouped(Self.maximumRuns)) are possible; write fewer seeds or values",
                field: "seeds", at: reader.place(of: "seeds"))
        }
        let place = reader.place(of: "scenario") ?? TextPlace(line: 0, column: 0)
        let faults = reader.finish()
        guard faults.isEmpty, let name, let scenario, let seeds else { throw ProfileFaults(faults) }
        let variants = combinations.map { combination in
            let levels = zip(factors, combination).map { $0.levels[$1] }
            let texts = zip(factors, levels).map { "\($0.name)=\($1.name)" }
            return Variant(
                name: texts.isEmpty ? Self.plain : texts.joined(separator: " "), overrides: levels.flatMap(\.overrides))
        }
        self.init(
            name: name, scenario: scenario, scenarioPlace: place, seeds: seeds, estimator: estimator,
            variants: variants,
            baselines: baselines)
    }

    private static func path(_ text: String) throws(ValueFault) -> String {
        guard !text.isEmpty else { throw ValueFault("the path of a scenario is expected here") }
        return text
    }

    // MARK: - Factors

    private static func factors(from reader: inout ProfileReader) -> [SweepFactor] {
        guard let node = reader.node("variants") else { return [] }
        guard let mapping = node.mapping, !mapping.pairs.isEmpty else {
            reader.add(
                "a mapping of at least one factor is expected here, such as "
                    + "{ interval: { beacons.*.interval: [100ms, 1s] } }",
                field: "variants", at: node.place)
            return []
        }
        return mapping.pairs.compactMap { key, value in
            let field = "variants.\(key.text ?? "?")"
            do throws(ValueFault) {
                let name = try ValueText.name(key.text ?? "")
                return factor(named: name, value, at: key.place, field, &reader)
            } catch {
                reader.add(error.message, field: field, at: key.place)
                return nil
            }
        }
    }

    private static func factor(
        named name: String, _ node: ProfileNode, at place: TextPlace, _ field: String, _ reader: inout ProfileReader
    ) -> SweepFactor? {
        guard let paths = node.mapping, !paths.pairs.isEmpty else {
            reader.add(
                "a mapping of paths to lists of values is expected here, such as { beacons.*.interval: [100ms, 1s] }",
                field: field, at: node.place)
            return nil
        }
        var columns: [[NodeOverride]] = []
        for (key, value) in paths.pairs {
            let text = key.text ?? ""
            let path = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
            guard path.allSatisfy({ !$0.isEmpty }) else {
                reader.add(
                    "\"\(text)\" is not a path; write keys and ids with dots between them, such as "
                        + "beacons.door.interval",
                    field: field, at: key.place)
                continue
            }
            guard path != ["seed"] else {
                reader.add("the seeds of the runs are those of seeds", field: "\(field).seed", at: key.place)
                continue
            }
            guard let values = value.sequence, !values.isEmpty else {
                let example = value.text.map { "; write [\($0)]" } ?? ", such as [100ms, 1s]"
                reader.add("a list of values is expected here\(example)", field: "\(field).\(text)", at: value.place)
                continue
            }
            columns.append(values.map { NodeOverride(path: path, place: key.place, value: $0) })
        }
        guard columns.count == paths.pairs.count, let count = columns.first?.count else { return nil }
        if let other = columns.first(where: { $0.count != count }) {
            reader.add(
                "the paths of a factor change together: \(other[0].text) has \(other.count) values, and "
                    + "\(columns[0][0].text) "
                    + "\(count); write as many, or another factor",
                field: field, at: other[0].place)
            return nil
        }
        let levels = (0..<count).map { number in
            let overrides = columns.map { $0[number] }
            return SweepFactor.Level(
                name: overrides.map { SweepFactor.text(of: $0.value) }.joined(separator: "/"), overrides: overrides)
        }
        var known: Set<String> = []
        for level in levels where !known.insert(level.name).inserted {
            reader.add(
                "the value \(level.name) is there twice; leave one out", field: field,
                at: level.overrides[0].value.place)
        }
        return SweepFactor(name: name, levels: levels, place: place)
    }

    /// The numbers of the factors' values, for each variant.
    private static func combinations(
        of factors: [SweepFactor], isZipped: Bool, _ reader: inout ProfileReader
    ) -> [[Int]] {
        guard let first = factors.first else { return [[]] }
        if isZipped {
            let count = first.levels.count
            guard let other = factors.first(where: { $0.levels.count != count }) else {
                return (0..<count).map { number in factors.map { _ in number } }
            }
            reader.add(
                "with zip: true all factors have as many values: \(other.name) has \(other.levels.count), and "
                    + "\(first.name) "
                    + "\(count)", field: "variants.\(other.name)", at: other.place)
            return []
        }
        var count = 1
        for factor in factors {
            count *= factor.levels.count
            guard count <= maximumVariants else {
                reader.add(
                    "at most \(ValueText.grouped(maximumVariants)) variants are possible; write fewer values, or "
                        + "zip: true",
                    field: "variants", at: reader.place(of: "variants"))
                return []
            }
        }
        return factors.reduce([[]]) { combinations, factor in
            combinations.flatMap { combination in factor.levels.indices.map { combination + [$0] } }
        }
    }

    // MARK: - Baseline

    /// The baseline of each variant: the variant in which the factors that `baseline` names have its values, and the
    /// others are the same.
    private static func baselines(
        of combinations: [[Int]], _ factors: [SweepFactor], isZipped: Bool, _ reader: inout ProfileReader
    ) -> [Int?] {
        let fixed = fixedLevels(of: combinations, factors, &reader)
        guard combinations.count > 1, !fixed.isEmpty else { return combinations.map { _ in nil } }
        let numbers = Dictionary(combinations.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        if isZipped {
            // Factors change together, so that one value determines the others.
            let chosen = combinations.firstIndex { combination in
                fixed.allSatisfy { combination[$0.key] == $0.value }
            }
            guard let chosen else {
                reader.add(
                    "no variant has all of these values", field: "baseline", at: reader.place(of: "baseline"))
                return []
            }
            return combinations.indices.map { $0 == chosen ? nil : chosen }
        }
        return combinations.enumerated().map { number, combination in
            var other = combination
            for (factor, level) in fixed { other[factor] = level }
            let found = numbers[other]
            return found == number ? nil : found
        }
    }

    /// The values of factors, by the numbers of the factors, that make a variant a baseline; by default, the first
    /// values of all.
    private static func fixedLevels(
        of combinations: [[Int]], _ factors: [SweepFactor], _ reader: inout ProfileReader
    ) -> [Int: Int] {
        let all = Dictionary(uniqueKeysWithValues: factors.indices.map { ($0, 0) })
        guard let node = reader.node("baseline") else { return all }
        guard !factors.isEmpty, !combinations.isEmpty else {
            if !reader.has("variants") {
                reader.add(
                    "there is nothing to compare without variants; leave baseline out", field: "baseline",
                    at: node.place)
            }
            return [:]
        }
        if let text = node.text {
            let names = combinations.map { combination in
                zip(factors, combination).map { "\($0.name)=\($0.levels[$1].name)" }.joined(separator: " ")
            }
            guard let number = names.firstIndex(of: text) else {
                reader.add(
                    Spelling.unknown("there is no variant \"\(text)\"", text, "variants", things: names),
                    field: "baseline",
                    at: node.place)
                return [:]
            }
            return Dictionary(uniqueKeysWithValues: combinations[number].enumerated().map { ($0, $1) })
        }
        guard let mapping = node.mapping, !mapping.pairs.isEmpty else {
            reader.add(
                "the name of a variant, or values of factors, are expected here, such as { interval: 100ms }",
                field: "baseline", at: node.place)
            return [:]
        }
        var fixed: [Int: Int] = [:]
        for (key, value) in mapping.pairs {
            let name = key.text ?? ""
            guard let factor = factors.firstIndex(where: { $0.name == name }) else {
                reader.add(
                    Spelling.unknown("there is no factor \"\(name)\"", name, "factors", factors.map(\.name)),
                    field: "baseline", at: key.place)
                continue
            }
            let text = SweepFactor.text(of: value)
            guard let level = factors[factor].levels.firstIndex(where: { $0.name == text }) else {
                reader.add(
                    Spelling.unknown(
                        "\(name) has no value \(text)", text, "values", things: factors[factor].levels.map(\.name)),
                    field: "baseline.\(name)", at: value.place)
                continue
            }
            fixed[factor] = level
        }
        return fixed
    }
}
