// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import BluetoothCore
package import Emulator
import Receiving

package struct PutRegion: Operation {
    package static let name = "putRegion"
    package static let method = OperationMethod.put
    package static let path = "/v1/receivers/{receiver}/regions/{region}"
    package static let sentence =
        "Has a listening receiver monitor a region, instead of one of the same name, until it is removed."
    package static let fields: [Field<PutRegion>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("region", .path, \.region, "the name of the region, 1 to 255 bytes"),
        .required("uuid", .member, \.uuid, "the proximity UUID of its beacons"),
        .optional("major", .member, \.major, "their major number; without it, any"),
        .optional("minor", .member, \.minor, "their minor number; without it, any"),
        .optional(
            "exit-after", .member, \.exitAfter,
            "the time without a packet after which the region is left; without it, the time of the phone"),
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon, .conflict]

    package var receiver = AirName()
    package var region = RegionName()
    package var uuid = IBeacon.template.uuid
    package var major: UInt16?
    package var minor: UInt16?
    package var exitAfter: Duration?

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> Stored<MonitoredRegion> {
        guard minor == nil || major != nil else {
            throw EmulatorError(.badProfile, "a minor number needs a major number", hint: "send major, too")
        }
        let listener = try run.emulator.listener(receiver.text)
        let put = try await listener.monitor(
            BeaconRegion(identifier: region.text, uuid: uuid, major: major, minor: minor), exitAfter: exitAfter)
        return Stored(put.record, isNew: put.isNew)
    }
}
