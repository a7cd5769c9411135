// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ShowReceiver: Operation {
    package static let name = "showReceiver"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}"
    package static let sentence = "One receiver."
    package static let fields: [Field<ShowReceiver>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ReceiverRecord {
        try await run.receiver(receiver.text)
    }
}
