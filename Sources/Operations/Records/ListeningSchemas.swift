// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator
import Receiving

extension ReceiverScan {
    private static let interval = Schema.text(
        pattern: "[0-9]{1,9}([.][0-9]{1,6})?(ms|s)|[0-9]{1,6}ticks", example: "30ms")

    static let schema = Schema.record(
        "Scan",
        [
            .optional("active", .boolean, "whether it sends scan requests"),
            .optional("window", interval, "the receiving time in each interval, such as 30ms"),
            .optional("interval", interval, "the time from one window to the next, such as 40ms"),
        ])
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
            .optional("uuid", .text, "the proximity UUID; of AltBeacon the first 16 bytes of the identifier"),
            .optional("major", .integer(0...65535), "the major number; of AltBeacon the next two bytes"),
            .optional("minor", .integer(0...65535), "the minor number; of AltBeacon the last two bytes"),
            .optional("measuredPower", .integer(-128...127), "the RSSI at 1 m, in dBm"),
            .required("packets", .integer(from: 1), "the number of its packets so far"),
        ])
}

extension RangingRecord: Record {
    package static let schema = Schema.record(
        "RangingReport",
        [
            .version, .required("time", .text, "the time of the report, in UTC"),
            .required(
                "beacons",
                .array(
                    .record(
                        "RangedBeacon",
                        [
                            .required("uuid", .text, "the proximity UUID"),
                            .required("major", .integer(0...65535), "the major number"),
                            .required("minor", .integer(0...65535), "the minor number"),
                            .required(
                                "rssi", .integer(-128...127),
                                "the mean since the last report, in dBm; 0 without packets"),
                            .required("measuredPower", .integer(-128...127), "the RSSI at 1 m, in dBm"),
                            .required("packets", .integer(from: 0), "the number of its packets since the last report"),
                            .required("proximity", .choice(Proximity.self), "how near it is"),
                            .required("accuracy", .number, "the estimated distance in metres; -1 if unknown"),
                        ])), "the nearest first"),
        ])
}

extension MonitoredRegion: ListedRecord {
    package static let plural = "regions"
    package static let schema = Schema.record(
        "Region",
        [
            .version, .required("identifier", .text, "the name"), .required("uuid", .text, "the proximity UUID"),
            .optional("major", .integer(0...65535), "the major number; absent for any"),
            .optional("minor", .integer(0...65535), "the minor number; absent for any"),
            .required("state", .choice(RegionState.self), "whether the receiver is inside"),
        ])
}
