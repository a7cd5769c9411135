// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct FollowMonitoring: Operation {
    package static let name = "monitoring"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/monitoring"
    package static let sentence =
        "The regions of a listening receiver as server-sent events: first the state of each, then each change."
    package static let fields: [Field<FollowMonitoring>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RecordStream {
        RecordStream(await (try run.emulator.listener(receiver.text)).monitoring())
    }
}
