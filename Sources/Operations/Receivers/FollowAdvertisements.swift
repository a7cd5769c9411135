// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct FollowAdvertisements: Operation {
    package static let name = "advertisements"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/advertisements"
    package static let sentence = "The packets that a listening receiver gets, from now on, as server-sent events."
    package static let fields: [Field<FollowAdvertisements>] =
        [.required("receiver", .path, \.receiver, "its name on the air")]
        + AdvertisementFilter.fields.map { $0.lifted(to: \.filter) }
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon]

    package var receiver = AirName()
    package var filter = AdvertisementFilter()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RecordStream {
        RecordStream(try run.emulator.listener(receiver.text).advertisements(filter))
    }
}
