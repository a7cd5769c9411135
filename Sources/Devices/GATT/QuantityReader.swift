// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The keys of quantities: a number, or a generator.

extension ProfileReader {
    /// The keys of generators.
    static let quantityKeys = ["counter", "drain", "waveform", "random-walk", "trace"]

    /// The quantity of a key, which is a number, or a mapping with one of `quantityKeys`.
    /// - Parameter bounds: the values that it may have; `nil` for any.
    mutating func quantity(_ key: String, in bounds: ClosedRange<Double>?) -> Quantity? {
        guard let node = node(key) else { return nil }
        guard node.mapping != nil else {
            return value(key) { text throws(ValueFault) in
                let number = try ValueText.number(text)
                guard bounds?.contains(number) ?? true else { throw Self.fault(number...number, bounds) }
                return .fixed(number)
            }
        }
        var part = child(node, key)
        let quantity = part.changingQuantity(in: bounds)
        if quantity == nil, part.faults.isEmpty {
            part.add(
                "what changes it is missing; keys are \(Self.quantityKeys.joined(separator: ", "))", field: nil,
                at: node.place)
        }
        add(part.finish())
        return quantity
    }

    /// The generator of a key whose value is a mapping; `nil` for another value, and after a fault.
    mutating func changingQuantity(_ key: String, in bounds: ClosedRange<Double>) -> Quantity? {
        guard node(key)?.mapping != nil else { return nil }
        return quantity(key, in: bounds)
    }

    /// The texts of a key whose value is a list of scalars; `nil` for another value.
    mutating func texts(_ key: String) -> [String]? {
        guard let elements = node(key)?.sequence else { return nil }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count && !texts.isEmpty ? texts : nil
    }

    /// The generator of the one key of `quantityKeys` that is given; `nil` when none is.
    mutating func changingQuantity(in bounds: ClosedRange<Double>?) -> Quantity? {
        var found: Quantity?
        var first: String?
        for key in Self.quantityKeys {
            guard let node = node(key) else { continue }
            if let first {
                add("\(first) and \(key) exclude each other; leave one of them out", field: key, at: node.place)
                continue
            }
            first = key
            var part = child(node, key)
            guard node.mapping != nil else {
                add(part.faults)
                continue
            }
            let quantity = part.quantity(kind: key)
            let faults = part.finish()
            add(faults)
            guard faults.isEmpty, let quantity else { continue }
            if let bounds, !(bounds.contains(quantity.bounds.lowerBound) && bounds.contains(quantity.bounds.upperBound))
            {
                add(Self.fault(quantity.bounds, bounds).message, field: key, at: node.place)
            }
            found = quantity
        }
        return found
    }

    private static func fault(_ values: ClosedRange<Double>, _ bounds: ClosedRange<Double>?) -> ValueFault {
        func text(_ range: ClosedRange<Double>) -> String {
            "\(ValueText.text(range.lowerBound)) to \(ValueText.text(range.upperBound))"
        }
        let described = values.lowerBound == values.upperBound ? ValueText.text(values.lowerBound) : text(values)
        return ValueFault("\(described) is out of range: the value can be \(bounds.map(text) ?? "any number")")
    }

    private mutating func quantity(kind: String) -> Quantity? {
        switch kind {
        case "counter": counter()
        case "drain": drain()
        case "waveform": waveform()
        case "random-walk": randomWalk()
        default: trace()
        }
    }

    private mutating func counter() -> Quantity? {
        let start = value("start", ValueText.integer)
        let step = value("step", ValueText.integer) ?? 1
        let every = required("every", ValueText.step)
        // Beyond these, a floating-point number cannot represent each whole number.
        let (least, most) = (-(1 << 53) as Int64, (1 << 53) as Int64)
        let lowest = value("min", ValueText.integer)
        let highest = required("max", ValueText.integer)
        let wraps = value("wrap", ValueText.boolean) ?? true
        guard let every, let highest else { return nil }
        let low = lowest ?? min(start ?? 0, highest)
        guard least <= low, low <= highest, highest <= most else {
            add("min is at most max, and both are numbers of at most 53 bits", field: "max", at: place(of: "max"))
            return nil
        }
        guard low...highest ~= start ?? low else {
            add(
                "\(start ?? low) is not from \(low) to \(highest), which are min and max", field: "start",
                at: place(of: "start"))
            return nil
        }
        return .counter(Counter(start: start ?? low, step: step, every: every, range: low...highest, wraps: wraps))
    }

    /// A counter that counts down and stays at the end.
    private mutating func drain() -> Quantity? {
        let from = value("from", ValueText.integer) ?? 100
        let end = value("to", ValueText.integer) ?? 0
        let every = required("every", ValueText.step)
        guard let every else { return nil }
        guard -(1 << 53) <= end, end <= from, from <= 1 << 53 else {
            add("it goes down: to is at most from, and both have at most 53 bits", field: "to", at: place(of: "to"))
            return nil
        }
        return .counter(Counter(start: from, step: -1, every: every, range: end...from, wraps: false))
    }

    private mutating func waveform() -> Quantity? {
        let shape = required("shape") { text throws(ValueFault) in
            try ValueText.choice(text, of: Waveform.Shape.self)
        }
        let range = range()
        let period = required("period", ValueText.step)
        let phase = value("phase") { text throws(ValueFault) in
            let phase = try ValueText.number(text)
            guard 0..<1 ~= phase else {
                throw ValueFault("\"\(text)\" is not a part of a period from 0 up to but not 1")
            }
            return phase
        }
        let every = value("every", ValueText.step)
        guard let shape, let range, let period else { return nil }
        return .waveform(
            Waveform(
                shape, range: range, period: period, phase: phase ?? 0, every: every ?? Waveform.usualSampling))
    }

    private mutating func randomWalk() -> Quantity? {
        let seed = value("seed") { text throws(ValueFault) in
            guard let seed = UInt64(text) else { throw ValueFault("\"\(text)\" is not a whole number from 0 on") }
            return seed
        }
        let start = value("start", ValueText.number)
        let step = required("step") { text throws(ValueFault) in
            let step = try ValueText.number(text)
            guard step > 0 else { throw ValueFault("\"\(text)\" is not a number above 0") }
            return step
        }
        let range = range()
        let every = required("every", ValueText.step)
        guard let step, let range, let every else { return nil }
        let first = start ?? (range.lowerBound / 2 + range.upperBound / 2)
        guard range.contains(first) else {
            add("the start lies between min and max", field: "start", at: place(of: "start"))
            return nil
        }
        return .randomWalk(RandomWalk(seed: seed ?? 1, start: first, step: step, range: range, every: every))
    }

    /// The bounds `min` and `max`, which are required.
    private mutating func range() -> ClosedRange<Double>? {
        let lowest = required("min", Self.quantityNumber)
        let highest = required("max", Self.quantityNumber)
        guard let lowest, let highest else { return nil }
        guard lowest <= highest else {
            add("max is less than min; exchange them", field: "max", at: place(of: "max"))
            return nil
        }
        return lowest...highest
    }

    /// A number whose sums and differences are finite.
    private static func quantityNumber(_ text: String) throws(ValueFault) -> Double {
        let number = try ValueText.number(text)
        guard abs(number) <= 1e100 else { throw ValueFault("\"\(text)\" is more than any quantity here") }
        return number
    }

    private mutating func trace() -> Quantity? {
        let repeats = value("repeat", ValueText.boolean) ?? false
        let points: [Trace.Point]?
        if let given = node("points") {
            points = self.points(in: given)
            if let file = node("file") {
                add("points and file exclude each other; leave one of them out", field: "file", at: file.place)
            }
        } else {
            let (file, files, contents) = (file, files, contents)
            points = required("file") { path throws(ValueFault) in
                try contents.value("trace\0\(file)\0\(path)") { () throws(ValueFault) -> [Trace.Point] in
                    let text = try files(path)
                    do throws(ValueFault) {
                        let points = try TraceText.points(text)
                        try contents.add(points: points.count)
                        return points
                    } catch {
                        throw ValueFault("\(path): \(error.message)")
                    }
                }
            }
        }
        guard let points else { return nil }
        guard let trace = Trace(points, repeats: repeats) else {
            add("the times of a trace go up, from 0s on", field: "points", at: place(of: "points"))
            return nil
        }
        return .trace(trace)
    }

    /// `[[0s, 20], [5s, 21.5]]`
    private mutating func points(in node: ProfileNode) -> [Trace.Point]? {
        guard let list = node.sequence, !list.isEmpty else {
            add("a list of at least one [time, value] is expected here", field: "points", at: node.place)
            return nil
        }
        var points: [Trace.Point] = []
        for (number, pair) in list.enumerated() {
            guard let parts = pair.sequence, parts.count == 2, let time = parts[0].text,
                let text = parts[1].text, let point = try? TraceText.point(time, text)
            else {
                add(
                    "a time and a value are expected here, such as [5s, 21.5]", field: "points[\(number)]",
                    at: pair.place)
                return nil
            }
            points.append(point)
        }
        return points
    }
}
