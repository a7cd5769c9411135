// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct RemoveRegion: Operation {
    package static let name = "removeRegion"
    package static let method = OperationMethod.delete
    package static let path = "/v1/receivers/{receiver}/regions/{region}"
    package static let sentence = "Ends the monitoring of a region, without an event."
    package static let fields: [Field<RemoveRegion>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("region", .path, \.region, "the name of the region"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()
    package var region = RegionName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await (try run.emulator.listener(receiver.text)).removeRegion(region.text)
        return Nothing()
    }
}
