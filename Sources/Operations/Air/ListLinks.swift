// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListLinks: Operation {
    package static let name = "listLinks"
    package static let method = OperationMethod.get
    package static let path = "/v1/links"
    package static let sentence = "The radio links from each advertiser to each host that scans: distance, RSSI, loss."
    package static let failures: [EmulatorError.Code] = [.unsupported]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<LinkRecord> {
        Listed(try await run.emulator.air.paths().map(LinkRecord.init))
    }
}
