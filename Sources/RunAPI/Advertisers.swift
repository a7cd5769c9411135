// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
package import JSON
import Receiving

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
        RecordStream(try await run.emulator.listener(receiver.text).advertisements(filter))
    }
}

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
        Listed(await (try await run.emulator.listener(receiver.text)).recentAdvertisers(filter))
    }
}

extension AdvertiserRecord: ListedRecord {
    package static let plural = "advertisers"
    package static let schema = Schema.record(
        "Advertiser",
        [
            .version, .required("time", .text, "the time of the run, in UTC"),
            .required("receiver", .text, "the receiver"), .required("address", .text, "the address of the sender"),
            .required("addressType", .choice(["public", "random"]), "the type of the address"),
            .optional("pdu", .text, "the type of the PDU"),
            .optional("connectable", .boolean, "whether it accepts connections"),
            .optional("rssi", .integer(-127...20), "in dBm"),
            .required("data", .text, "the AD structures, in hexadecimal digits"),
            .optional("name", .text, "the local name"), .optional("txPower", .integer, "in dBm"),
            .required("services", .texts, "the UUIDs of services"),
            .required("serviceData", .dictionary(.text), "the data of services by their UUIDs, in hexadecimal digits"),
            .required(
                "manufacturerData", .dictionary(.text),
                "the data of manufacturers by their company identifiers, in hexadecimal digits"),
            .optional("device", .text, "the beacon of the run that sent it"),
            .optional("format", .text, "the format of its first beacon frame"),
            .optional("company", .integer(0...65535), "the company identifier of the frame"),
        ] + IdentifierRecord.ofBeacon + [
            .optional("measuredPower", .integer(-128...127), "the RSSI at 1 m, in dBm"),
            .required("packets", .integer(from: 1), "the number of its packets so far"),
            .optional(
                "truth", TruthRecord.schema, "where both really are, and their true distance; absent if it is not known"
            ),
        ])
}
