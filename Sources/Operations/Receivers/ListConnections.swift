// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

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
        Listed(await (try run.emulator.listener(receiver.text)).connections.records)
    }
}
