// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices

/// A remark on a list: on a row, on a value, or on all of it.
package struct ListRemark: Hashable, Sendable {
    package let code: String
    /// From 1; 0 for the whole list.
    package let line: Int
    /// From 1; 0 for the whole row.
    package let column: Int
    package let message: String
    package let hint: String

    init(code: String, _ message: String, line: Int, column: Int = 0, hint: String) {
        self.code = code
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint
    }
}

/// A beacon of a list.
struct ListBeacon: Sendable {
    /// The line of its row.
    let line: Int
    var id = ""
    /// The name for people; `nil` for none.
    var label: String?
    var device = PlainIBeacon.kind
    /// Of a `beacon`.
    var format: String?
    /// The keys of an iBeacon that are under `ibeacon`, with their values as in YAML.
    var frame: [(key: String, value: String)] = []
    /// Other keys, with their values as in YAML.
    var keys: [(key: String, value: String)] = []
    /// In metres: two or three numbers.
    var position: [Double]?

    // What its row has besides.

    /// The cell of the column of ids.
    var ownID: ListCell?
    /// The cell of the column of numbers.
    var number: ListCell?
    /// In degrees, and the height in metres.
    var globe: (latitude: Double, longitude: Double, height: Double?, cell: ListCell)?
    /// What its id ends with, if another beacon is of the same row.
    var suffix = ""

    /// A value of the frame.
    func value(_ key: String) -> String? { (frame + keys).first { $0.key == key }?.value }

    private static let identifiers: Set = ["uuid", "major", "minor", "namespace", "instance", "id1", "id2", "id3"]

    /// What makes it one beacon for receivers, with the names of the parts; `nil` if it has nothing of the kind.
    var identity: (parts: [String], text: String)? {
        let parts = (frame + keys).filter { Self.identifiers.contains($0.key) }
        guard !parts.isEmpty else { return nil }
        return (parts.map(\.key), (format ?? "ibeacon") + parts.map { " \($0.key)=\($0.value)" }.joined())
    }
}

/// Reads the rows of a list as beacons.
struct ListRows {
    /// Why a row is no beacon.
    struct Loss: Error {
        let message: String
        let line: Int
        let column: Int
    }

    /// Values that were not taken, and others that the rows have from the list.
    private(set) var remarks: [ListRemark] = []
    /// Frames of one row have the same remarks.
    private var known: Set<ListRemark> = []
    /// Whether a row has the new UUID.
    private(set) var usesNewUUID = false
    /// The first row without a UUID of its own in a list with one, and the number of these rows.
    private(set) var filled: (line: Int, count: Int)?

    private let columns: ColumnPlan
    private let values: ListValues
    private let newUUID: UUID128
    /// What all rows have that have a value.
    private let commonUUID: String?
    private let commonMajor: String?
    private let commonNamespace: String?
    /// The keys of which at least one row has a value.
    private let present: Set<ListKey>
    /// Columns of keys of a format.
    private let others: [ColumnPlan.Taken]

    init(_ table: ListTable, _ columns: ColumnPlan, _ values: ListValues, newUUID: UUID128) {
        self.columns = columns
        self.values = values
        self.newUUID = newUUID
        let cells: (ListKey) -> [ListCell] = { key in
            columns.column(of: key).map { column in
                table.cells(of: column.column).filter { !ListGap.isNothing($0.text) }
            } ?? []
        }
        present = Set(columns.taken.map(\.key).filter { !cells($0).isEmpty })
        let isHexadecimal = columns.column(of: .major)?.isHexadecimal ?? false
        commonUUID = Self.only(cells(.uuid).compactMap { ListValues.identity($0.text).map { "\($0.uuid)" } })
        commonMajor = Self.only(cells(.major).compactMap { try? values.whole16($0.text, isHexadecimal: isHexadecimal) })
        commonNamespace = Self.only(cells(.namespace).compactMap { try? values.octets($0.text, count: 10) })
        others = columns.taken.filter { !ListKey.all.contains($0.key) }
    }

    private static func only(_ values: [String]) -> String? {
        let distinct = Set(values)
        return distinct.count == 1 ? distinct.first : nil
    }

    /// The beacons of a row: one for each of its frames.
    mutating func beacons(of row: ListTable.Row) throws(Loss) -> [ListBeacon] {
        let values = values
        var beacon = ListBeacon(line: row.line)
        let isEmpty = columns.taken.allSatisfy { cell($0.key, row) == nil }
        guard !isEmpty else { throw loss("none of the columns that are taken has a value", row) }
        beacon.ownID = cell(.id, row)
        beacon.number = cell(.number, row)
        if let cell = cell(.label, row) {
            beacon.label = take(cell, "label") { text throws(ValueFault) in try values.label(text).text }
            if beacon.label != nil, ListWords.oneLine(cell.text).unicodeScalars.count > 100 {
                remark(
                    code: "text-shortened", "the label has more than 100 characters, and is shortened", cell,
                    hint: "write a shorter one")
            }
        }
        readPosition(&beacon, row)
        var beacons: [ListBeacon] = []
        for frame in try frames(of: row) {
            var copy = beacon
            (copy.device, copy.format, copy.frame) = (frame.device, frame.format, frame.keys)
            beacons.append(copy)
        }
        for index in beacons.indices {
            readPowers(&beacons[index], row)
            readOthers(&beacons[index], row)
            if index > 0 {
                beacons[index].suffix = beacons[index].format.map { "-\($0)" } ?? "-\(beacons[index].device)"
            }
            guard beacons[index].format != nil else { continue }
            beacons[index].keys = beacons[index].frame + beacons[index].keys
            beacons[index].frame = []
        }
        return beacons
    }

    // MARK: - Cells

    /// The cell of a key, if it has a value.
    private func cell(_ key: ListKey, _ row: ListTable.Row) -> ListCell? {
        guard let column = columns.column(of: key), let cell = row.cells[column.column] else { return nil }
        let isText = [.label, .name, .id, .number].contains(key.kind)
        return (isText ? cell.text.isEmpty : ListGap.isNothing(cell.text)) ? nil : cell
    }

    private func loss(_ message: String, _ row: ListTable.Row) -> Loss {
        Loss(message: message, line: row.line, column: 0)
    }

    private mutating func remark(code: String, _ message: String, _ cell: ListCell, hint: String) {
        let remark = ListRemark(code: code, message, line: cell.line, column: cell.column, hint: hint)
        if known.insert(remark).inserted { remarks.append(remark) }
    }

    /// A value that a beacon can do without.
    private mutating func take<Value>(
        _ cell: ListCell, _ key: String, _ read: (String) throws(ValueFault) -> Value
    ) -> Value? {
        do throws(ValueFault) {
            return try read(cell.text)
        } catch {
            remark(code: "value-not-taken", "\(key) is not taken: \(error.message)", cell, hint: "correct the list")
            return nil
        }
    }

    /// A value without which there is no beacon.
    private func need<Value>(
        _ cell: ListCell, _ key: ListKey, _ read: (String) throws(ValueFault) -> Value
    ) throws(Loss) -> Value {
        do throws(ValueFault) {
            return try read(cell.text)
        } catch {
            throw Loss(message: "\(key.name): \(error.message)", line: cell.line, column: cell.column)
        }
    }

    // MARK: - Frames

    private typealias Frame = (device: String, format: String?, keys: [(key: String, value: String)])

    private mutating func frames(of row: ListTable.Row) throws(Loss) -> [Frame] {
        if let cell = cell(.device, row) {
            guard let (device, format) = ListValues.device(cell.text) else {
                let names = DeviceRegistry.names + BeaconFormats.transmittable.map { $0.formatName }
                throw Loss(
                    message:
                        "there is no device and no format \(ListNames.quoted(cell.text))\(Spelling.question(cell.text, among: names))",
                    line: cell.line, column: cell.column)
            }
            return [(device, format, try keys(of: device, format, row))]
        }
        var frames: [Frame] = []
        let hasAltBeacon = present.contains(.id1) && !present.contains(.uuid)
        if cell(.uuid, row) != nil || cell(.minor, row) != nil || cell(.major, row) != nil {
            frames.append((PlainIBeacon.kind, nil, try iBeacon(row)))
        }
        if hasAltBeacon, cell(.id1, row) != nil { frames.append((Beacon.kind, "altbeacon", try altBeacon(row))) }
        if cell(.namespace, row) != nil || cell(.instance, row) != nil {
            frames.append((Beacon.kind, "eddystone-uid", try eddystoneUID(row)))
        }
        if cell(.url, row) != nil { frames.append((Beacon.kind, "eddystone-url", try eddystoneURL(row))) }
        if !frames.isEmpty { return frames }
        let known: [ListKey] = [.uuid, .minor, .id1, .namespace, .instance, .url].filter { present.contains($0) }
        // A list of names, which get numbers.
        if known.isEmpty { return [(PlainIBeacon.kind, nil, try iBeacon(row))] }
        throw loss("\(known.map(\.name).joined(separator: " and ")) \(known.count > 1 ? "are" : "is") empty", row)
    }

    private mutating func keys(of device: String, _ format: String?, _ row: ListTable.Row) throws(Loss) -> [(
        key: String, value: String
    )] {
        switch format ?? device {
        case PlainIBeacon.kind: return try iBeacon(row)
        case IoTDesignShopBeacon.kind:
            return cell(.uuid, row) == nil && cell(.minor, row) == nil ? [] : try iBeacon(row)
        case AltBeacon.formatName: return try altBeacon(row)
        case EddystoneUID.formatName: return try eddystoneUID(row)
        case EddystoneURL.formatName: return try eddystoneURL(row)
        default: return []
        }
    }

    private mutating func iBeacon(_ row: ListTable.Row) throws(Loss) -> [(key: String, value: String)] {
        var keys: [(key: String, value: String)] = []
        var rest: [Substring] = []
        if let cell = cell(.uuid, row) {
            if let identity = ListValues.identity(cell.text) {
                keys.append(("uuid", "\(identity.uuid)"))
                rest = identity.rest
            } else {
                keys.append(("uuid", try need(cell, .uuid, values.uuid)))
            }
        } else if present.contains(.uuid) {
            guard let commonUUID else { throw loss("uuid is empty, and other rows have several", row) }
            keys.append(("uuid", commonUUID))
            filled = (filled?.line ?? row.line, (filled?.count ?? 0) + 1)
        } else {
            keys.append(("uuid", "\(newUUID)"))
            usesNewUUID = true
        }
        // UUID:MAJOR:MINOR in one column.
        func part(_ index: Int) -> String? { index < rest.count ? "\(rest[index])" : nil }
        if let major = try number(.major, row) ?? part(0) {
            keys.append(("major", major))
        } else if present.contains(.major) {
            guard let commonMajor else { throw loss("major is empty", row) }
            keys.append(("major", commonMajor))
        }
        if let minor = try number(.minor, row) ?? part(1) {
            keys.append(("minor", minor))
        } else if present.contains(.minor) {
            throw loss("minor is empty", row)
        }
        return keys
    }

    private func altBeacon(_ row: ListTable.Row) throws(Loss) -> [(key: String, value: String)] {
        guard let identifier = cell(.id1, row) ?? cell(.uuid, row) else { throw loss("id1 is empty", row) }
        var keys = [(key: "id1", value: try need(identifier, .id1, values.uuid))]
        for (key, other) in [(ListKey.id2, ListKey.major), (.id3, .minor)] {
            if let number = try number(cell(key, row) == nil ? other : key, row) { keys.append((key.name, number)) }
        }
        return keys
    }

    private func eddystoneUID(_ row: ListTable.Row) throws(Loss) -> [(key: String, value: String)] {
        guard let instance = cell(.instance, row) else { throw loss("instance is empty", row) }
        let namespace: String
        if let cell = cell(.namespace, row) {
            namespace = try need(cell, .namespace) { text throws(ValueFault) in try values.octets(text, count: 10) }
        } else {
            guard let commonNamespace else { throw loss("namespace is empty", row) }
            namespace = commonNamespace
        }
        let octets = try need(instance, .instance) { text throws(ValueFault) in try values.octets(text, count: 6) }
        return [("namespace", ListYAML.quoted(namespace)), ("instance", ListYAML.quoted(octets))]
    }

    private func eddystoneURL(_ row: ListTable.Row) throws(Loss) -> [(key: String, value: String)] {
        guard let cell = cell(.url, row) else { throw loss("url is empty", row) }
        return [("url", ListYAML.quoted(cell.text))]
    }

    private func number(_ key: ListKey, _ row: ListTable.Row) throws(Loss) -> String? {
        guard let cell = cell(key, row), let column = columns.column(of: key) else { return nil }
        return try need(cell, key) { text throws(ValueFault) in
            try values.whole16(text, isHexadecimal: column.isHexadecimal)
        }
    }

    // MARK: - Other keys

    private mutating func readPowers(_ beacon: inout ListBeacon, _ row: ListTable.Row) {
        let values = values
        let isEddystone = beacon.format?.hasPrefix("eddystone-") == true && beacon.format != "eddystone-tlm"
        let isMeasured = beacon.format == nil ? !beacon.frame.isEmpty : beacon.format == "altbeacon"
        if isMeasured, let cell = cell(.measuredPower, row), let power = take(cell, "measured-power", values.power) {
            beacon.frame.append(("measured-power", "\(power)"))
        }
        if isEddystone {
            if let cell = cell(.powerAt0m, row), let power = take(cell, "power-at-0m", values.power) {
                beacon.frame.append(("power-at-0m", "\(power)"))
            } else if let cell = cell(.measuredPower, row), let power = take(cell, "measured-power", values.power) {
                // Eddystone has the power at 0 m, which is 41 dB more than the one at 1 m.
                beacon.frame.append(("power-at-0m", "\(power + 41)"))
            }
        }
        if let cell = cell(.interval, row) {
            let unit = columns.column(of: .interval)?.unit
            let interval = take(cell, "interval") { text throws(ValueFault) in
                let interval = try values.interval(text, unit: unit)
                _ = try ValueText.radiatedInterval(interval)
                return interval
            }
            if let interval { beacon.keys.append(("interval", interval)) }
        }
        let isHardware = beacon.device == IoTDesignShopBeacon.kind
        if let cell = cell(.txPower, row) {
            let power = take(cell, "tx-power") { text throws(ValueFault) in
                let power = "\(try values.power(text))dBm"
                _ = isHardware ? try ValueText.hardwarePower(power) : try ValueText.transmitPower(power)
                return power
            }
            if let power { beacon.keys.append(("tx-power", power)) }
        }
        if let cell = cell(.address, row), let address = take(cell, "address", values.address) {
            beacon.keys.append(("address", address))
        }
        if let cell = cell(.localName, row) {
            let name = take(cell, "name") { text throws(ValueFault) in
                try ListValues.checkFormula(text)
                return try ValueText.localName(ListWords.oneLine(text))
            }
            if let name { beacon.keys.append(("name", ListYAML.quoted(name))) }
        }
    }

    private mutating func readOthers(_ beacon: inout ListBeacon, _ row: ListTable.Row) {
        let numbers = values.numbers
        let own = ListKey.keys(of: beacon.device, beacon.format)
        for column in others where own.contains(column.key.name) {
            guard let cell = cell(column.key, row) else { continue }
            let text = take(cell, column.key.name) { text throws(ValueFault) in
                try ListValues.checkFormula(text)
                return numbers.number(text).map { ValueText.text($0) } ?? ListYAML.quoted(ListWords.oneLine(text))
            }
            if let text { beacon.keys.append((column.key.name, text)) }
        }
    }

    private mutating func readPosition(_ beacon: inout ListBeacon, _ row: ListTable.Row) {
        let (values, columns) = (values, columns)
        func unit(_ key: ListKey) -> String? { columns.column(of: key)?.unit }
        var height: Double?
        if let cell = cell(.z, row) {
            height = take(cell, "z") { text throws(ValueFault) in try values.metres(text, unit: unit(.z)) }
        }
        if columns.column(of: .x) != nil, columns.column(of: .y) != nil {
            switch (cell(.x, row), cell(.y, row)) {
            case (let x?, let y?):
                let east = take(x, "the position") { text throws(ValueFault) in try values.metres(text, unit: unit(.x))
                }
                let north = take(y, "the position") { text throws(ValueFault) in try values.metres(text, unit: unit(.y))
                }
                if let east, let north { beacon.position = [east, north] }
            case (let cell?, nil), (nil, let cell?):
                remark(
                    code: "value-not-taken", "the position is not taken: it needs x and y", cell,
                    hint: "correct the list")
            case (nil, nil): break
            }
        } else if let cell = cell(.position, row) {
            beacon.position = take(cell, "the position") { text throws(ValueFault) in
                try values.position(text, unit: unit(.position))
            }
        } else if let east = cell(.longitude, row), let north = cell(.latitude, row) {
            let longitude = take(east, "the position") { text throws(ValueFault) in
                try values.degrees(text, limit: 180, "longitude")
            }
            let latitude = take(north, "the position") { text throws(ValueFault) in
                try values.degrees(text, limit: 89, "latitude")
            }
            if let longitude, let latitude { beacon.globe = (latitude, longitude, height, north) }
        }
        if let height, beacon.position?.count == 2 { beacon.position?.append(height) }
    }
}

extension ListKey {
    /// The keys of a kind of device, or of a format of a `beacon`, whose values are texts.
    static func keys(of device: String, _ format: String?) -> Set<String> {
        let declared = (DeviceRegistry.kind(named: device)?.declarations ?? []).filter { declaration in
            switch declaration.form {
            case .value, .quantity: declaration.group == nil
            case .list, .mapping, .structure: false
            }
        }.map(\.key)
        let ofFormat = BeaconFormats.transmittable.first { $0.formatName == format }?.keyNames ?? []
        return Set(declared + ofFormat)
    }
}
