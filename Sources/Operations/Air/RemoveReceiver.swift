// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
import Radio

package struct RemoveReceiver: Operation {
    package static let name = "removeReceiver"
    package static let method = OperationMethod.delete
    package static let path = "/v1/receivers/{receiver}"
    package static let sentence = "Removes a receiver that was added, and its hosts; returns it as it was before."
    package static let fields: [Field<RemoveReceiver>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .conflict, .unsupported]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ReceiverRecord {
        if run.emulator.listeners[receiver.text] != nil {
            let record = try await run.receiver(receiver.text)
            try await run.emulator.removeListener(receiver.text)
            return record
        }
        let removed = try await run.emulator.air.removeReceiver(receiver.text)
        return ReceiverRecord(removed.name, server: removed)
    }
}
