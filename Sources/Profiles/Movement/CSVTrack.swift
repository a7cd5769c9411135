// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Space

/// A track as CSV: a heading with `t`, `x`, `y` and, if present, `who` and `z`, and a row for each position.
struct CSVTrack: Sendable {
    private static let names = ["t", "who", "x", "y", "z"]
    /// 1,000 hours, in seconds.
    private static let longestTime = 3_600_000.0
    /// Of one value, in bytes: names of people have up to 100 characters.
    private static let maximumLength = 400

    /// The rows of one of those in the file.
    fileprivate struct Track {
        var points: [Motion.Path.Point] = []
        /// The line of the last of them.
        var lastLine = 0
        /// The first fault in them, with its line.
        var fault: ValueFault?
    }

    /// Whether there is a column `who`.
    let hasWho: Bool
    /// The line of the heading.
    private let headingLine: Int
    /// The rows, by the values in the column `who`; under an empty key, if there is no such column.
    private var tracks: [String: Track] = [:]
    /// Some of those in the column `who`, in the order of the file.
    private var present: [String] = []

    /// Parses a file; empty lines and lines that begin with `#` are ignored.
    init(_ text: String) throws(ValueFault) {
        var heading: Heading?
        var headingLine = 0
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let number = index + 1
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { Self.trimmed($0) }
            if cells == [""] || line.hasPrefix("#") { continue }
            do throws(ValueFault) {
                guard cells.allSatisfy({ $0.utf8.count <= Self.maximumLength }) else {
                    throw ValueFault("a value has more than \(Self.maximumLength) bytes")
                }
                guard let columns = heading else {
                    heading = try Heading(cells)
                    headingLine = number
                    continue
                }
                guard cells.count == columns.count else {
                    throw ValueFault("the row has \(cells.count) values, and the heading has \(columns.count)")
                }
                let name = columns.who.map { cells[$0] } ?? ""
                if tracks[name] == nil, present.count < 8 { present.append(name) }
                tracks[name, default: Track()].add(cells, in: columns, line: number)
            } catch {
                throw ValueFault("line \(number): \(error.message)")
            }
        }
        hasWho = heading?.who != nil
        self.headingLine = headingLine
    }

    /// The points of one of the tracks in the file.
    /// - Parameters:
    ///   - who: selects the rows; `nil` for the rows of `id`, or for all if there is no column `who`.
    func points(of who: String?, id: String) throws(ValueFault) -> [Motion.Path.Point] {
        if let who, !hasWho, headingLine > 0 {
            throw ValueFault("line \(headingLine): there is no column who, to select \"\(who)\"")
        }
        let name = who ?? id
        if let track = tracks[hasWho ? name : ""] {
            if let fault = track.fault { throw fault }
            return track.points
        }
        guard !present.isEmpty else {
            throw ValueFault("it has no rows; write the heading t,who,x,y and rows such as 0,\(name),2.5,4")
        }
        throw ValueFault(
            Spelling.unknown("no row is of \"\(name)\"", name, "those in the column who", things: present.sorted()))
    }

    /// The columns, by their numbers from 0.
    fileprivate struct Heading {
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

extension CSVTrack.Track {
    /// Adds a row, unless an earlier one has a fault.
    fileprivate mutating func add(_ cells: [String], in columns: CSVTrack.Heading, line: Int) {
        guard fault == nil else { return }
        do throws(ValueFault) {
            let point = try columns.point(cells)
            if let earlier = points.last, earlier.time >= point.time {
                throw ValueFault("its time is not after the time of line \(lastLine)")
            }
            lastLine = line
            points.append(point)
            guard points.count <= TrackFile.maximumCount else {
                throw ValueFault("there are more than \(TrackFile.maximumCount) points")
            }
        } catch {
            fault = ValueFault("line \(line): \(error.message)")
        }
    }
}
