// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Emulator
import Profiles

extension MoveRecord: Record {
    package static let schema = Schema.record(
        "Place",
        [
            .version, .required("name", .text, "the name on the air"),
            .required("position", .metres, "the position x, y, z in metres"),
        ])
}

extension WalkRecord: Record {
    package static let schema = Schema.record(
        "Walk",
        [
            .version, .required("name", .text, "the name on the air"),
            .required("path", .array(.metres), "the positions in metres"),
            .required("over", .text, "the duration of the walk, such as 12.000s"),
        ])
}

extension DisconnectionRecord: Record {
    package static let schema = Schema.record(
        "Disconnection",
        [
            .version, .required("name", .text, "the beacon or the host that ended the connections"),
            .required("peers", .texts, "the addresses of the other ends"),
            .required("reason", .choice(DisconnectionReason.self), "the reason"),
        ])
}

extension ReceiverRecord: ListedRecord {
    package static let plural = "receivers"
    package static let schema = Schema.record(
        "Receiver",
        [
            .version, .required("name", .text, "the name on the air; further hosts of a server get a number after it"),
            .optional("server", .text, "the address that hosts connect to, such as tcp:127.0.0.1:6402"),
            .optional("port", .integer(1...65535), "the port of a TCP server"),
            .optional("hosts", .texts, "the names of the hosts that are connected to the server"),
            .required("joined", .boolean, "whether a host of this name is on the air"),
            .optional("position", .metres, "the position x, y, z in metres; without it, 1 m from every beacon"),
            .optional("path", .array(.metres), "the line on which it moves"),
            .optional("scan", ReceiverScan.schema, "its scan at present; absent while it does not scan"),
            .optional(
                "listening", .boolean, "whether its app scans; absent, as the following, for a host of another process"),
            .optional("phone", .text, "the phone that it receives like"),
            .optional("screen", .choice(["on", "off"]), "the state of its screen"),
            .optional("problem", .text, "why it cannot listen"),
        ])
}

extension OverrideRecord {
    static let schema = Schema.record(
        "LinkOverride",
        [
            .optional("rssi", .integer(-127...20), "the RSSI of all packets in dBm"),
            .optional("loss", .number, "the additional loss in dB"),
            .optional("packet-loss", .number(0...100), "the percentage of the packets that are lost in addition"),
            .optional("for", .text, "the time until it ends, such as 9.500s"),
        ])
}

extension LinkRecord: ListedRecord {
    package static let plural = "links"
    package static let schema = Schema.record(
        "Link",
        [
            .version, .required("from", .text, "the beacon, or another advertiser"),
            .required("to", .text, "the host that scans"),
            .optional("distance", .number, "in metres"),
            .required("meanRSSI", .number, "the RSSI in dBm without shadowing, fading and noise, with the override"),
            .optional("lastRSSI", .integer, "the RSSI in dBm of the last packet that was received"),
            .optional("lost", .number(0...1), "the fraction of the packets that were lost"),
            .optional("override", OverrideRecord.schema, "the override"),
        ])
}

extension LinkChangeRecord: Record {
    package static let schema = Schema.record(
        "LinkChange",
        [
            .version, .required("from", .text, "the advertiser"), .required("to", .text, "the host that scans"),
            .optional("override", OverrideRecord.schema, "the override; absent if it was removed"),
        ])
}

extension LinkHistory.Record: Record {
    package static let schema = Schema.record(
        "LinkHistory",
        [
            .required("elapsed", .number, "the present time of the run in seconds"),
            .required("times", .array(.number), "the times of the samples in seconds of the run, oldest first"),
            .required(
                "links",
                .array(
                    .object([
                        .required("from", .text, "the beacon, or another advertiser"),
                        .required("to", .text, "the host that scans"),
                        .required(
                            "rssi", .array(Schema(["type": .array([.text("integer"), .text("null")])])),
                            "in dBm, for each of the times; null where nothing could be received"),
                    ])), "the paths"),
        ])
}

extension AirRecord: Record {
    package static let schema = Schema.record(
        "Air",
        [
            .required(
                "physics",
                .object([.optional("preset", .text, "the preset with these values")] + PhysicsKey.all.map(physics)),
                "the model of the RSSI"),
            .required(
                "walls",
                .array(
                    .object([
                        .required("from", .array(.number, 2...2), "x and y in metres"),
                        .required("to", .array(.number, 2...2), "x and y in metres"),
                        .required("loss", .number, "in dB"),
                    ])), "the walls, seen from above"),
            .required(
                "levels", .dictionary(.number), "the mean RSSI in dBm at 1 m from each advertiser, by its name"),
        ])
}

extension AirRecord {
    private static func physics(_ key: PhysicsKey) -> Schema.Member {
        let schema: Schema =
            key.isNumber ? .number : .object(key.numbers.map { .required($0.name, .number, $0.meaning) })
        return key.off == .absent
            ? .optional(key.name, schema, key.meaning) : .required(key.name, schema, key.meaning)
    }
}
