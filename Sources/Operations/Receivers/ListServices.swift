// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListServices: Operation {
    package static let name = "listServices"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections/{device}/services"
    package static let sentence = "The services of a connected device with their characteristics and descriptors."
    package static let fields: [Field<ListServices>] = ConnectionEnds.fields.map { $0.lifted(to: \.ends) }
    package static let failures: [EmulatorError.Code] = [
        .unknownBeacon, .unknownPeer, .conflict, .refusedAttribute, .radio,
    ]

    package var ends = ConnectionEnds()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<ServiceRecord> {
        Listed(try await ends.connection(on: run).services())
    }
}
