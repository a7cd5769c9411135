// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ResetLink: Operation {
    package static let name = "resetLink"
    package static let method = OperationMethod.delete
    package static let path = "/v1/links/{from}/{to}"
    package static let sentence = "Removes the override of a path."
    package static let fields: [Field<ResetLink>] = [
        .required("from", .path, \.from, "the beacon, or another advertiser"),
        .required("to", .path, \.to, "the host or the receiver that scans"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var from = AirName()
    package var to = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.air.overrideLink(from: from.text, to: to.text, nil)
        return Nothing()
    }
}
