// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowVersion: Operation {
    package static let name = "version"
    package static let method = OperationMethod.get
    package static let path = "/v1/version"
    package static let sentence = "The version of the program, and of these operations."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Version { Version(version: run.version) }
}

/// Versions.
package struct Version: Record {
    package static let schema = Schema.record(
        "Version",
        [
            .required("version", .text, "the version of the program"),
            .required("api", .integer, "the version of these operations"),
        ])

    let version: String
    let api = 1
}
