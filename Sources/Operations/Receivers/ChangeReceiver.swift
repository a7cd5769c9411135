// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ChangeReceiver: Operation {
    package static let name = "changeReceiver"
    package static let method = OperationMethod.patch
    package static let path = "/v1/receivers/{receiver}"
    package static let sentence = "Changes a receiver that scans within the run."
    package static let fields: [Field<ChangeReceiver>] =
        [.required("receiver", .path, \.receiver, "its name on the air")]
        + ListenerChange.fields.map { $0.lifted(to: \.change) }
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon, .conflict, .unsupported]

    package var receiver = AirName()
    package var change = ListenerChange()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ReceiverRecord {
        try await run.receiver(try await run.emulator.changeListener(receiver.text, change).name)
    }
}
