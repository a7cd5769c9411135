// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A recorded quantity as text: a line for each value, its time and itself, with a comma between them.
enum TraceText {
    /// The limit of points, so that a file cannot take memory without bound.
    private static let maximumCount = 100_000

    /// The values of a file. Times are in seconds, or have a unit; a heading, empty lines and lines that begin with `#`
    /// are ignored.
    static func points(_ text: String) throws(ValueFault) -> [Trace.Point] {
        var points: [Trace.Point] = []
        var isFirst = true
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
            if cells == [""] || line.hasPrefix("#") { continue }
            guard cells.count >= 2 else {
                throw ValueFault("line \(index + 1) is not a time and a value with a comma between")
            }
            do throws(ValueFault) {
                points.append(try point(cells[0], cells[1]))
            } catch {
                // Only a heading has words in both.
                guard isFirst, ValueFormat.number(cells[1]) == nil else {
                    throw ValueFault("line \(index + 1): \(error.message)")
                }
            }
            isFirst = false
            guard points.count <= maximumCount else { throw ValueFault("it has more than \(maximumCount) values") }
        }
        guard !points.isEmpty else { throw ValueFault("it has no values; write lines such as 5,21.5") }
        for (earlier, later) in zip(points, points.dropFirst()) where earlier.time >= later.time {
            throw ValueFault("its times do not go up after \(earlier.time)")
        }
        return points
    }

    /// A time, in seconds or with a unit, and a value.
    static func point(_ time: String, _ value: String) throws(ValueFault) -> Trace.Point {
        let isBare = time.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
        let moment = try ValueText.duration(
            isBare ? time + "s" : time, in: .zero ... .seconds(3_600_000), limits: "0s to 1000h")
        return Trace.Point(moment, try ValueText.number(value))
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(String(text.drop(while: isBlank).reversed()).drop(while: isBlank).reversed())
    }
}
