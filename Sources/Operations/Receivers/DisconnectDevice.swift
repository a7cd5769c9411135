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
    package static let fields: [Field<DisconnectDevice>] = ConnectionEnds.fields.map { $0.lifted(to: \.ends) }
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unknownPeer]

    package var ends = ConnectionEnds()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.listener(ends.receiver.text).connections.disconnect(from: ends.device)
        return Nothing()
    }
}
