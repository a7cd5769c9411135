// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ReadCharacteristic: Operation {
    package static let name = "readCharacteristic"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections/{device}/characteristics/{characteristic}"
    package static let sentence = "Reads the value of a characteristic of a connected device."
    package static let fields: [Field<ReadCharacteristic>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .required("characteristic", .path, \.characteristic, "the handle of its value, or its UUID")
        ]
    package static let failures: [EmulatorError.Code] = .ofCharacteristic

    package var ends = ConnectionEnds()
    package var characteristic = CharacteristicReference()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ValueRecord {
        try await ends.connection(on: run).read(characteristic)
    }
}
