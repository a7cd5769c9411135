// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Receiving

/// Reads the expectations of a scenario.
struct ExpectationParser {
    let scope: ScenarioScope

    func expectations(from reader: inout ProfileReader) -> [ScenarioExpectation] {
        reader.parts("expect", of: "expectation") { expectation(&$0) }?.compactMap(\.self) ?? []
    }

    private func expectation(_ reader: inout ProfileReader) -> ScenarioExpectation? {
        let receiver = reader.value("receiver") { text throws(ValueFault) -> String in
            try scope.known(text, among: scope.receivers, "receiver")
        }
        let beacon = reader.value("beacon") { text throws(ValueFault) -> String in
            try scope.known(text, among: scope.beacons, "beacon")
        }
        guard let kind = kind(&reader) else { return nil }
        checkOwner(of: kind, &reader)
        let name = reader.value(kind.key) { text throws(ValueFault) -> String in
            guard let names = names(for: kind.value) else { return text }
            let name = try scope.known(text, among: names, kind.value.noun)
            try checkAnnouncement(of: kind, name)
            return name
        }
        var subject: ScenarioExpectation.Subject?
        if let name { subject = kind.subject(name, &reader) } else { reader.accept(ExpectationKey.all.map(\.name)) }
        let count = kind.nature == .event ? reader.expectedCount() : nil
        let hold = kind.nature == .ranged ? reader.value("for", Self.hold) : nil
        let required = reader.value("require", Self.rate) ?? 1
        let time = self.time(of: kind, hold: hold, &reader)
        let owner = kind.owner == .beacon ? beacon : receiver
        guard let subject, let time, owner != nil || kind.owner == .value else { return nil }
        return ScenarioExpectation(
            receiver: receiver, beacon: beacon, subject, time, count: count, hold: hold, requiredRate: required,
            line: reader.place.line)
    }

    /// The kind of the expectation; `nil` after a fault was added, if there are none or several.
    private func kind(_ reader: inout ProfileReader) -> ExpectationKind? {
        let given = ExpectationKind.all.filter { reader.has($0.key) }
        reader.accept(ExpectationKind.all.map(\.key))
        if let kind = given.first, given.count == 1 { return kind }
        let second = given.dropFirst().first?.key
        let message =
            second.map { "an expectation is about one thing; begin another one for \($0)" }
            ?? "what is expected is missing; write one of \(ExpectationKind.all.map(\.key).joined(separator: ", "))"
        if reader.hasUnknownKeys, given.isEmpty {
            reader.accept(ExpectationKey.all.map(\.name))
        } else {
            reader.acceptAllKeys()
        }
        reader.add(message, field: second, at: second.flatMap { reader.place(of: $0) } ?? reader.place)
        return nil
    }

    /// Adds a fault if the key that names the owner is missing, or another one is there.
    private func checkOwner(of kind: ExpectationKind, _ reader: inout ProfileReader) {
        for key in [ExpectationKind.Owner.receiver, .beacon] where (kind.owner == key) != reader.has(key.rawValue) {
            let isMissing = kind.owner == key
            let noun = kind.owner == .receiver ? "receiver" : "beacon"
            reader.add(
                isMissing
                    ? "\"\(key.rawValue)\" is missing: \(kind.key) is expected of a \(noun)"
                    : "\(kind.key) is expected of a \(noun); leave \(key.rawValue) out",
                field: isMissing ? nil : key.rawValue, at: isMissing ? reader.place : reader.place(of: key.rawValue))
        }
    }

    /// The names that an expectation may be about; `nil` for a bound.
    private func names(for value: ExpectationKind.Value) -> [String]? {
        let regions = scope.regions.map(\.identifier)
        return switch value {
        case .beacon: scope.beacons
        case .receiver: scope.receivers
        case .region: regions
        case .regionOrBeacon: regions + scope.beacons
        case .bound: nil
        }
    }

    /// - Throws: `ValueFault` for the hello or the goodbye of a region that has none.
    private func checkAnnouncement(of kind: ExpectationKind, _ region: String) throws(ValueFault) {
        guard let entry = scope.regions.first(where: { $0.identifier == region }) else { return }
        switch kind.announcement {
        case .hello where entry.hello == nil, .goodbye where entry.goodbye == nil:
            throw ValueFault(
                "the region \"\(region)\" has no \(kind.key); write \(kind.key): and its text in the region")
        case .hello, .goodbye, nil: break
        }
    }

    /// The duration of `for`.
    private static func hold(_ text: String) throws(ValueFault) -> Duration {
        try ValueText.duration(text, in: .seconds(1)...ScenarioScope.longest, limits: "1s to 1000h")
    }

    /// `95%`, as a part of 1.
    private static func rate(_ text: String) throws(ValueFault) -> Double {
        let rate = try? ValueText.percentage(text)
        guard let rate, rate > 0, text.hasSuffix("%") else {
            throw ValueFault("\"\(text)\" is not a pass rate; write a percentage up to 100%, such as 95%")
        }
        return rate
    }

    private func time(
        of kind: ExpectationKind, hold: Duration?, _ reader: inout ProfileReader
    ) -> ScenarioExpectation.Time? {
        let by = reader.value("by", scope.time)
        let at = reader.value("at", scope.time)
        let within = reader.value("within", scope.time)
        let after = reader.value("after", scope.time)
        let between = reader.has("between") ? reader.range("between", "[10s, 20s]", scope.time) : nil
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
        let isAbsent = never || kind.isAbsence
        // These may be about the whole duration.
        let isCounted = kind.nature == .number || kind.nature == .figure || kind.nature == .event && reader.has("count")
        if isAbsent, kind.nature == .figure {
            reader.add("a bound has no opposite; leave never out", field: "never", at: reader.place(of: "never"))
            return nil
        }
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
        if at != nil, isAbsent || kind.nature.isMomentary {
            reader.add(
                "\(kind.key) takes by, within or between; \(kind.nature == .figure ? "a figure is of a period" : "an event has no exact moment")",
                field: "at",
                at: reader.place(of: "at"))
            return nil
        }
        guard let period = between ?? by.map({ .zero...$0 }) ?? within.map({ (after ?? .zero)...(after ?? .zero) + $0 })
        else {
            if let at { return .at(at) }
            if !given.isEmpty { return nil }
            guard isAbsent || isCounted, let limit = scope.limit else {
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
        return kind.nature.canLast && between != nil && hold == nil ? .throughout(period) : .once(period)
    }
}

// MARK: - Values

extension ProfileReader {
    /// Accepts keys, whose values are not read.
    fileprivate mutating func accept(_ keys: [String]) {
        for key in keys { _ = node(key) }
    }

    /// The value of a kind with a bound: `..10%`, as the number before the unit; `nil` after a fault was added.
    mutating func bound(_ key: String, _ text: String, _ unit: String) -> Double? {
        let number = text.dropFirst(2).dropLast(unit.count).filter { $0 != " " }
        if text.hasPrefix(".."), text.hasSuffix(unit), let bound = Double(number), bound.isFinite, bound >= 0,
            unit != "%" || bound <= 100
        {
            return bound
        }
        let meant = Double(text.hasSuffix(unit) ? String(text.dropLast(unit.count)) : text)
        let example = meant.map { ValueText.text($0) } ?? (unit == "%" ? "10" : "2")
        add("\"\(text)\" is not a bound; write ..\(example)\(unit)", field: key, at: place(of: key))
        return nil
    }

    /// The value of `count`: `2`, `2+` or `[1, 3]`; `nil` if it is missing or has a fault.
    mutating func expectedCount() -> ClosedRange<Int>? {
        guard present("count")?.sequence != nil else { return value("count", Self.numbers) }
        return range("count", "[9, 11]", Self.wholeNumber)
    }

    /// The value of `is`: a proximity, or a list of some.
    mutating func proximities() -> Set<Proximity>? {
        guard present("is")?.sequence != nil else {
            guard has("is") else {
                _ = node("is")
                add("\"is\" is missing; write is: near", field: nil, at: place)
                return nil
            }
            return value("is", Self.proximity).map { [$0] }
        }
        guard let values = self.values("is", Self.proximity) else { return nil }
        if present("is")?.sequence?.isEmpty == true {
            add("a list of at least one proximity is expected here", field: "is", at: place(of: "is"))
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

    /// `10` or `10+`, which is 10 or more.
    private static func numbers(_ text: String) throws(ValueFault) -> ClosedRange<Int> {
        if text.hasSuffix("+") { return try wholeNumber(String(text.dropLast()))...Int.max }
        let number = try wholeNumber(text)
        return number...number
    }

    private static func wholeNumber(_ text: String) throws(ValueFault) -> Int {
        try ValueText.integer(text, in: ValueShape.counted)
    }

    /// A range of two values, the lowest first; `nil` if it is missing or has a fault.
    mutating func range<Value: Comparable>(
        _ key: String, _ example: String, _ parse: (String) throws(ValueFault) -> Value
    ) -> ClosedRange<Value>? {
        guard has(key) else {
            _ = node(key)
            add("\"\(key)\" is missing; write \(key): \(example)", field: nil, at: place)
            return nil
        }
        guard let values = self.values(key, example: example, parse) else { return nil }
        guard values.count == 2, values[0] <= values[1] else {
            if present(key)?.sequence?.count == values.count {
                add(
                    "the lowest and the highest value are expected here, such as \(example)", field: key,
                    at: place(of: key))
            }
            return nil
        }
        return values[0]...values[1]
    }
}
