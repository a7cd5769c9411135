// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Devices
import Receiving
import Space

extension Scenario {
    /// Reads a scenario.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    ///   - sources: the files and environment variables that the scenario may refer to; by default none.
    ///   - overrides: values that replace values of the file; by default none.
    ///   - needsExpectations: whether `expect` is required.
    ///   - load: reads the profile with a path that is relative to the scenario's folder.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(
        parsing text: String, file: String, sources: ProfileSources = ProfileSources(),
        overrides: NodeOverrides? = nil, needsExpectations: Bool = true,
        load: (String) throws(ProfileFaults) -> Profile
    ) throws(ProfileFaults) {
        let contents = ReadContents()
        let expanded = try ProfileExpansion.root(
            of: YAMLText(text, file: file), in: file, sources, kind: .scenario, example: "scenarios/",
            noting: contents)
        let root = overrides?.applied(to: expanded, of: file, as: .scenario) ?? expanded
        var reader = ProfileReader(root, file: file, path: "", files: sources.files, contents: contents)
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let name = reader.required("scenario", ValueText.name)
        let profile = try Self.profile(from: &reader, name: name ?? "scenario", sources.pictures, load)
        let seed = reader.value("seed", Self.seed)
        let regions = reader.parts("regions", of: "region", RegionList.Entry.init(from:)) ?? []
        reader.addDuplicates(in: "regions", regions, key: "id", name: \.identifier) { earlier, id in
            "\(earlier) has the id \"\(id)\" already; give every region its own id"
        }
        let limit = reader.value("duration") { text throws(ValueFault) in
            try ValueText.duration(text, in: .milliseconds(1)...ScenarioScope.longest, limits: "1ms to 1000h")
        }
        let scope = ScenarioScope(
            beacons: profile?.beacons.map(\.id) ?? [], receivers: profile?.receivers.map(\.id) ?? [],
            regions: regions.compactMap(\.self), limit: limit, isComplete: profile != nil)
        let steps = TimelineParser(scope: scope).steps(from: &reader)
        let expectations = ExpectationParser(scope: scope).expectations(from: &reader)
        if needsExpectations, expectations.isEmpty, !reader.has("expect") {
            reader.add("\"expect\" is missing; write what is expected", field: nil, at: reader.place)
        }
        let faults = reader.finish()
        guard faults.isEmpty, let name, let profile else { throw ProfileFaults(Profile.distinct(faults)) }
        let end = max(steps.map(\.time).max() ?? .zero, expectations.map(\.time.end).max() ?? .zero)
        self.init(
            name: name, file: file, profile: profile, receivers: profile.receivers,
            regions: regions.compactMap(\.self), seed: seed ?? 1, duration: limit ?? end, steps: steps,
            expectations: expectations, cutTexts: contents.cutTexts + profile.cutTexts)
    }

    /// Whether a text is a scenario, not a profile.
    package static func isScenario(_ text: String) -> Bool {
        guard let root = try? YAMLText(text, file: "").root(of: "", example: "") else { return false }
        return FileKind(ProfileReader(root, file: "", path: "")) == .scenario
    }

    /// The profile: from a file, or from the keys of a profile in the scenario. Receivers, walls, floors, rooms and physics of the
    /// scenario are added to the contents of the file.
    private static func profile(
        from reader: inout ProfileReader, name: String, _ pictures: PictureReader,
        _ load: (String) throws(ProfileFaults) -> Profile
    ) throws(ProfileFaults) -> Profile? {
        var base: Profile?
        if reader.has("profile") {
            if reader.has("beacons") {
                reader.add(
                    "profile and beacons exclude each other; leave one of them out", field: "beacons",
                    at: reader.place(of: "beacons"))
            }
            _ = reader.node("beacons")
            let path = reader.value("profile") { text throws(ValueFault) -> String in
                guard !text.isEmpty else { throw ValueFault("the path of a profile is expected here") }
                return text
            }
            if let path {
                do throws(ProfileFaults) {
                    base = try load(path)
                } catch {
                    reader.add(error.faults)
                }
            }
        }
        let building = reader.has("profile") ? base.map { $0.surroundings.building ?? Building() } : Building()
        let parts = Profile.parts(from: &reader, needsBeacons: !reader.has("profile"), pictures, over: building)
        guard let base else {
            return reader.has("profile")
                ? nil
                : Profile(
                    name: name, beacons: parts.beacons, receivers: parts.receivers, surroundings: parts.surroundings)
        }
        for receiver in parts.receivers where base.beacons.contains(where: { $0.id == receiver.id }) {
            reader.add(
                "the profile has a beacon \"\(receiver.id)\"; give every receiver its own id", field: "receivers",
                at: reader.place(of: "receivers"))
        }
        let added = Set(parts.receivers.map(\.id))
        var profile = Profile(
            name: base.name, beacons: base.beacons,
            receivers: base.receivers.filter { !added.contains($0.id) } + parts.receivers,
            surroundings: base.surroundings.with(parts.surroundings))
        profile.cutTexts = base.cutTexts
        return profile
    }

    private static func seed(_ text: String) throws(ValueFault) -> UInt64 {
        guard let seed = UInt64(text) else {
            throw ValueFault("\"\(text)\" is not a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }
}

/// What the timeline and the expectations of a scenario may refer to.
struct ScenarioScope {
    static let longest = Duration.seconds(3_600_000)

    let beacons: [String]
    let receivers: [String]
    let regions: [RegionList.Entry]
    /// The duration of the scenario; `nil` for the latest time in it.
    let limit: Duration?
    /// Whether the profile was read, so that names are known.
    let isComplete: Bool

    /// A time within the duration.
    func time(_ text: String) throws(ValueFault) -> Duration {
        let time = try ValueText.duration(text, in: .zero...Self.longest, limits: "0s to 1000h")
        if let limit, time > limit {
            throw ValueFault("\(text) is after the end of the scenario; write a longer duration, or leave duration out")
        }
        return time
    }

    /// A name, which is one of these.
    func known(_ id: String, among names: [String], _ kind: String) throws(ValueFault) -> String {
        guard isComplete, !names.contains(id) else { return id }
        throw ValueFault(ScenarioNames.unknown(id, kind, names))
    }
}

/// Reads the timeline of a scenario.
struct TimelineParser {
    /// The limit of the number of changes, `every` included.
    private static let maximumSteps = 100_000

    let scope: ScenarioScope

    func steps(from reader: inout ProfileReader) -> [ScenarioStep] {
        let parts = reader.parts("timeline", of: "change") { step(&$0) } ?? []
        let steps = parts.compactMap(\.self).flatMap(\.self)
        if steps.count > Self.maximumSteps {
            reader.add(
                "these are \(steps.count) changes, and at most \(Self.maximumSteps) are possible; write a longer every",
                field: "timeline", at: reader.place(of: "timeline"))
        }
        let ordered = steps.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        return ordered.map(\.element)
    }

    private func step(_ reader: inout ProfileReader) -> [ScenarioStep]? {
        let at = reader.value("at", scope.time)
        let every = reader.value("every", ValueText.step)
        let until = reader.value("until", scope.time)
        let actions = actions(from: &reader)
        if !reader.has("every"), !reader.has("at") {
            reader.add("\"at\" is missing; write at: 10s, or every: 10s with until: 1m", field: nil, at: reader.place)
        }
        if reader.has("every") != reader.has("until") {
            let (missing, other) = reader.has("every") ? ("until", "every") : ("every", "until")
            reader.add("\(other) needs \(missing)", field: other, at: reader.place(of: other))
        }
        guard let first = at ?? every else { return nil }
        var times = [first]
        if let every, let until {
            let count = until < first ? 0 : (until - first).count(of: every) + 1
            guard count <= Self.maximumSteps else {
                reader.add(
                    "this is done \(count) times, and at most \(Self.maximumSteps) are possible; write a longer every",
                    field: "every", at: reader.place(of: "every"))
                return nil
            }
            times = (0..<count).map { first + every * $0 }
        }
        return times.flatMap { time in
            actions.map { ScenarioStep(time: time, action: $0.action, text: $0.text, line: $0.line) }
        }
    }

    private func actions(from reader: inout ProfileReader) -> [(action: ScenarioAction, text: String, line: Int)] {
        guard let node = reader.node("do") else {
            reader.add("\"do\" is missing; write do: off lobby", field: nil, at: reader.place)
            return []
        }
        let parser = ScenarioActionParser(beacons: scope.beacons, receivers: scope.receivers)
        var actions: [(action: ScenarioAction, text: String, line: Int)] = []
        for (number, entry) in (node.sequence ?? [node]).enumerated() {
            let field = node.sequence == nil ? "do" : "do[\(number)]"
            guard let text = entry.text else {
                reader.add("a change is expected here, such as off lobby", field: field, at: entry.place)
                continue
            }
            guard scope.isComplete else { continue }
            do throws(ValueFault) {
                actions.append((try parser.action(text), text, entry.place.line))
            } catch {
                reader.add(error.message, field: field, at: entry.place)
            }
        }
        return actions
    }
}
