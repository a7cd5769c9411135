// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator
package import JSON

package struct ShowTruth: Operation {
    package static let name = "showTruth"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/truth"
    package static let sentence = "Where a receiver really is on the virtual air, and how far from each beacon."
    package static let fields: [Field<ShowTruth>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> ReceiverTruth {
        let name = receiver.text
        let receiver = try await run.receiver(name)
        return try await run.emulator.truth(of: receiver.name)
    }
}

extension ReceiverTruth: ReadableRecord {
    package static let schema = Schema.record(
        "ReceiverTruth",
        [
            .version, .required("receiver", .text, "the name of the receiver"),
            .optional("position", .metres, "x, y, z in metres; absent for 1 m from every beacon"),
            .optional("room", .text, "the id of the room that it is in; absent outside of all rooms"),
            .required(
                "beacons",
                .array(
                    .object([
                        .required("id", .text, "the name of the beacon"),
                        .optional("position", .metres, "x, y, z in metres; absent if it has none"),
                        .optional("room", .text, "the id of the room that it is in; absent outside of all rooms"),
                        .optional("distance", .number, "in metres; absent unless both have a position"),
                    ])), "the beacons, in the order of their names"),
        ])
}

extension TruthRecord {
    static let schema = Schema.record(
        "Truth",
        [
            .optional("receiver", place, "where the receiver is; absent if it has no position"),
            .optional("beacon", place, "where the beacon is; absent if it has no position, or is none of the run"),
            .optional("distance", .number, "in metres; absent unless both have a position"),
        ])

    private static let place = Schema.record(
        "TruePlace",
        [
            .required("name", .text, "its name on the air"), .required("position", .metres, "x, y, z in metres"),
            .optional("room", .text, "the id of its room; absent outside of all rooms"),
        ])
}
