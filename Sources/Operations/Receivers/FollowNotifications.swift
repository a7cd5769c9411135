// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct FollowNotifications: Operation {
    package static let name = "notifications"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/connections/{device}/notifications"
    package static let sentence =
        "The values that a connected device notifies or indicates, from now on, as server-sent events."
    package static let fields: [Field<FollowNotifications>] =
        ConnectionEnds.fields.map { $0.lifted(to: \.ends) } + [
            .optional(
                "characteristic", .query, \.characteristic,
                "the handle or the UUID of one characteristic, subscribed while the client follows; without it, "
                    + "the values of all characteristics")
        ]
    package static let failures: [EmulatorError.Code] = .ofCharacteristic

    package var ends = ConnectionEnds()
    package var characteristic: CharacteristicReference?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RecordStream {
        RecordStream(
            try await ends.connection(on: run).notifications(of: characteristic))
    }
}
