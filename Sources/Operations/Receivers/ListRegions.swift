// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListRegions: Operation {
    package static let name = "listRegions"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/regions"
    package static let sentence =
        "The regions of a listening receiver with their states, in the order in which they were added."
    package static let fields: [Field<ListRegions>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<MonitoredRegion> {
        Listed(await (try run.emulator.listener(receiver.text)).regions)
    }
}
