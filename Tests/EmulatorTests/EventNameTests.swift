// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Emulator

/// The names of events, compared with the documentation and the Python package.
@Suite struct EventNameTests {
    private static func text(of file: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: package.appending(path: file), encoding: .utf8)
    }

    /// The names in the first column of the table of events.
    private static func documented(in file: String) throws -> Set<String> {
        let lines = try text(of: file).components(separatedBy: "\n")
        let rows = lines.drop { !$0.hasPrefix("| event |") }.dropFirst(2).prefix { $0.hasPrefix("|") }
        return Set(
            rows.flatMap { row in
                row.split(separator: "|")[0].matches(of: /`([a-z-]+)`/).map { String($0.output.1) }
            })
    }

    @Test func eventsAreDocumented() throws {
        let documented = try Self.documented(in: "docs/events.md").union(try Self.documented(in: "docs/ancs.md"))
        #expect(documented.subtracting(EventName.all).isEmpty)
        #expect(Set(EventName.all).subtracting(documented).isEmpty)
    }

    @Test func eachFieldIsOfAnEvent() {
        #expect(EventName.allFieldNames == Set(EventFields.Field.allCases.map(\.rawValue) + EffectiveRecord.fields))
    }

    @Test func pythonHasTheSameNames() throws {
        let source = try Self.text(of: "python/src/beaconry/_events.py")
        let names = source.matches(of: /"([a-z-]+)",/).map { String($0.output.1) }
        // The program prints the reason for which it does not start in the place of an event.
        #expect(names == (EventName.all + ["error"]).sorted())
    }
}
