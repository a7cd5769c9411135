// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

extension ValueShape {
    /// The length of a value in bytes.
    package static let length = ValueShape.integer(0...ValueFormat.longestValue, isHexadecimal: true)
    /// `CHARACTERISTIC`, or `CHARACTERISTIC.FIELD`.
    package static let attributePath = ValueShape.pattern(
        "[A-Za-z0-9_-]{1,64}([.][A-Za-z0-9_-]{1,64})?", looksLike: .scalar)
}

/// Reads one characteristic of a `device: gatt`.
enum CharacteristicParser {
    /// Reads a characteristic; `nil` when it is invalid. Faults are added to the reader.
    static func characteristic(_ reader: inout ProfileReader) -> DeclaredCharacteristic? {
        let name = reader.value("name", ValueText.attributeName)
        let uuid = reader.required("uuid", ValueText.bluetoothUUID)
        let properties = properties(&reader)
        let permissions = permissions(&reader)
        let lengths = lengths(&reader)
        let fields = fields(&reader, least: lengths?.lowerBound ?? 0)
        let descriptors = DescriptorParser.descriptors(&reader)
        var declared = DeclaredCharacteristic(
            name: name ?? uuid?.description ?? "", uuid: uuid ?? .bit16(0), properties: properties ?? [],
            permissions: permissions, descriptors: descriptors, fields: fields ?? [])
        declared.lengths = lengths
        if let fields { check(lengths, of: fields, &reader) }
        readNotifying(&declared, &reader)
        readWriting(&declared, &reader)
        readFaults(&declared, &reader)
        readDeviations(&declared, &reader)
        return uuid == nil || properties == nil || fields == nil ? nil : declared
    }

    private static func properties(_ reader: inout ProfileReader) -> CharacteristicProperties? {
        guard reader.has("properties") else {
            return reader.required("properties", FormatText.property)
        }
        guard let list = reader.values("properties", FormatText.property) else { return nil }
        guard !list.isEmpty || !reader.faults.isEmpty else {
            let names = FormatText.properties.map(\.name).joined(separator: ", ")
            reader.add(
                "at least one property is expected here: \(names)", field: "properties",
                at: reader.place(of: "properties"))
            return nil
        }
        return CharacteristicProperties(list)
    }

    /// `permissions: encrypted`, or `{ read: open, write: encrypted, subscribe: authenticated }`.
    private static func permissions(_ reader: inout ProfileReader) -> AttributePermissions {
        guard let node = reader.node("permissions") else { return .open }
        guard node.mapping != nil else {
            let all = reader.value("permissions", FormatText.security) ?? []
            return AttributePermissions(read: all, write: all, subscribe: all)
        }
        return reader.part("permissions") { part in
            AttributePermissions(
                read: part.value("read", FormatText.security) ?? [],
                write: part.value("write", FormatText.security) ?? [],
                subscribe: part.value("subscribe", FormatText.security) ?? [])
        } ?? .open
    }

    private static func fields(_ reader: inout ProfileReader, least: Int) -> [ValueField]? {
        guard reader.has("fields") else {
            return FieldParser.field(&reader, name: "", least: least).map { [$0] }
        }
        let others = ["type", "value", "clock", "scale", "decimals", "range"] + ProfileReader.quantityKeys
        if let other = others.first(where: reader.has) {
            reader.add(
                "each field has this key of its own; move it into the fields", field: other, at: reader.place(of: other)
            )
            for key in others { _ = reader.node(key) }
            _ = reader.node("fields")
            return nil
        }
        let read = reader.parts("fields", of: "field") { part in
            let name = part.required("name", ValueText.attributeName)
            let field = FieldParser.field(&part, name: name ?? "")
            return name == nil ? nil : field
        }
        guard let read else { return nil }
        let fields = read.compactMap(\.self)
        guard fields.count == read.count else { return nil }
        let sequence = reader.node("fields")?.sequence
        reader.addDuplicates(in: "fields", read, key: "name", name: \.name) { earlier, name in
            "\(earlier) has the name \"\(name)\" already; give every field its own name"
        }
        for (index, field) in fields.enumerated() {
            if field.size == nil, index < fields.count - 1 {
                reader.add(
                    "only the last field can be \(FormatText.text(field.format)), whose length is not fixed",
                    field: "fields[\(index)].type", at: (sequence?[index].mapping?["type"] ?? sequence?[index])?.place)
            }
        }
        return fields
    }

    // MARK: - Lengths

    /// `length: 4`, or `{ min: 1, max: 20 }`.
    private static func lengths(_ reader: inout ProfileReader) -> ClosedRange<Int>? {
        guard let node = reader.node("length") else { return nil }
        func length(_ text: String) throws(ValueFault) -> Int {
            try ValueText.integer(text, in: 0...ValueFormat.longestValue)
        }
        guard node.mapping != nil else { return reader.value("length", length).map { $0...$0 } }
        return reader.part("length") { part -> ClosedRange<Int>? in
            let least = part.value("min", length) ?? 0
            let most = part.value("max", length) ?? ValueFormat.longestValue
            guard least <= most else {
                part.add("max is less than min; exchange them", field: "max", at: part.place(of: "max") ?? node.place)
                return nil
            }
            return least...most
        }
    }

    private static func check(_ lengths: ClosedRange<Int>?, of fields: [ValueField], _ reader: inout ProfileReader) {
        let known = fields.compactMap(\.size).reduce(0, +)
        let initial = fields.map { $0.octets(at: .zero, sinceUnixEpoch: .zero).count }.reduce(0, +)
        if known > ValueFormat.longestValue {
            reader.add(
                "\(known) bytes are more than the 512 that a value can have", field: "fields",
                at: reader.place(of: "fields"))
        }
        guard let lengths else { return }
        if fields.allSatisfy({ $0.size != nil }) {
            reader.add(
                "a value of this type has \(known) bytes; leave length out", field: "length",
                at: reader.place(of: "length"))
        } else if !lengths.contains(initial) {
            reader.add(
                "the value has \(initial) bytes, and length is \(lengths.lowerBound) to \(lengths.upperBound)",
                field: "length", at: reader.place(of: "length"))
        }
    }

    // MARK: - Notifying and writing

    private static func readNotifying(_ declared: inout DeclaredCharacteristic, _ reader: inout ProfileReader) {
        let canNotify = !declared.properties.isDisjoint(with: [.notify, .indicate])
        let policy = reader.value("notify") { text throws(ValueFault) -> NotificationPolicy in
            switch text {
            case "on-change": return .onChange
            case "never": return .never
            default:
                guard (try? ValueText.duration(text)) != nil else {
                    throw ValueFault("\"\(text)\" is not one of on-change, never, or a time such as 1s")
                }
                return .every(try ValueText.step(text))
            }
        }
        if policy != nil, !canNotify {
            demand("notify or indicate", for: "notify", &reader)
        }
        declared.notificationPolicy = policy ?? (canNotify ? .onChange : .never)
    }

    private static func readWriting(_ declared: inout DeclaredCharacteristic, _ reader: inout ProfileReader) {
        declared.isStored = reader.value("stored", ValueText.boolean) ?? false
        declared.rangeError = reader.value("range-error", ValueText.attributeError) ?? .valueNotAllowed
        let name = declared.name
        declared.echo =
            reader.value("echo") { text throws(ValueFault) -> String? in
                switch text {
                case "true": name
                case "false": nil
                default: try ValueText.attributeName(text)
                }
            } ?? nil
        declared.restarts = reader.values("restarts", Self.path) ?? []
        guard declared.isWritable else {
            let demanding = [
                ("stored", declared.isStored), ("echo", declared.echo != nil), ("restarts", !declared.restarts.isEmpty),
                ("range-error", reader.has("range-error")),
            ]
            for (key, isGiven) in demanding where isGiven { demand("write", for: key, &reader) }
            return
        }
        let changing = declared.fields.firstIndex { if case .fixed = $0.source { false } else { true } }
        guard let changing else { return }
        let place = reader.present("fields")?.sequence?[changing]
        reader.add(
            "a value that changes by itself cannot be written; leave write and write-without-response out of the properties",
            field: place == nil ? "properties" : "fields[\(changing)]",
            at: place?.place ?? reader.place(of: "properties"))
    }

    /// `CHARACTERISTIC`, or `CHARACTERISTIC.FIELD`.
    private static func path(_ text: String) throws(ValueFault) -> String {
        for part in text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false) {
            _ = try ValueText.attributeName(String(part))
        }
        return text
    }

    // MARK: - Errors and delays

    private static func readFaults(_ declared: inout DeclaredCharacteristic, _ reader: inout ProfileReader) {
        declared.readFault = fault("read-error", canEndWithWrite: declared.isWritable, &reader)
        declared.writeFault = fault("write-error", canEndWithWrite: false, &reader)
        declared.readDelay = reader.value("read-delay", ValueText.delay) ?? .zero
        declared.writeDelay = reader.value("write-delay", ValueText.delay) ?? .zero
        let canRead = declared.properties.contains(.read)
        for key in ["read-error", "read-delay"] where reader.has(key) && !canRead { demand("read", for: key, &reader) }
        for key in ["write-error", "write-delay"] where reader.has(key) && !declared.isWritable {
            demand("write", for: key, &reader)
        }
    }

    /// `deviations: [no-client-configuration, notify-before-response]`.
    private static func readDeviations(_ declared: inout DeclaredCharacteristic, _ reader: inout ProfileReader) {
        let deviations = reader.values("deviations") { text throws(ValueFault) in
            try ValueText.choice(text, of: CharacteristicDeviation.self)
        }
        declared.deviations = Set(deviations ?? [])
        if declared.deviations.contains(.noClientConfiguration),
            declared.properties.isDisjoint(with: [.notify, .indicate])
        {
            demand("notify or indicate", for: "deviations", &reader)
        }
        if declared.deviations.contains(.notifyBeforeResponse), !declared.properties.contains(.write) {
            demand("write", for: "deviations", &reader)
        }
    }

    /// `read-error: 0x80`, or `{ code: 0x80, time: 3 }`, or `{ code: 0x80, until-written: true }`.
    private static func fault(
        _ key: String, canEndWithWrite: Bool, _ reader: inout ProfileReader
    ) -> AttributeFault? {
        guard let node = reader.node(key) else { return nil }
        guard node.mapping != nil else {
            return reader.value(key, ValueText.attributeError).map { AttributeFault($0) }
        }
        return reader.part(key) { part in
            let code = part.required("code", ValueText.attributeError)
            let time = part.value("time") { text throws(ValueFault) in
                try ValueText.integer(text, in: 1...1_000_000)
            }
            let untilWritten = part.value("until-written", ValueText.boolean) ?? false
            if untilWritten, !canEndWithWrite {
                part.add(
                    "this error does not end with a write; leave it out", field: "until-written",
                    at: part.place(of: "until-written"))
            } else if untilWritten, time != nil {
                part.add(
                    "time and until-written exclude each other; leave one of them out", field: "time",
                    at: part.place(of: "time"))
            }
            return code.map {
                AttributeFault($0, time.map { .time($0) } ?? (untilWritten ? .untilWritten : .always))
            }
        }
    }

    private static func demand(_ property: String, for key: String, _ reader: inout ProfileReader) {
        // Faults of the properties were added already.
        guard !reader.faults.contains(where: { $0.field.contains("properties") }), reader.has("properties") else {
            return
        }
        reader.add("this needs the property \(property)", field: key, at: reader.place(of: key))
    }
}
