// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct FollowRanging: Operation {
    package static let name = "ranging"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/ranging"
    package static let sentence =
        "The ranging reports of a listening receiver, from now on, as server-sent events: the distance of each iBeacon."
    package static let fields: [Field<FollowRanging>] =
        [.required("receiver", .path, \.receiver, "its name on the air")]
        + AdvertisementFilter.numbers.map { $0.lifted(to: \.filter) }
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon]

    package var receiver = AirName()
    package var filter = AdvertisementFilter()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RecordStream {
        RecordStream(try run.emulator.listener(receiver.text).ranging(filter))
    }
}
