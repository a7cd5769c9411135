// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListServices: Operation {
    package static let name = "listServices"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections/{device}/services"
    package static let sentence = "The services of a connected device with their characteristics and descriptors."
    package static let fields: [Field<ListServices>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("device", .path, \.device, "the address of a device, or the id of a beacon of the run"),
    ]
    package static let failures: [EmulatorError.Code] = [
        .unknownBeacon, .unknownPeer, .conflict, .refusedAttribute, .radio,
    ]

    package var receiver = AirName()
    package var device = DeviceReference()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<ServiceRecord> {
        Listed(try await run.emulator.connection(of: receiver.text, to: device).services())
    }
}
