// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import FoundationEssentials
import JSON
import RunAPI

/// `schema`: prints the JSON Schema of a kind of file, or the description of the requests of a run.
package enum SchemaTool {
    /// What has a schema.
    package enum Kind: String, CaseIterable, Sendable {
        case profile, scenario, sweep, events, openapi, phones

        fileprivate var document: JSONValue {
            switch self {
            case .profile: ProfileSchema.document
            case .scenario: ScenarioSchema.document
            case .sweep: SweepSchema.document
            case .events: EventSchema.document
            case .openapi: OpenAPIDocument.document
            case .phones: PhoneList.document
            }
        }
    }

    /// Prints the schema.
    package static func run(_ kind: Kind) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(kind.document), as: UTF8.self)
        Output.lines(text.split(separator: "\n").map { String($0) })
    }

    /// The line that connects a YAML file with the installed schema, for editors with yaml-language-server; `nil` if the
    /// program was not installed with one.
    static func line(for kind: Kind) -> String? {
        InstalledFiles.installed("schemas/\(kind.rawValue).schema.json").map { "# yaml-language-server: $schema=\($0)" }
    }
}
