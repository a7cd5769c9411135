// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowRanging: Operation {
    package static let name = "showRanging"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/beacons"
    package static let sentence = "The last ranging report of a listening receiver."
    package static let fields: [Field<ShowRanging>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RangingRecord {
        await (try run.emulator.listener(receiver.text)).lastReport
    }
}
