// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Every code that Sources can report is documented, and what is documented as a code exists.
struct CodeDocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func document(_ name: String) throws -> String {
        try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    /// The lines of all Swift files, without comments.
    private static func sources() throws -> String {
        let files = FileManager.default.enumerator(
            at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        let swift = try #require(files).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        let lines = try swift.flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
        return lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    }

    /// The first groups of all matches. (`Regex` would take ten seconds for all sources.)
    private static func matches(of pattern: String, in text: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        let text = text as NSString
        let found = expression.matches(in: text as String, range: NSRange(location: 0, length: text.length))
        return found.map { text.substring(with: $0.range(at: 1)) }
    }

    /// Codes in the calls that make a warning, a finding, a limit, a problem of a request, or an error of a command.
    private static func codes() throws -> Set<String> {
        let calls = #"(?:code:|[Ff]inding\(\s*\.\w+,|\berror\(|[Ww]arning\(\s*)"#
        let found = try Set(matches(of: calls + #"\s*"([a-z0-9]+(?:-[a-z0-9]+)*)""#, in: sources()))
        #expect(found.isSuperset(of: ["pdu-changed", "over-budget", "foreign-origin", "reset-refused"]))
        return found
    }

    @Test func everyCodeIsDocumented() throws {
        let text = try Self.document("warnings.md") + Self.document("http.md")
        let documented = try Set(Self.matches(of: "`([a-z0-9-]+)`", in: text))
        // Of errors of commands: the exit codes in docs/commands.md.
        for code in try Self.codes().subtracting(["usage"]).sorted() {
            #expect(documented.contains(code), "\(code) is in neither docs/warnings.md nor docs/http.md")
        }
    }

    @Test func everyDocumentedCodeExists() throws {
        let sources = try Self.sources()
        let existing = try Set(Self.matches(of: #""([a-z0-9-]+)""#, in: sources))
            .union(Self.matches(of: "case ([a-z0-9]+)$", in: sources))
        let rows = try Self.matches(of: #"^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|"#, in: Self.document("warnings.md"))
        let cells = try Self.matches(of: #"^\| [0-9, ]{3,} \| (.*?) \|"#, in: Self.document("http.md"))
        let codes = try (rows + cells).flatMap { try Self.matches(of: "`([a-z0-9-]+)`", in: $0) }
        #expect(codes.count > 80)
        for code in Set(codes).sorted() { #expect(existing.contains(code), "\(code) is in no source") }
    }
}
