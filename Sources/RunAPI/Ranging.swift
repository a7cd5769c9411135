// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import JSON
import Receiving

package struct FollowRanging: Operation {
    package static let name = "ranging"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/ranging"
    package static let sentence =
        "The ranging reports of a listening receiver, from now on, as server-sent events: the distance of each beacon."
    package static let fields: [Field<FollowRanging>] =
        [.required("receiver", .path, \.receiver, "its name on the air")]
        + AdvertisementFilter.numbers.map { $0.lifted(to: \.filter) }
    package static let failures: [EmulatorError.Code] = [.badProfile, .unknownBeacon]

    package var receiver = AirName()
    package var filter = AdvertisementFilter()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RecordStream {
        RecordStream(try await run.emulator.listener(receiver.text).ranging(filter))
    }
}

package struct ShowRanging: Operation {
    package static let name = "showRanging"
    package static let method = OperationMethod.get
    package static let path = "/v1/receivers/{receiver}/beacons"
    package static let sentence = "The last ranging report of a listening receiver."
    package static let fields: [Field<ShowRanging>] = [
        .required("receiver", .path, \.receiver, "its name on the air")
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon]

    package var receiver = AirName()

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> RangingRecord {
        await (try await run.emulator.listener(receiver.text)).lastReport
    }
}

extension RangingRecord: ReadableRecord {
    package static let schema = Schema.record(
        "RangingReport",
        [
            .version, .required("time", .text, "the time of the report, in UTC"),
            .required(
                "beacons",
                .array(
                    .record(
                        "RangedBeacon",
                        [.required("format", .text, "the format of its frame")] + IdentifierRecord.ofBeacon + [
                            .required(
                                "rssi", .integer(-128...127),
                                "the mean since the last report, in dBm; 0 without packets"),
                            .optional("measuredPower", .integer(-128...127), "the RSSI at 1 m, in dBm"),
                            .required("packets", .integer(from: 0), "the number of its packets since the last report"),
                            .required("proximity", .choice(Proximity.self), "how near it is"),
                            .required("accuracy", .number, "the estimated distance in metres; -1 if unknown"),
                            .optional(
                                "truth", TruthRecord.schema, "where the beacon really is, and its true distance"),
                        ])), "the nearest first"),
            .optional(
                "obstacle", .choice(PhoneObstacle.self), "why nothing can be received; absent if it can"),
            .optional("truth", TruthRecord.schema, "where the receiver really is"),
        ])
}

extension IdentifierRecord {
    /// The members that regions have, too.
    static let ofRegion: [Schema.Member] = [
        .optional("uuid", .text, "the proximity UUID; of AltBeacon the first 16 bytes of the identifier"),
        .optional("major", .integer(0...65535), "the major number; of AltBeacon the next two bytes"),
        .optional("minor", .integer(0...65535), "the minor number; of AltBeacon the last two bytes"),
        .optional("namespace", .text, "the namespace of Eddystone-UID, in hexadecimal digits"),
        .optional("instance", .text, "the instance of Eddystone-UID, in hexadecimal digits"),
    ]

    static let ofBeacon =
        ofRegion + [.optional("identity", .text, "the address of Eddystone-URL, or the digits of Eddystone-EID")]
}
