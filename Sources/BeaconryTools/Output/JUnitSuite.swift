// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Persistence

/// A suite of results in a file of JUnit XML, which servers of continuous integration read.
struct JUnitSuite {
    /// A name and a value beside a result.
    struct Property {
        let name: String
        let value: String
    }

    /// A result.
    struct Case {
        let name: String
        /// The line in the suite's file, counted from 1; `nil` without a file.
        let line: Int?
        /// How long it took, in real time.
        let time: Duration
        /// Why it failed; `nil` if it passed.
        let failure: String?
        var properties: [Property] = []
    }

    let name: String
    /// The file that describes the suite; `nil` for none.
    let file: String?
    let time: Duration
    let cases: [Case]
    var properties: [Property] = []

    /// Throws if the folder of a file does not exist: results would be lost.
    /// - Throws: `SystemError`.
    static func checkFolder(of path: String) throws(SystemError) {
        if let error = SystemError.missingFolder(of: path) { throw error }
    }

    /// Writes the file.
    /// - Throws: `SystemError`.
    static func write(_ suites: [JUnitSuite], to path: String) throws {
        try OutputFile.write(Array(text(suites).utf8), to: path)
    }

    /// The text of the file.
    static func text(_ suites: [JUnitSuite]) -> String {
        let cases = suites.flatMap(\.cases)
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        lines.append("<testsuites name=\"beaconry\" \(counts(cases))>")
        for suite in suites {
            lines.append(
                "  <testsuite name=\"\(escaped(suite.name))\" \(counts(suite.cases)) skipped=\"0\" "
                    + "time=\"\(seconds(suite.time))\">")
            lines += Self.lines(of: suite.properties, indent: "    ")
            lines += suite.cases.flatMap { suite.lines(of: $0) }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func counts(_ cases: [Case]) -> String {
        "tests=\"\(cases.count)\" failures=\"\(cases.count { $0.failure != nil })\" errors=\"0\""
    }

    /// To the millisecond.
    private static func seconds(_ time: Duration) -> Double { (time / .milliseconds(1)).rounded() / 1000 }

    private func lines(of result: Case) -> [String] {
        let place = [file.map { "file=\"\(Self.escaped($0))\" " }, result.line.map { "line=\"\($0)\" " }]
        let head =
            "    <testcase classname=\"\(Self.escaped(name))\" name=\"\(Self.escaped(result.name))\" "
            + place.compactMap(\.self).joined() + "time=\"\(Self.seconds(result.time))\""
        var content = Self.lines(of: result.properties, indent: "      ")
        if let failure = result.failure {
            let text = Self.escaped("\(result.name): \(failure)")
            content.append("      <failure message=\"\(Self.escaped(failure))\">\(text)</failure>")
        }
        return content.isEmpty ? [head + "/>"] : [head + ">"] + content + ["    </testcase>"]
    }

    private static func lines(of properties: [Property], indent: String) -> [String] {
        guard !properties.isEmpty else { return [] }
        let entries = properties.map {
            "\(indent)  <property name=\"\(escaped($0.name))\" value=\"\(escaped($0.value))\"/>"
        }
        return ["\(indent)<properties>"] + entries + ["\(indent)</properties>"]
    }

    /// A text for attributes and elements; characters that XML 1.0 does not have are replaced.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
