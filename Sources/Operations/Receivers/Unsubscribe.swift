// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct Unsubscribe: Operation {
    package static let name = "unsubscribe"
    package static let method = OperationMethod.delete
    package static let path = "/v1/receivers/{receiver}/connections/{device}/notifications"
    package static let sentence =
        "Ends the subscription to a characteristic of a connected device, and the streams of the clients that follow it."
    package static let fields: [Field<Unsubscribe>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .required("characteristic", .query, \.characteristic, "the handle of its value, or its UUID")
        ]
    package static let failures: [EmulatorError.Code] = .ofCharacteristic

    package var ends = ConnectionEnds()
    package var characteristic = CharacteristicReference()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await ends.connection(on: run).unsubscribe(from: characteristic)
        return Nothing()
    }
}
