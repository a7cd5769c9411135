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

    /// The texts of the Swift files, without comments.
    private static func sources() throws -> [String] {
        let files = FileManager.default.enumerator(
            at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
        let swift = try #require(files).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        return try swift.map { try String(contentsOf: $0, encoding: .utf8).replacing(/(?m)^ *\/\/.*$/, with: "") }
    }

    /// Codes in the calls that make a warning, a finding, a limit, a problem of a request, or an error of a command.
    private static func codes() throws -> Set<String> {
        let literals = /(?:code:|[Ff]inding\(\s*\.\w+,|\berror\(|[Ww]arning\(\s*)\s*"([a-z0-9]+(?:-[a-z0-9]+)*)"/
        let found = try sources().flatMap { $0.matches(of: literals).map { String($0.output.1) } }
        #expect(Set(found).isSuperset(of: ["pdu-changed", "over-budget", "foreign-origin", "reset-refused"]))
        return Set(found)
    }

    @Test func everyCodeIsDocumented() throws {
        let documented = try Self.document("warnings.md") + Self.document("http.md")
        // Of errors of commands: the exit codes in docs/commands.md.
        for code in try Self.codes().subtracting(["usage"]).sorted() {
            #expect(documented.contains("`\(code)`"), "\(code) is in neither docs/warnings.md nor docs/http.md")
        }
    }

    @Test func everyDocumentedCodeExists() throws {
        let sources = try Self.sources().joined()
        let rows = try Self.document("warnings.md").matches(of: /(?m)^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|/)
        let statuses = try Self.document("http.md").matches(of: /(?m)^\| [0-9, ]{3,} \| (.*?) \|/)
        let cells = rows.map(\.output.1) + statuses.map(\.output.1)
        let codes = cells.flatMap { $0.matches(of: /`([a-z0-9-]+)`/).map { String($0.output.1) } }
        #expect(codes.count > 80)
        for code in Set(codes).sorted() {
            #expect(sources.contains("\"\(code)\"") || sources.contains("case \(code)\n"), "\(code) is in no source")
        }
    }
}
