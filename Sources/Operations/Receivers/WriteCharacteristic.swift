// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct WriteCharacteristic: Operation {
    package static let name = "writeCharacteristic"
    package static let method = OperationMethod.put
    package static let path = "/v1/receivers/{receiver}/connections/{device}/characteristics/{characteristic}"
    package static let sentence = "Writes the value of a characteristic of a connected device."
    package static let fields: [Field<WriteCharacteristic>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .required("characteristic", .path, \.characteristic, "the handle of its value, or its UUID"),
            .required("value", .member, \.value, "the bytes in hexadecimal digits, at most 512"),
            .optional(
                "response", .member, \.response,
                "whether the device acknowledges it; without it, true"),
        ]
    package static let failures: [EmulatorError.Code] = .ofCharacteristic

    package var ends = ConnectionEnds()
    package var characteristic = CharacteristicReference()
    package var value = AttributeValue()
    package var response: Bool?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await ends.connection(on: run).write(
            value.bytes, to: characteristic, needsResponse: response ?? true)
        return Nothing()
    }
}
