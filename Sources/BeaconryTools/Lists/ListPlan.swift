// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Space

/// What a list becomes: its beacons, and what was not taken.
struct ListPlan: Sendable {
    /// How the positions of a list were made metres from `[0, 0]`.
    enum Origin: Sendable {
        /// The list has them.
        case none
        /// The place of `[0, 0]` on the globe.
        case globe(MapAnchor)
        /// What was subtracted from x and y.
        case shifted(x: Double, y: Double)
    }

    /// What a list does not have, and what its beacons have instead.
    struct Substitute: Hashable, Sendable {
        let key: String
        let value: String
    }

    private(set) var beacons: [ListBeacon] = []
    private(set) var columns: ColumnPlan
    private(set) var substitutes: [Substitute] = []
    private(set) var remarks: [ListRemark]
    private(set) var origin = Origin.none
    /// Whether the UUID is new.
    private(set) var hasNewUUID = false
    /// The number of rows with values.
    let rows: Int
    /// The number of those that are no beacons.
    private(set) var lostRows = 0
    /// The first of them.
    private(set) var firstLoss: ListFault?

    /// - Parameters:
    ///   - metresPerUnit: of lengths that have no unit, in the heading or behind the value.
    ///   - anchor: the place of `[0, 0]` on the globe; `nil` for the corner in the south-west.
    ///   - newUUID: the UUID of the beacons of a list without one.
    /// - Throws: `ListFault` if a column that was named is not there.
    init(
        _ table: ListTable, choices: ColumnChoices = ColumnChoices(), metresPerUnit: Double = 1,
        anchor: MapAnchor? = nil,
        newUUID: UUID128
    ) throws(ListFault) {
        columns = try ColumnPlan(table, choices: choices)
        columns.takeOthers(named: Self.otherKeys(of: table, columns), of: table)
        let kinds: [ListKey.Kind] = [.length, .power, .degrees, .whole16, .position, .duration]
        let texts = columns.taken.filter { kinds.contains($0.key.kind) }.flatMap { table.cells(of: $0.column) }
        let numbers = ListNumbers(texts.map { ListUnit.split($0.text).number }, separator: table.separator)
        rows = table.rows.count + table.remarks.filter(\.isLoss).count
        remarks = table.remarks.filter { !$0.isLoss }.map {
            ListRemark(
                code: "values-missing", $0.fault.message, line: $0.fault.line, column: $0.fault.column,
                hint: "add them, or their separators")
        }
        var reader = ListRows(
            table, columns, ListValues(numbers: numbers, metresPerUnit: metresPerUnit), newUUID: newUUID)
        for remark in table.remarks where remark.isLoss { lose(remark.fault) }
        for row in table.rows {
            do throws(ListRows.Loss) {
                beacons += try reader.beacons(of: row)
            } catch {
                lose(ListFault(error.message, line: error.line, column: error.column))
            }
        }
        remarks += reader.remarks
        hasNewUUID = reader.usesNewUUID
        if let filled = reader.filled {
            remarks.append(
                ListRemark(
                    code: "value-filled",
                    "\(Formatting.count(filled.count, "row")) without a uuid \(filled.count == 1 ? "has" : "have") "
                        + "the one of the others", line: filled.line, hint: "none needed, if that is right"))
        }
        giveNumbers(numbers)
        givePositions(anchor)
        giveIDs()
        remarkSameIdentities()
        addSubstitutes()
    }

    /// Leaves beacons out that profiles refuse.
    /// - Parameter reasons: why, by the number of the beacon.
    mutating func leaveOut(_ reasons: [Int: String]) {
        for (index, reason) in reasons.sorted(by: { $0.key > $1.key }) where beacons.indices.contains(index) {
            lose(ListFault(reason, line: beacons.remove(at: index).line))
        }
    }

    private mutating func lose(_ fault: ListFault) {
        lostRows += 1
        if fault.line < firstLoss?.line ?? .max { firstLoss = fault }
        remarks.append(
            ListRemark(
                code: "row-not-taken", "the row is not taken: \(fault.message)", line: fault.line, column: fault.column,
                hint: "correct the list"))
    }

    /// The keys of the formats that the list names, such as temperature.
    private static func otherKeys(of table: ListTable, _ columns: ColumnPlan) -> Set<String> {
        guard let column = columns.column(of: .device) else { return [] }
        var keys: Set<String> = []
        for text in Set(table.cells(of: column.column).map(\.text)) {
            if let (device, format) = ListValues.device(text) { keys.formUnion(ListKey.keys(of: device, format)) }
        }
        return keys.subtracting(ListKey.all.map(\.name))
    }

    // MARK: - Numbers

    /// Gives iBeacons without minors one where they would not differ.
    private mutating func giveNumbers(_ numbers: ListNumbers) {
        let without = beacons.indices.filter {
            beacons[$0].format == nil && !beacons[$0].frame.isEmpty && beacons[$0].value("minor") == nil
        }
        let identities = without.compactMap { beacons[$0].identity?.text }
        guard Set(identities).count < identities.count || hasNewUUID && !without.isEmpty else { return }
        if hasNewUUID, !beacons.contains(where: { $0.value("major") != nil }) {
            for index in without { beacons[index].frame.append(("major", "1")) }
            substitutes.append(Substitute(key: "major", value: "1"))
        }
        let given = without.map { index in
            beacons[index].number.flatMap { numbers.whole($0.text) }.flatMap { 0...65535 ~= $0 ? $0 : nil }
        }
        let pairs = zip(without, given).map { "\(beacons[$0].identity?.text ?? "") \($1.map { "\($0)" } ?? "")" }
        let areUsable = given.allSatisfy { $0 != nil } && Set(pairs).count == pairs.count
        var counts: [String: Int] = [:]
        for (index, number) in zip(without, given) {
            let identity = beacons[index].identity?.text ?? ""
            counts[identity, default: 0] += 1
            let minor = areUsable ? number ?? 0 : counts[identity, default: 0]
            // A list of more is not one of one UUID.
            if minor <= 65535 { beacons[index].frame.append(("minor", "\(minor)")) }
        }
        let order = ["uuid", "major", "minor", "measured-power"]
        for index in without {
            beacons[index].frame.sort { (order.firstIndex(of: $0.key) ?? 9) < (order.firstIndex(of: $1.key) ?? 9) }
        }
        let source = columns.column(of: .number)?.name
        substitutes.append(
            Substitute(key: "minor", value: areUsable ? "the numbers of \(source ?? "the list")" : "numbered from 1"))
    }

    // MARK: - Positions

    private static let farthest = 10_000.0

    private mutating func givePositions(_ anchor: MapAnchor?) {
        placeOnGlobe(anchor)
        let far = beacons.indices.filter { (beacons[$0].position ?? []).contains { abs($0) > Self.farthest } }
        guard !far.isEmpty else { return }
        let positions = beacons.compactMap(\.position)
        // Coordinates of a country: most are far from 0, and all are near each other.
        let corner = (x: Self.corner(positions.map { $0[0] }), y: Self.corner(positions.map { $0[1] }))
        if 2 * far.count > positions.count {
            origin = .shifted(x: corner.x, y: corner.y)
            for index in beacons.indices {
                guard let position = beacons[index].position else { continue }
                beacons[index].position = [position[0] - corner.x, position[1] - corner.y] + position.dropFirst(2)
            }
        }
        for index in beacons.indices where (beacons[index].position ?? []).contains(where: { abs($0) > Self.farthest })
        {
            dropPosition(of: index, "it is more than 10000 m from [0, 0]")
        }
    }

    private mutating func dropPosition(of index: Int, _ reason: String) {
        beacons[index].position = nil
        remarks.append(
            ListRemark(
                code: "value-not-taken", "the position is not taken: \(reason)", line: beacons[index].line,
                hint: "correct the list, or its unit (--units)"))
    }

    /// The least of the values that are near the middle one, down to a whole number.
    private static func corner(_ values: [Double]) -> Double {
        guard let median = median(values) else { return 0 }
        return (values.filter { abs($0 - median) <= farthest }.min() ?? median).rounded(.down)
    }

    private static func median(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }

    /// Makes positions of places on the globe.
    private mutating func placeOnGlobe(_ anchor: MapAnchor?) {
        let places = beacons.compactMap(\.globe)
        guard let latitude = Self.median(places.map(\.latitude)), let longitude = Self.median(places.map(\.longitude))
        else { return }
        var anchor = anchor
        if anchor == nil {
            let middle = MapAnchor(latitude: latitude, longitude: longitude)
            let near = places.filter {
                let position = middle.position(latitude: $0.latitude, longitude: $0.longitude)
                return max(abs(position.x), abs(position.y)) <= Self.farthest / 2
            }
            // To a decimetre, as people read it.
            func rounded(_ value: Double) -> Double { (value * 1_000_000).rounded(.down) / 1_000_000 }
            anchor = MapAnchor(
                latitude: rounded(near.map(\.latitude).min() ?? latitude),
                longitude: rounded(near.map(\.longitude).min() ?? longitude))
        }
        guard let anchor else { return }
        origin = .globe(anchor)
        for index in beacons.indices {
            guard let place = beacons[index].globe else { continue }
            let position = anchor.position(latitude: place.latitude, longitude: place.longitude)
            if max(abs(position.x), abs(position.y)) > Self.farthest {
                dropPosition(of: index, "it is more than 10000 m from \(anchor.latitude), \(anchor.longitude)")
            } else {
                beacons[index].position = [position.x, position.y] + (place.height.map { [$0] } ?? [])
            }
        }
    }

    // MARK: - Ids

    /// Gives each beacon an id of its own.
    private mutating func giveIDs() {
        let hasLabels = columns.column(of: .label) != nil
        let majors = Set(beacons.compactMap { $0.value("major") })
        var taken: [String: Int] = [:]
        var changed: (cell: ListCell, id: String, count: Int)?
        var usesNumbers = false
        for index in beacons.indices {
            let beacon = beacons[index]
            var id = ""
            if let cell = beacon.ownID, !ListGap.isFormulaError(cell.text) {
                let text = Self.withoutFraction(cell.text)
                id = ListWords.id(like: text)
                if id != text {
                    changed = changed.map { ($0.cell, $0.id, $0.count + 1) } ?? (cell, id, 1)
                    // What the id cannot have is in the label.
                    if !hasLabels { beacons[index].label = try? ValueText.label(ListWords.oneLine(cell.text)) }
                }
            }
            if id.isEmpty, let label = beacons[index].label { id = ListWords.id(of: label) }
            if id.isEmpty, let number = beacon.number {
                id = ListWords.id(like: Self.withoutFraction(number.text))
                if !id.isEmpty { (id, usesNumbers) = ("beacon-\(id)", true) }
            }
            if id.isEmpty, let minor = beacon.value("minor") {
                id = majors.count > 1 ? "beacon-\(beacon.value("major") ?? "0")-\(minor)" : "beacon-\(minor)"
            }
            if id.isEmpty { id = "beacon-\(index + 1)" }
            id = String(id.prefix(64 - beacon.suffix.count)) + beacon.suffix
            let free = Self.free(id, in: &taken)
            if free != id, let cell = beacon.ownID, beacon.suffix.isEmpty, !cell.text.isEmpty {
                remarks.append(
                    ListRemark(
                        code: "id-changed", "the id \(id) appears before, and is \(free) here", line: cell.line,
                        column: cell.column,
                        hint: "give every row its own id"))
            }
            beacons[index].id = free
        }
        if let changed {
            let id = changed.id.isEmpty ? "no id" : "the id \(changed.id)"
            let others = changed.count > 1 ? ", and \(changed.count - 1) more" : ""
            remarks.append(
                ListRemark(
                    code: "id-changed",
                    "\(ListNames.quoted(changed.cell.text)) is \(id)\(others): ids are letters, digits, \".\", \"-\" and \"_\"",
                    line: changed.cell.line, column: changed.cell.column, hint: "none needed; labels may have any text")
            )
        }
        let isNumbered = substitutes.contains { $0.key == "minor" && $0.value.hasPrefix("the numbers") }
        if !usesNumbers, !isNumbered { columns.leave(.number, because: "ids are made of other columns") }
    }

    /// A number of a script as text: 12.0 is 12.
    private static func withoutFraction(_ text: String) -> String {
        text.hasSuffix(".0") && text.dropLast(2).allSatisfy { $0.isASCII && $0.isNumber }
            ? String(text.dropLast(2)) : text
    }

    /// The id, or the first one with a number behind it that no beacon has.
    private static func free(_ id: String, in taken: inout [String: Int]) -> String {
        guard taken[id] != nil else {
            taken[id] = 1
            return id
        }
        while true {
            taken[id, default: 1] += 1
            let end = "-\(taken[id, default: 1])"
            let other = id.prefix(64 - end.count) + end
            if taken[String(other)] == nil {
                taken[String(other)] = 1
                return String(other)
            }
        }
    }

    // MARK: - What the list does not have

    private mutating func remarkSameIdentities() {
        var seen: [String: (line: Int, id: String)] = [:]
        for beacon in beacons {
            guard let identity = beacon.identity else { continue }
            guard let first = seen[identity.text] else {
                seen[identity.text] = (beacon.line, beacon.id)
                continue
            }
            let parts =
                identity.parts.dropLast().joined(separator: ", ") + (identity.parts.count > 1 ? " and " : "")
                + (identity.parts.last ?? "")
            remarks.append(
                ListRemark(
                    code: "duplicate-identity",
                    "\(beacon.id) has the same \(parts) as \(first.id) in line \(first.line): receivers take both for one beacon",
                    line: beacon.line, hint: "give each beacon its own \(identity.parts.last ?? "values")"))
        }
    }

    private mutating func addSubstitutes() {
        let frames = beacons.filter { !$0.frame.isEmpty }
        var added: [Substitute] = []
        if hasNewUUID { added.append(Substitute(key: "uuid", value: "a new one")) }
        if !frames.isEmpty, frames.allSatisfy({ $0.value("major") == nil }) {
            added.append(Substitute(key: "major", value: "0"))
        }
        if !frames.isEmpty, frames.allSatisfy({ $0.value("minor") == nil }) {
            added.append(Substitute(key: "minor", value: "0"))
        }
        if !frames.isEmpty, frames.allSatisfy({ $0.value("measured-power") == nil }) {
            added.append(Substitute(key: "measured-power", value: "-59"))
        }
        if !beacons.isEmpty, beacons.allSatisfy({ $0.value("interval") == nil }) {
            added.append(Substitute(key: "interval", value: "100ms"))
        }
        if !beacons.isEmpty, beacons.allSatisfy({ $0.position == nil }) {
            added.append(Substitute(key: "position", value: "1 m from every receiver"))
        }
        substitutes = added.filter { $0.key == "uuid" } + substitutes + added.filter { $0.key != "uuid" }
    }
}
