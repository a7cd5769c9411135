// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Devices

/// A track as CSV: a heading with `t`, `x`, `y` and, if present, `who` and `z`, and a row for each position.
enum CSVTrack {
    private static let names = ["t", "who", "x", "y", "z"]
    /// 1,000 hours, in seconds.
    private static let longestTime = 3_600_000.0
    /// Of one value, in bytes: names of people have up to 100 characters.
    private static let maximumLength = 400

    /// The points of one of those in the file; empty lines and lines that begin with `#` are ignored.
    /// - Parameters:
    ///   - who: selects the rows; `nil` for those of `id`, or for all if there is no column `who`.
    static func points(in text: String, of who: String?, id: String) throws(ValueFault) -> [Motion.Path.Point] {
        var heading: Heading?
        var points: [Motion.Path.Point] = []
        var others: Set<String> = []
        var last = 0
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let number = index + 1
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
            if cells == [""] || line.hasPrefix("#") { continue }
            do throws(ValueFault) {
                guard cells.allSatisfy({ $0.utf8.count <= maximumLength }) else {
                    throw ValueFault("a value has more than \(maximumLength) bytes")
                }
                guard let columns = heading else {
                    let found = try Heading(cells)
                    if let who, found.who == nil { throw ValueFault("there is no column who, to select \"\(who)\"") }
                    heading = found
                    continue
                }
                guard cells.count == columns.count else {
                    throw ValueFault("the row has \(cells.count) values, and the heading has \(columns.count)")
                }
                if let column = columns.who, cells[column] != who ?? id {
                    if others.count < 8 { others.insert(cells[column]) }
                    continue
                }
                let point = try columns.point(cells)
                if let earlier = points.last, earlier.time >= point.time {
                    throw ValueFault("its time is not after that of line \(last)")
                }
                last = number
                points.append(point)
                guard points.count <= TrackFile.maximumCount else {
                    throw ValueFault("there are more than \(TrackFile.maximumCount) points")
                }
            } catch {
                throw ValueFault("line \(number): \(error.message)")
            }
        }
        guard points.isEmpty else { return points }
        guard !others.isEmpty else {
            throw ValueFault("it has no rows; write the heading t,who,x,y and rows such as 0,\(who ?? id),2.5,4")
        }
        let name = who ?? id
        throw ValueFault(
            Spelling.unknown("no row is of \"\(name)\"", name, "those in the column who", others.sorted()))
    }

    /// The columns, by their numbers from 0.
    private struct Heading {
        let count: Int
        let who: Int?
        private let time, x, y: Int
        private let z: Int?

        init(_ cells: [String]) throws(ValueFault) {
            for (number, name) in cells.enumerated() {
                guard names.contains(name) else {
                    throw ValueFault(
                        Spelling.unknown("there is no column \"\(name)\"", name, "columns", names)
                            + "; begin with the heading t,who,x,y")
                }
                guard cells.firstIndex(of: name) == number else {
                    throw ValueFault("the column \(name) appears twice")
                }
            }
            guard let time = cells.firstIndex(of: "t"), let x = cells.firstIndex(of: "x"),
                let y = cells.firstIndex(of: "y")
            else { throw ValueFault("the columns t, x and y are required") }
            count = cells.count
            who = cells.firstIndex(of: "who")
            self.time = time
            self.x = x
            self.y = y
            z = cells.firstIndex(of: "z")
        }

        /// The position and the time of a row.
        func point(_ cells: [String]) throws(ValueFault) -> Motion.Path.Point {
            let isNumber = !cells[time].isEmpty && cells[time].utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == 0x2E }
            guard isNumber, let seconds = Double(cells[time]), 0...longestTime ~= seconds else {
                throw ValueFault("\"\(cells[time])\" is not a time from 0 to 3600000 seconds")
            }
            var height = 0.0
            if let z { height = try ValueText.metres(cells[z]) }
            let position = Position(x: try ValueText.metres(cells[x]), y: try ValueText.metres(cells[y]), z: height)
            return Motion.Path.Point(seconds, position)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(start[...end])
    }
}
