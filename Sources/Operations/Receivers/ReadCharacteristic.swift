// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ReadCharacteristic: Operation {
    package static let name = "readCharacteristic"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections/{device}/characteristics/{characteristic}"
    package static let sentence = "Reads the value of a characteristic of a connected device."
    package static let fields: [Field<ReadCharacteristic>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("device", .path, \.device, "the address of a device, or the id of a beacon of the run"),
        .required("characteristic", .path, \.characteristic, "the handle of its value, or its UUID"),
    ]
    package static let failures: [EmulatorError.Code] = [
        .badProfile, .unknownBeacon, .unknownPeer, .unknownCharacteristic, .conflict, .refusedAttribute, .radio,
    ]

    package var receiver = AirName()
    package var device = DeviceReference()
    package var characteristic = CharacteristicReference()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ValueRecord {
        try await run.emulator.connection(of: receiver.text, to: device).read(characteristic)
    }
}
