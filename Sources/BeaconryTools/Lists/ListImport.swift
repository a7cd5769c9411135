// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Devices
import Emulator
import Glibc
import JSON
import Persistence
package import Profiles

/// The unit of lengths in a list that name none.
package enum ListLengthUnit: String, CaseIterable, Sendable {
    case mm, cm, m, ft, `in`

    var metres: Double { ListUnit.metres[rawValue] ?? 1 }
}

/// A list of beacons, read from the bytes of its file.
package struct ListImport: Sendable {
    /// How a list is read.
    package struct Options: Sendable {
        package var choices = ColumnChoices()
        /// The unit of lengths that have none; with it, coordinates of GeoJSON are positions and no longitudes and latitudes.
        package var unit: ListLengthUnit?
        /// The place of `[0, 0]` on the globe; `nil` for the corner of the list in the south-west.
        package var anchor: MapAnchor?

        package init() {}
    }

    /// The longest file that is read.
    package static let maximumSize = 16 << 20

    let encoding: ListText.Encoding
    let form: String
    private(set) var plan: ListPlan
    let emptyRows: Int

    /// - Parameter newUUID: the UUID of the beacons of a list without one.
    /// - Throws: `ListFault`.
    package init(_ bytes: [UInt8], _ options: Options = Options(), newUUID: UUID128) throws(ListFault) {
        let text = try ListText(bytes)
        let table: ListTable
        switch Self.kind(of: text.utf8) {
        case .empty: throw ListFault("the list is empty")
        case .markup:
            throw ListFault(
                "this is HTML or XML; open it in a spreadsheet, save that as CSV, and give that file", line: 1)
        case .profile: throw ListFault("this is a profile already; run it: beaconry run", line: 1)
        case .json:
            table = try ListTable(json: text.utf8, choices: options.choices, coordinatesAreLocal: options.unit != nil)
        case .delimited: table = try ListTable(delimited: text.utf8, choices: options.choices)
        }
        encoding = text.encoding
        form = table.form
        emptyRows = table.emptyRows
        plan = try ListPlan(
            table, choices: options.choices, metresPerUnit: options.unit?.metres ?? 1, anchor: options.anchor,
            newUUID: newUUID)
    }

    private enum Kind { case empty, markup, profile, json, delimited }

    private static func kind(of utf8: [UInt8]) -> Kind {
        let start = utf8.drop { $0 <= 0x20 }
        guard let first = start.first else { return .empty }
        if first == UInt8(ascii: "<") { return .markup }
        if start.starts(with: "profile:".utf8) { return .profile }
        // A name of a column may begin with a bracket, too: [id];[name].
        let next = start.dropFirst().first { $0 > 0x20 }
        let isInBrackets = next.map { "{[\"]-0123456789tfn".utf8.contains($0) } ?? true
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") && isInBrackets
        return isJSON ? .json : .delimited
    }

    /// The files of the profile; beacons that profiles refuse are left out.
    /// - Throws: `ListFault` if none is left.
    package mutating func profile(name: String, file: String, remarks: [String]) throws(ListFault) -> [(
        name: String, text: String
    )] {
        var usesDefaults = true
        // A beacon that is left out may change what others have in common.
        for _ in 0..<8 {
            guard !plan.beacons.isEmpty else { throw nothingTaken }
            let profile = ListProfile(plan, name: name, file: file, remarks: remarks, usesDefaults: usesDefaults)
            do throws(ProfileFaults) {
                let refusals = try profile.refusals()
                if refusals.isEmpty { return profile.files.map { ($0.name, $0.text) } }
                plan.leaveOut(refusals)
            } catch {
                guard usesDefaults else {
                    throw ListFault("the list makes no profile: \(error.faults.first?.message ?? "")")
                }
                usesDefaults = false
            }
        }
        throw ListFault("the list makes no profile")
    }

    /// The fault of a list of which no row is a beacon: the first row and why.
    private var nothingTaken: ListFault {
        guard let lost = plan.firstLoss else { return ListFault("the list has a heading, and no rows") }
        let others = plan.lostRows > 1 ? " (and \(Formatting.count(plan.lostRows - 1, "more row")))" : ""
        return ListFault("no row is a beacon: \(lost.message)\(others)", line: lost.line, column: lost.column)
    }

    /// The remarks in the order of the list.
    package var remarks: [ListRemark] {
        plan.remarks.sorted { ($0.line, $0.column, $0.code) < ($1.line, $1.column, $1.code) }
    }
}

// MARK: - The command

/// `init --from`: writes the profile of a list.
package enum ListTool {
    /// - Parameters:
    ///   - list: the path of the list.
    ///   - profile: the path of the profile; `nil` for the name of the list, in the folder of the process.
    ///   - replaces: Whether files that exist are replaced.
    /// - Throws: `Failure` with the place in the list, `SystemError`.
    package static func run(
        _ list: String, to profile: String?, _ options: ListImport.Options, replaces: Bool, as format: OutputFormat
    ) throws {
        let path = profile ?? defaultPath(of: list)
        let name = try FirstProfile.name(of: path)
        guard FileState(of: path) != FileState(of: list) || FileState(of: path).size < 0 else {
            throw Failure.usage("\(path) is the list itself; choose another file for the profile")
        }
        try Failure.unlessFree(path, force: replaces)
        let bytes = try bytes(of: list)
        var read: ListImport
        let files: [(name: String, text: String)]
        do throws(ListFault) {
            read = try ListImport(bytes, options, newUUID: FirstProfile.newUUID())
            files = try read.profile(
                name: name, file: path.split(separator: "/").last.map { String($0) } ?? path,
                remarks: remarks(on: list.split(separator: "/").last.map { String($0) } ?? list))
        } catch {
            if error.isOfOption { throw Failure.usage("--columns: \(error.message)") }
            throw Failure.badData(error.message, in: list, line: error.line, column: error.column)
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let paths = [path] + files.dropFirst().map { folder + $0.name }
        if paths.count > 1, OutputFile.isWrittenInPlace(path) {
            throw Failure.badData(
                "\(list): \(read.plan.beacons.count) beacons need several files; name a file that can have others beside it"
            )
        }
        for other in paths.dropFirst() { try Failure.unlessFree(other, force: replaces) }
        for (path, file) in zip(paths, files).reversed() {
            do throws(SystemError) {
                try OutputFile.write(Array(file.text.utf8), to: path)
            } catch {
                throw Failure(exitCode: 73, message: "\(error); choose another file")
            }
        }
        report(read, of: list, name: name, files: paths, as: format)
    }

    /// The file that the list becomes if none is named: `museum.yaml` for `lists/Museum 2.csv` is `Museum-2.yaml`.
    private static func defaultPath(of list: String) -> String {
        let file = list.split(separator: "/").last.map { String($0) } ?? list
        let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        let name = ListWords.id(like: stem)
        return "\(name.isEmpty ? "beacons" : name).yaml"
    }

    private static func bytes(of path: String) throws(Failure) -> [UInt8] {
        var file = try InputFile(path)
        var bytes: [UInt8] = []
        while true {
            let more = try file.next()
            if more.isEmpty { return bytes }
            bytes += more
            guard bytes.count <= ListImport.maximumSize else {
                throw .badData("\(path) has more than \(ListImport.maximumSize >> 20) MiB; divide the list")
            }
        }
    }

    private static func remarks(on list: String) -> [String] {
        let keys = InstalledFiles.installed("docs/profiles.md") == nil ? "docs/profiles.md" : "man 5 beaconry-profile"
        let schema = SchemaTool.line(for: .profile).map { [String($0.dropFirst(2))] } ?? []
        return schema + ["The beacons of \(SafeText.line(list)). All keys: \(keys)"]
    }

    private static func report(
        _ list: ListImport, of path: String, name: String, files: [String], as format: OutputFormat
    ) {
        Output.report(ImportedList(list, of: path, profile: name, files: files), as: format)
        let remarks = list.remarks
        let shown = format == .json ? remarks[...] : remarks.prefix(ListNotice.most)
        for remark in shown { Output.report(ListNotice(remark, in: path), as: format) }
        if remarks.count > shown.count {
            Output.note("and \(Formatting.count(remarks.count - shown.count, "more warning")): --json prints all")
        }
        if format == .text { Output.line("run it: beaconry run \(files[0]) --watch") }
    }
}

/// A warning on a row or a value of a list. Its text goes to standard error.
private struct ListNotice: Encodable, Report {
    /// How many are printed as text.
    static let most = 20

    private let event = "warning"
    private let time = Timestamp.now
    private let code: String
    private let message: String
    private let hint: String
    private let file: String
    private let line: Int?
    private let column: Int?

    init(_ remark: ListRemark, in file: String) {
        code = remark.code
        message = remark.message
        hint = remark.hint
        self.file = file
        line = remark.line > 0 ? remark.line : nil
        column = remark.column > 0 ? remark.column : nil
    }

    static var textStream: Output.Stream { .notes }
    var lines: [String] {
        let place = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
        return ["\(file)\(place): warning: \(message) [\(code)]; \(hint)"]
    }
}

/// The output of `init --from`.
private struct ImportedList: Encodable, Report {
    private struct Column: Encodable {
        let column: String
        let key: String
        let unit: String?
    }

    private struct LeftColumn: Encodable {
        let column: String
        let reason: String?
    }

    private struct Substitute: Encodable {
        let key: String
        let value: String
    }

    private let profile: String
    private let file: String
    /// Files that it includes; absent without any.
    private let included: [String]?
    private let list: String
    private let encoding: String
    private let form: String
    /// Rows with values.
    private let rows: Int
    private let emptyRows: Int
    private let rowsNotTaken: Int
    private let beacons: Int
    private let columns: [Column]
    private let columnsNotTaken: [LeftColumn]
    private let notInList: [Substitute]
    /// Where `[0, 0]` is, if the list has longitudes and latitudes.
    private let latitude: Double?
    private let longitude: Double?
    private let origin: ListPlan.Origin

    private enum CodingKeys: CodingKey {
        case profile, file, included, list, encoding, form, rows, emptyRows, rowsNotTaken, beacons, columns,
            columnsNotTaken, notInList,
            latitude, longitude
    }

    init(_ read: ListImport, of list: String, profile: String, files: [String]) {
        self.profile = profile
        file = files[0]
        included = files.count > 1 ? Array(files.dropFirst()) : nil
        self.list = list
        encoding = read.encoding.rawValue
        form = read.form
        rows = read.plan.rows
        emptyRows = read.emptyRows
        rowsNotTaken = read.plan.lostRows
        beacons = read.plan.beacons.count
        columns = read.plan.columns.taken.map {
            Column(column: $0.name, key: $0.key.name, unit: $0.isHexadecimal ? "hexadecimal" : $0.unit)
        }
        columnsNotTaken = read.plan.columns.left.map {
            LeftColumn(column: $0.name, reason: $0.reason.isEmpty ? nil : $0.reason)
        }
        notInList = read.plan.substitutes.map { Substitute(key: $0.key, value: $0.value) }
        origin = read.plan.origin
        if case .globe(let anchor) = origin {
            (latitude, longitude) = (anchor.latitude, anchor.longitude)
        } else {
            (latitude, longitude) = (nil, nil)
        }
    }

    var lines: [String] {
        let losses = [
            rowsNotTaken > 0 ? "\(rowsNotTaken) not taken" : nil, emptyRows > 0 ? "\(emptyRows) without values" : nil,
        ].compactMap(\.self)
        let others = losses.isEmpty ? "" : " (\(losses.joined(separator: ", ")))"
        let parts = included.map { ", with \($0.joined(separator: ", "))" } ?? ""
        var lines = [
            "\(file) is written\(parts): \(Formatting.count(beacons, "beacon")) of \(Formatting.count(rows + emptyRows, "row"))\(others) of \(list), "
                + "\(encoding), \(form)"
        ]
        let taken = columns.map { "\($0.column) -> \($0.key)\($0.unit.map { " (\($0))" } ?? "")" }
        if !taken.isEmpty { lines.append("taken: \(taken.joined(separator: ", "))") }
        let left = columnsNotTaken.map { "\($0.column)\($0.reason.map { " (\($0))" } ?? "")" }
        if !left.isEmpty { lines.append("not taken: \(left.joined(separator: ", "))") }
        let missing = notInList.map { "\($0.key) (\($0.value))" }
        if !missing.isEmpty { lines.append("not in the list: \(missing.joined(separator: ", "))") }
        switch origin {
        case .none: break
        case .globe(let anchor):
            lines.append(
                "positions: metres east and north of \(anchor.latitude), \(anchor.longitude); --origin LAT,LON chooses another place"
            )
        case .shifted(let x, let y):
            lines.append(
                "positions: \(ListValues.decimal(x, places: 3)) is subtracted from x, \(ListValues.decimal(y, places: 3)) from y"
            )
        }
        return lines
    }
}
