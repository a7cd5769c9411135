// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ConnectDevice: Operation {
    package static let name = "connectDevice"
    package static let method = OperationMethod.put
    package static let path = "/v1/receivers/{receiver}/connections/{device}"
    package static let sentence = "Connects a listening receiver to a device, unless it is connected to it."
    package static let fields: [Field<ConnectDevice>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .optional(
                "timeout", .member, \.timeout, "the time limit, a time of the run of at most 60s; without it, 10s"),
            .optional(
                "addressType", .member, \.type,
                "the type of the address; without it, the type in the last packet from the device, else random"),
        ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon, .conflict, .radio]
    private static let usual = Duration.seconds(10)
    private static let longest = Duration.seconds(60)

    package var ends = ConnectionEnds()
    package var timeout: Duration?
    package var type: DeviceAddressType?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stored<ConnectionRecord> {
        let timeout = timeout ?? Self.usual
        guard timeout > .zero, timeout <= Self.longest else {
            throw EmulatorError(.badProfile, "timeout is more than 0s, and at most 60s")
        }
        let connected = try await run.emulator.connect(
            ends.receiver.text, to: ends.device, type, timeout: timeout)
        return Stored(connected.record, isNew: connected.isNew)
    }
}
