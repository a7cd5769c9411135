// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Reads a value, or a field of one: `type`, and `value` or a generator.
enum FieldParser {
    /// A field; its keys are in a mapping of their own, or among the keys of its characteristic.
    /// - Parameter least: the minimum length in bytes of a value that is not given.
    static func field(_ reader: inout ProfileReader, name: String, least: Int = 0) -> ValueField? {
        let format = format(&reader)
        let clock = reader.value("clock") { text throws(ValueFault) in
            try ValueText.choice(text, of: ClockForm.self)
        }
        let accepted = accepted(&reader, format)
        let quantity = reader.changingQuantity(in: accepted ?? format?.bounds)
        let given = (["value", "clock"] + ProfileReader.quantityKeys).filter(reader.has)
        guard given.count < 2 else {
            _ = reader.node("value")
            // A second generator was reported already.
            if ["value", "clock"].contains(given[0]) {
                reader.add(
                    "\(given[1]) and \(given[0]) exclude each other; leave one of them out", field: given[0],
                    at: reader.place(of: given[0]))
            }
            return nil
        }
        let fixed = reader.value("value") { text throws(ValueFault) in try value(text, format, accepted) }
        if let clock { return field(&reader, name: name, clock: clock, format) }
        guard let format else { return nil }
        guard given.isEmpty || given == ["value"] else {
            guard let quantity else { return nil }
            guard format.isNumber else {
                reader.add(
                    "\(given[0]) makes numbers, which \(FormatText.text(format)) is not; write a type such as uint8",
                    field: given[0], at: reader.place(of: given[0]))
                return nil
            }
            return ValueField(name: name, format: format, source: .quantity(quantity), accepted: accepted)
        }
        if given == ["value"], fixed == nil { return nil }
        let size = format.size ?? least
        return ValueField(
            name: name, format: format, source: .fixed(fixed ?? format.initial(size: size, accepted)),
            accepted: accepted)
    }

    private static func field(
        _ reader: inout ProfileReader, name: String, clock: ClockForm, _ format: ValueFormat?
    ) -> ValueField? {
        guard clock == .unix else {
            if reader.has("type") {
                reader.add(
                    "the clock \"\(clock.rawValue)\" determines the type; leave the type out", field: "type",
                    at: reader.place(of: "type"))
            }
            return ValueField(name: name, format: .octets, source: .clock(clock))
        }
        guard let format, format.isNumber else {
            reader.add(
                "the clock \"unix\" counts seconds; write a type such as uint32", field: "clock",
                at: reader.place(of: "clock"))
            return nil
        }
        return ValueField(name: name, format: format, source: .clock(clock))
    }

    /// The type, with the scale and decimals that belong to it.
    private static func format(_ reader: inout ProfileReader) -> ValueFormat? {
        let format = reader.has("type") ? reader.value("type", FormatText.format) : .octets
        _ = reader.node("type")
        let scale = reader.value("scale") { text throws(ValueFault) in
            let scale = try ValueText.number(text)
            guard scale != 0, 1e-9...1e9 ~= abs(scale) else {
                throw ValueFault("\"\(text)\" is not a scale; write the size of one step, such as 0.01")
            }
            return scale
        }
        let decimals = reader.value("decimals") { text throws(ValueFault) in try ValueText.integer(text, in: 0...8) }
        guard let format else { return nil }
        switch format {
        case .integer(let integer):
            refuse(
                &reader, "decimals", "only sfloat and float have decimals; write scale: 0.1 for whole numbers of tenths"
            )
            guard let scale else { return format }
            return .integer(
                IntegerFormat(size: integer.size, isSigned: integer.isSigned, order: integer.order, scale: scale))
        case .medical(let medical, _):
            refuse(&reader, "scale", "only whole numbers have a scale; write decimals: 1 for tenths")
            return .medical(medical, decimals: decimals)
        case .octets, .text, .boolean, .float32, .float64:
            refuse(&reader, "scale", "only whole numbers have a scale")
            refuse(&reader, "decimals", "only sfloat and float have decimals")
            return format
        }
    }

    private static func refuse(_ reader: inout ProfileReader, _ key: String, _ message: String) {
        if reader.has(key) { reader.add(message, field: key, at: reader.place(of: key)) }
    }

    /// `range: [0, 100]`: the numbers that may be written.
    private static func accepted(_ reader: inout ProfileReader, _ format: ValueFormat?) -> ClosedRange<Double>? {
        guard let ends = reader.values("range", ValueText.number) else { return nil }
        let place = reader.place(of: "range")
        if let format, !format.isNumber {
            reader.add(
                "only numbers have a range; for \(FormatText.text(format)), write length", field: "range", at: place)
            return nil
        }
        guard !reader.faults.contains(where: { $0.field.contains("range[") }) else { return nil }
        guard ends.count == 2, ends[0] <= ends[1] else {
            reader.add("a range is the least and the greatest number, such as [0, 100]", field: "range", at: place)
            return nil
        }
        return ends[0]...ends[1]
    }

    private static func value(
        _ text: String, _ format: ValueFormat?, _ accepted: ClosedRange<Double>?
    ) throws(ValueFault) -> [UInt8] {
        guard let format else { return [] }
        let octets = try ValueText.value(text, as: format)
        if let accepted, let number = format.number(of: octets), !accepted.contains(number) {
            throw ValueFault(
                "\(text) is out of range: range says \(ValueText.text(accepted.lowerBound)) to "
                    + ValueText.text(accepted.upperBound))
        }
        return octets
    }
}

extension ValueFormat {
    /// The default value: 0, or the accepted number that is nearest to it; else bytes of 0, or spaces.
    fileprivate func initial(size: Int, _ accepted: ClosedRange<Double>?) -> [UInt8] {
        guard isNumber else { return Array(repeating: self == .text ? 0x20 : 0, count: size) }
        return octets(of: min(max(0, accepted?.lowerBound ?? 0), accepted?.upperBound ?? 0))
    }
}
