// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

package struct ListAdvertisers: Operation {
    package static let name = "listAdvertisers"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/advertisers"
    package static let sentence =
        "The devices that a listening receiver has received in the last five seconds, each with its last packet."
    package static let fields: [Field<ListAdvertisers>] =
        [.required("receiver", .path, \.receiver, "its name on the air")]
        + AdvertisementFilter.fields.map { $0.lifted(to: \.filter) }
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon]

    package var receiver = AirName()
    package var filter = AdvertisementFilter()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Listed<AdvertiserRecord> {
        Listed(await (try run.emulator.listener(receiver.text)).recentAdvertisers(filter))
    }
}
