// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct DisconnectDevice: Operation {
    package static let name = "disconnectDevice"
    package static let method = OperationMethod.delete
    package static let path = "/v1/receivers/{receiver}/connections/{device}"
    package static let sentence =
        "Ends the connection of a listening receiver to a device, or the attempt to connect to it."
    package static let fields: [Field<DisconnectDevice>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("device", .path, \.device, "the address of a device, or the id of a beacon of the run"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unknownPeer]

    package var receiver = AirName()
    package var device = DeviceReference()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.listener(receiver.text).connections.disconnect(from: device)
        return Nothing()
    }
}
