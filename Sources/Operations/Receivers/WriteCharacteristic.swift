// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct WriteCharacteristic: Operation {
    package static let name = "writeCharacteristic"
    package static let method = OperationMethod.put
    package static let path = "/v1/receivers/{receiver}/connections/{device}/characteristics/{characteristic}"
    package static let sentence = "Writes the value of a characteristic of a connected device."
    package static let fields: [Field<WriteCharacteristic>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("device", .path, \.device, "the address of a device, or the id of a beacon of the run"),
        .required("characteristic", .path, \.characteristic, "the handle of its value, or its UUID"),
        .required("value", .member, \.value, "the bytes in hexadecimal digits, at most 512"),
        .optional(
            "response", .member, \.response,
            "whether the device acknowledges it; without it, true"),
    ]
    package static let failures: [EmulatorError.Code] = [
        .badProfile, .unknownBeacon, .unknownPeer, .unknownCharacteristic, .conflict, .refusedAttribute, .radio,
    ]

    package var receiver = AirName()
    package var device = DeviceReference()
    package var characteristic = CharacteristicReference()
    package var value = AttributeValue()
    package var response: Bool?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.connection(of: receiver.text, to: device).write(
            value.bytes, to: characteristic, needsResponse: response ?? true)
        return Nothing()
    }
}
