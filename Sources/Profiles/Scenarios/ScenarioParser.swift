// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import Devices
import Receiving

extension Scenario {
    /// Reads a scenario.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - file: its path, for messages.
    ///   - sources: the files and environment variables that the scenario may refer to; by default none.
    ///   - load: reads the profile with a path that is relative to the scenario's folder.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(
        parsing text: String, file: String, sources: ProfileSources = ProfileSources(),
        load: (String) throws(ProfileFaults) -> Profile
    ) throws(ProfileFaults) {
        let root = try ProfileExpansion.root(
            of: YAMLText(text, file: file), in: file, sources, kind: .scenario, example: "scenarios/")
        var reader = ProfileReader(root, file: file, path: "", files: sources.files)
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let name = reader.required("scenario", ValueText.name)
        let profile = try Self.profile(from: &reader, name: name ?? "scenario", load)
        let seed = reader.value("seed", Self.seed)
        let regions = reader.parts("regions", of: "region", RegionList.Entry.init(from:)) ?? []
        reader.addDuplicates(in: "regions", regions, key: "id", name: \.identifier) { earlier, id in
            "\(earlier) has the id \"\(id)\" already; give every region its own id"
        }
        let limit = reader.value("duration") { text throws(ValueFault) in
            try ValueText.duration(text, in: .milliseconds(1)...ScenarioParser.longest, limits: "1ms to 1000h")
        }
        let parser = ScenarioParser(
            beacons: profile?.beacons.map(\.id) ?? [], receivers: profile?.receivers.map(\.id) ?? [],
            regions: regions.compactMap(\.self), limit: limit, isComplete: profile != nil)
        let steps = parser.timeline(from: &reader)
        let expectations = parser.expectations(from: &reader)
        if expectations.isEmpty, !reader.has("expect") {
            reader.add("\"expect\" is missing", field: nil, at: reader.place)
        }
        let faults = reader.finish()
        guard faults.isEmpty, let name, let profile else { throw ProfileFaults(Profile.distinct(faults)) }
        let end = max(steps.map(\.time).max() ?? .zero, expectations.map(\.time.end).max() ?? .zero)
        self.init(
            name: name, file: file, profile: profile, receivers: profile.receivers,
            regions: regions.compactMap(\.self), seed: seed ?? 1, duration: limit ?? end, steps: steps,
            expectations: expectations)
    }

    /// The profile: that of a file, or the keys of a profile in the scenario. Receivers, walls and physics of the scenario
    /// are added to those of the file.
    private static func profile(
        from reader: inout ProfileReader, name: String, _ load: (String) throws(ProfileFaults) -> Profile
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
        let parts = Profile.parts(from: &reader, needsBeacons: !reader.has("profile"))
        guard let base else {
            return reader.has("profile")
                ? nil
                : Profile(
                    name: name, beacons: parts.beacons, receivers: parts.receivers, physics: parts.physics,
                    walls: parts.walls)
        }
        for receiver in parts.receivers where base.beacons.contains(where: { $0.id == receiver.id }) {
            reader.add(
                "the profile has a beacon \"\(receiver.id)\"; give every receiver its own id", field: "receivers",
                at: reader.place(of: "receivers"))
        }
        let added = Set(parts.receivers.map(\.id))
        return Profile(
            name: base.name, beacons: base.beacons,
            receivers: base.receivers.filter { !added.contains($0.id) } + parts.receivers,
            physics: parts.physics ?? base.physics, walls: base.walls + parts.walls)
    }

    private static func seed(_ text: String) throws(ValueFault) -> UInt64 {
        guard let seed = UInt64(text) else {
            throw ValueFault("\"\(text)\" is not a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }
}

extension ValueShape {
    /// A proximity that can be expected.
    package static let proximity = ValueShape.choice(expectedProximities.map(\.rawValue))
    /// A pass rate.
    package static let rate = ValueShape.pattern("[0-9.]+ *%")
    /// A number of events, exactly or, with a plus sign, at least.
    package static let counts = ValueShape.either([count, .pattern("[0-9]+[+]")])
    /// A number of events.
    package static let count = ValueShape.integer(counted, isHexadecimal: true)

    fileprivate static let expectedProximities = Proximity.allCases.filter { $0 != .unknown }
    fileprivate static let counted = 0...1_000_000_000
}

/// Reads the timeline and the expectations of a scenario.
struct ScenarioParser {
    static let longest = Duration.seconds(3_600_000)
    /// The limit of the number of changes, `every` included.
    private static let maximumSteps = 100_000

    let beacons: [String]
    let receivers: [String]
    let regions: [RegionList.Entry]
    /// The duration of the scenario; `nil` for the latest time in it.
    let limit: Duration?
    /// Whether the profile was read, so that names are known.
    let isComplete: Bool

    // MARK: - Timeline

    func timeline(from reader: inout ProfileReader) -> [ScenarioStep] {
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
        let at = reader.value("at", time)
        let every = reader.value("every", ValueText.step)
        let until = reader.value("until", time)
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
        let parser = ScenarioActionParser(beacons: beacons, receivers: receivers)
        var actions: [(action: ScenarioAction, text: String, line: Int)] = []
        for (number, entry) in (node.sequence ?? [node]).enumerated() {
            let field = node.sequence == nil ? "do" : "do[\(number)]"
            guard let text = entry.text else {
                reader.add("a change is expected here, such as off lobby", field: field, at: entry.place)
                continue
            }
            guard isComplete else { continue }
            do throws(ValueFault) {
                actions.append((try parser.action(text), text, entry.place.line))
            } catch {
                reader.add(error.message, field: field, at: entry.place)
            }
        }
        return actions
    }

    // MARK: - Expectations

    private static let receiverKeys = [
        "enters", "exits", "hello", "goodbye", "sees", "does-not-see", "nearest", "distance", "proximity", "rssi",
        "reports", "connected", "value",
    ]
    private static let beaconKeys = ["on-air", "off-air"]
    /// What happens at a moment, and is counted.
    private static let countedKeys = ["enters", "exits", "hello", "goodbye", "reports", "value"]
    /// What is in each ranging report.
    private static let rangedKeys = ["nearest", "distance", "proximity"]
    /// What lasts.
    private static let stateKeys = rangedKeys + ["rssi", "on-air", "off-air", "connected"]

    func expectations(from reader: inout ProfileReader) -> [ScenarioExpectation] {
        reader.parts("expect", of: "expectation") { expectation(&$0) }?.compactMap(\.self) ?? []
    }

    private func expectation(_ reader: inout ProfileReader) -> ScenarioExpectation? {
        let receiver = reader.value("receiver") { text throws(ValueFault) -> String in
            try known(text, among: receivers, "receiver")
        }
        let given = (Self.receiverKeys + Self.beaconKeys).filter { reader.has($0) }
        for key in Self.receiverKeys + Self.beaconKeys { _ = reader.node(key) }
        guard let key = given.first, given.count == 1 else {
            let keys = (Self.receiverKeys + Self.beaconKeys).joined(separator: ", ")
            let second = given.dropFirst().first
            let message =
                second.map { "an expectation is about one thing; begin another one for \($0)" }
                ?? "what is expected is missing; write one of \(keys)"
            if reader.hasUnknownKeys, given.isEmpty { acceptTimeKeys(&reader) } else { reader.acceptAllKeys() }
            reader.add(message, field: second, at: second.flatMap { reader.place(of: $0) } ?? reader.place)
            return nil
        }
        let isOfReceiver = Self.receiverKeys.contains(key)
        if isOfReceiver != reader.has("receiver") {
            reader.add(
                isOfReceiver
                    ? "\"receiver\" is missing: \(key) is expected of a receiver"
                    : "\(key) is expected of a beacon; leave receiver out",
                field: isOfReceiver ? nil : "receiver",
                at: isOfReceiver ? reader.place : reader.place(of: "receiver"))
        }
        let (names, kind) = names(for: key)
        let name = reader.value(key) { text throws(ValueFault) -> String in
            let name = try known(text, among: names, kind)
            try checkAnnouncement(key, of: name)
            return name
        }
        var subject: ScenarioExpectation.Subject?
        if let name { subject = self.subject(key, name, &reader) } else { acceptTimeKeys(&reader) }
        var count: ClosedRange<Int>?
        if Self.countedKeys.contains(key), key != "reports" { count = self.count(from: &reader) }
        let hold = Self.rangedKeys.contains(key) ? reader.value("for", Self.hold) : nil
        let required = reader.value("require", Self.rate) ?? 1
        let time = self.time(of: key, hold: hold, &reader)
        guard let subject, let time, receiver != nil || !isOfReceiver else { return nil }
        return ScenarioExpectation(
            receiver: receiver, subject, time, count: count, hold: hold, requiredRate: required,
            line: reader.place.line)
    }

    /// The names that an expectation may be about, and their kind.
    private func names(for key: String) -> ([String], String) {
        let ids = regions.map(\.identifier)
        switch key {
        case "enters", "exits": return (ids + beacons, "region or beacon")
        case "hello", "goodbye": return (ids, "region")
        default: return (beacons, "beacon")
        }
    }

    /// - Throws: `ValueFault` for the hello or the goodbye of a region that has none.
    private func checkAnnouncement(_ key: String, of region: String) throws(ValueFault) {
        guard let entry = regions.first(where: { $0.identifier == region }) else { return }
        guard key == "hello" && entry.hello == nil || key == "goodbye" && entry.goodbye == nil else { return }
        throw ValueFault("the region \"\(region)\" has no \(key); write \(key): and its text in the region")
    }

    /// The duration of `for`.
    private static func hold(_ text: String) throws(ValueFault) -> Duration {
        try ValueText.duration(text, in: .seconds(1)...longest, limits: "1s to 1000h")
    }

    /// `95%`, as a part of 1.
    private static func rate(_ text: String) throws(ValueFault) -> Double {
        let rate = try? ValueText.percentage(text)
        guard let rate, rate > 0, text.hasSuffix("%") else {
            throw ValueFault("\"\(text)\" is not a pass rate; write a percentage up to 100%, such as 95%")
        }
        return rate
    }

    /// The value of `count`: `2`, `2+` or `[1, 3]`; `nil` if it is missing or has a fault.
    private func count(from reader: inout ProfileReader) -> ClosedRange<Int>? {
        guard reader.present("count")?.sequence != nil else { return reader.value("count", Self.count) }
        return range("count", "[9, 11]", Self.wholeNumber, &reader)
    }

    /// The value of `is`: a proximity, or a list of some.
    private func proximities(from reader: inout ProfileReader) -> Set<Proximity>? {
        guard reader.present("is")?.sequence != nil else {
            guard reader.has("is") else {
                _ = reader.node("is")
                reader.add("\"is\" is missing; write is: near", field: nil, at: reader.place)
                return nil
            }
            return reader.value("is", Self.proximity).map { [$0] }
        }
        guard let values = reader.values("is", Self.proximity) else { return nil }
        if reader.present("is")?.sequence?.isEmpty == true {
            reader.add("a list of at least one proximity is expected here", field: "is", at: reader.place(of: "is"))
        }
        return values.isEmpty ? nil : Set(values)
    }

    private static func proximity(_ text: String) throws(ValueFault) -> Proximity {
        let known = ValueShape.expectedProximities
        guard let proximity = known.first(where: { $0.rawValue == text }) else {
            throw ValueFault(Spelling.notOne(text, of: known.map(\.rawValue)))
        }
        return proximity
    }

    private func known(_ id: String, among names: [String], _ kind: String) throws(ValueFault) -> String {
        guard isComplete, !names.contains(id) else { return id }
        throw ValueFault(ScenarioNames.unknown(id, kind, names))
    }

    private func subject(_ key: String, _ name: String, _ reader: inout ProfileReader) -> ScenarioExpectation.Subject? {
        switch key {
        case "enters": return .enters(name)
        case "exits": return .exits(name)
        case "hello": return .announces(name, .hello)
        case "goodbye": return .announces(name, .goodbye)
        case "sees", "does-not-see": return .sees(name)
        case "nearest": return .nearest(name)
        case "on-air": return .air(name, isOn: true)
        case "off-air": return .air(name, isOn: false)
        case "distance":
            let metres = reader.required("metres", ValueText.metres)
            let tolerance = reader.required("tolerance", ValueText.metres)
            guard let metres, let tolerance else { return nil }
            return .distance(name, metres - abs(tolerance)...metres + abs(tolerance))
        case "proximity":
            guard let proximities = proximities(from: &reader) else { return nil }
            return .proximity(name, proximities)
        case "rssi":
            guard let levels = range("dbm", "[-70, -55]", ValueText.number, &reader) else { return nil }
            return .rssi(name, levels)
        case "connected": return .connected(name)
        case "value":
            let characteristic = reader.required("characteristic", ValueText.bluetoothUUID)
            let value = reader.required("hex", ScenarioValue.bytes)
            guard let characteristic, let value else { return nil }
            return .value(name, characteristic, value)
        default:
            if !reader.has("count") { reader.add("\"count\" is missing", field: nil, at: reader.place) }
            return count(from: &reader).map { .reports(name, $0) }
        }
    }

    /// `10` or `10+`, which is 10 or more.
    private static func count(_ text: String) throws(ValueFault) -> ClosedRange<Int> {
        if text.hasSuffix("+") { return try wholeNumber(String(text.dropLast()))...Int.max }
        let number = try wholeNumber(text)
        return number...number
    }

    private static func wholeNumber(_ text: String) throws(ValueFault) -> Int {
        try ValueText.integer(text, in: ValueShape.counted)
    }

    private func range<Value: Comparable>(
        _ key: String, _ example: String, _ parse: (String) throws(ValueFault) -> Value, _ reader: inout ProfileReader
    ) -> ClosedRange<Value>? {
        guard reader.has(key) else {
            _ = reader.node(key)
            reader.add("\"\(key)\" is missing; write \(key): \(example)", field: nil, at: reader.place)
            return nil
        }
        guard let values = reader.values(key, example: example, parse) else { return nil }
        guard values.count == 2, values[0] <= values[1] else {
            if reader.present(key)?.sequence?.count == values.count {
                reader.add(
                    "the lowest and the highest value are expected here, such as \(example)", field: key,
                    at: reader.place(of: key))
            }
            return nil
        }
        return values[0]...values[1]
    }

    // MARK: - Times

    private func acceptTimeKeys(_ reader: inout ProfileReader) {
        for key in [
            "by", "at", "within", "after", "between", "never", "metres", "tolerance", "dbm", "count", "characteristic",
            "hex", "is", "for", "require",
        ] {
            _ = reader.node(key)
        }
    }

    private func time(_ text: String) throws(ValueFault) -> Duration {
        let time = try ValueText.duration(text, in: .zero...Self.longest, limits: "0s to 1000h")
        if let limit, time > limit {
            throw ValueFault("\(text) is after the end of the scenario; write a longer duration, or leave duration out")
        }
        return time
    }

    private func time(
        of key: String, hold: Duration?, _ reader: inout ProfileReader
    ) -> ScenarioExpectation.Time? {
        let by = reader.value("by", time)
        let at = reader.value("at", time)
        let within = reader.value("within", time)
        let after = reader.value("after", time)
        let between = reader.has("between") ? range("between", "[10s, 20s]", time, &reader) : nil
        _ = reader.node("between")
        let never = reader.value("never", ValueText.boolean) ?? false
        let given = ["by", "at", "within", "between"].filter { reader.has($0) }
        if given.count > 1 {
            reader.add(
                "\(given[0]) and \(given[1]) exclude each other; leave one of them out", field: given[1],
                at: reader.place(of: given[1]))
            return nil
        }
        if after != nil, !reader.has("within") {
            reader.add(
                "after needs within, such as after: 30s, within: 5s", field: "after", at: reader.place(of: "after"))
            return nil
        }
        let isAbsent = never || key == "does-not-see"
        // These may be about the whole duration.
        let isCounted = Self.countedKeys.contains(key) && reader.has("count") || key == "reports"
        if isAbsent, isCounted {
            reader.add("write count: 0 instead of never", field: "never", at: reader.place(of: "never"))
            return nil
        }
        if at != nil, hold != nil {
            reader.add(
                "for needs a period: write by, within or between instead of at", field: "at", at: reader.place(of: "at")
            )
            return nil
        }
        if at != nil, isAbsent || Self.countedKeys.contains(key) || key == "sees" {
            reader.add(
                "\(key) takes by, within or between; an event has no exact moment", field: "at",
                at: reader.place(of: "at"))
            return nil
        }
        guard let period = between ?? by.map({ .zero...$0 }) ?? within.map({ (after ?? .zero)...(after ?? .zero) + $0 })
        else {
            if let at { return .at(at) }
            if !given.isEmpty { return nil }
            guard isAbsent || isCounted, let limit else {
                let keys =
                    isAbsent || isCounted
                    ? "by, within or between (or a duration of the scenario)" : "by, within, at or between"
                reader.add("the time is missing; write \(keys)", field: nil, at: reader.place)
                return nil
            }
            return isAbsent ? .never(.zero...limit) : .once(.zero...limit)
        }
        if let hold, hold > period.upperBound - period.lowerBound {
            reader.add(
                "this is longer than the period of the expectation; write a longer period, or a shorter for",
                field: "for",
                at: reader.place(of: "for"))
            return nil
        }
        if isAbsent { return .never(period) }
        return Self.stateKeys.contains(key) && between != nil && hold == nil ? .throughout(period) : .once(period)
    }
}
