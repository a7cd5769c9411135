// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowVersion: Operation {
    package static let name = "version"
    package static let method = OperationMethod.get
    package static let path = "/v1/version"
    package static let sentence = "The versions of the program and of the HTTP API."

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Version { Version(version: run.version) }
}

/// The versions of the program and of the API.
package struct Version: Record {
    package static let schema = Schema.record(
        "Version",
        [
            .required("version", .text, "the version of the program"),
            .required("api", .integer, "the version of the HTTP API"),
        ])

    let version: String
    let api = 1
}
