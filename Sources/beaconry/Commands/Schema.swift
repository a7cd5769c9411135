// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import JSON

/// `beaconry schema`
struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract:
            "Print the JSON Schema of profiles, scenarios, sweeps or events, the OpenAPI description of requests, or the list of phones.",
        discussion: """
            Example: beaconry schema profile > profile.schema.json

            Editors with yaml-language-server complete and check a file whose first line is \
            # yaml-language-server: $schema=profile.schema.json. An installed program has its schemas in \
            share/beaconry/schemas, and beaconry init writes this line. It knows the keys, not each value: \
            beaconry check finds all faults. events has the events of docs/events.md; openapi is what a run has at /v1/openapi.json, for generators of clients. phones is a list, no schema: the presets and \
            the handsets of docs/phones.md.
            """)

    @Argument(help: "Kind: \(SchemaTool.Kind.allCases.map(\.rawValue).joined(separator: " or ")).")
    var kind: SchemaTool.Kind

    func run() throws { try SchemaTool.run(kind) }
}

extension SchemaTool.Kind: ExpressibleByArgument {}
