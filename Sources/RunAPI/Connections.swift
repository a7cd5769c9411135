// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator
package import JSON

package struct ListConnections: Operation {
    package static let name = "listConnections"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections"
    package static let sentence = "The devices that a listening receiver is connected to."
    package static let fields: [Field<ListConnections>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<ConnectionRecord> {
        Listed(await (try await run.emulator.listener(receiver.text)).connections.records)
    }
}

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
            .optional(
                "pair", .member, \.pairs,
                "whether a request that reads pairs if the device requires it; without it, only a write does"),
        ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon, .conflict, .radio]
    private static let usual = Duration.seconds(10)
    private static let longest = Duration.seconds(60)

    package var ends = ConnectionEnds()
    package var timeout: Duration?
    package var type: DeviceAddressType?
    package var pairs: Bool?

    package var patience: Duration? { (timeout ?? Self.usual) + Patience.usual }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stored<ConnectionRecord> {
        let timeout = timeout ?? Self.usual
        guard timeout > .zero, timeout <= Self.longest else {
            throw EmulatorError(.badProfile, "timeout is more than 0s, and at most 60s")
        }
        let connected = try await run.emulator.connect(
            ends.receiver.text, to: ends.device, type, pairs: pairs ?? false, timeout: timeout)
        return Stored(connected.record, isNew: connected.isNew)
    }
}

package struct DisconnectDevice: Operation {
    package static let name = "disconnectDevice"
    package static let method = OperationMethod.delete
    package static let path = "/v1/receivers/{receiver}/connections/{device}"
    package static let sentence =
        "Ends the connection of a listening receiver to a device, or the attempt to connect to it."
    package static let fields: [Field<DisconnectDevice>] = ConnectionEnds.fields.map { $0.lifted(to: \.ends) }
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unknownPeer]

    package var ends = ConnectionEnds()

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Nothing {
        try await run.emulator.listener(ends.receiver.text).connections.disconnect(from: ends.device)
        return Nothing()
    }
}

extension ConnectionRecord: ListedRecord, ReadableRecord {
    package static let plural = "connections"
    package static let schema = Schema.record(
        "Connection",
        [
            .version, .required("address", .text, "the address of the device"),
            .required("addressType", .choice(DeviceAddressType.self), "the type of the address"),
            .optional("device", .text, "the beacon of the run that the device is"),
            .required("mtu", .integer(from: 23), "the ATT_MTU, in bytes"),
            .required("since", .text, "when it was established, in UTC"),
        ])
}
