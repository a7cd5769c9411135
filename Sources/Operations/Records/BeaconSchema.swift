// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Devices
package import Emulator
import Radio

extension BeaconRecord: ListedRecord {
    package static let plural = "beacons"
    package static let schema = Schema.record("Beacon", common + state)

    /// The settings that kinds of devices have in common.
    private static let common = DeviceRegistry.commonSettings.map { setting in
        Schema.Member.optional(
            setting.field, Schema(["type": .array([.text("integer"), .text("string")])]), "its \(setting.key)")
    }

    private static let state: [Schema.Member] = [
        .version,
        .required("device", .text, "its name in the run: the id, or PROFILE/ID if profiles share ids"),
        .optional("name", .text, "the complete device name"),
        .required("profile", .text, "the name of its profile"),
        .required("kind", .text, "the kind of device, as in profiles"),
        .required("enabled", .boolean, "whether it is switched on"),
        .optional("values", .dictionary(.text), "the settings that only this kind of device has"),
        .optional(
            "presentValues", .dictionary(.text),
            "the current values of simulated settings: those that are auto in values"),
        .required("services", .texts, "the UUIDs of its services"),
        .required("keepsSettings", .boolean, "whether settings are saved"),
        .required("onAir", .boolean, "whether it is on the air now"),
        .required("state", .choice(AirState.self), "whether it is on the air now, or why it is not"),
        .required("shouldBeOnAir", .boolean, "whether it should be on the air"),
        .optional("address", .text, "the advertiser's address, or the last one"),
        .optional("pdu", .choice(AdvertisingPDU.self), "the type of PDU on the air, or the last one"),
        .optional("flags", .integer(0...255), "the flags on the air, or the last ones"),
        .optional("effectiveTxPower", .integer, "the transmit power of the controller in dBm"),
        .optional("position", .metres, "the position x, y, z in metres"),
        .required("centrals", .texts, "the addresses of the connected centrals"),
        .optional("muted", .boolean, "true if it is muted: receivers get none of its packets"),
        .optional("battery", .choice(BatteryState.self), "flat if the battery has no energy"),
        .optional(
            "schedule",
            .record(
                "Schedule",
                [
                    .required("on", .boolean, "whether the schedule has the beacon on"),
                    .optional("until", .text, "when that changes, in UTC"),
                    .optional("overridden", .boolean, "true if the beacon was switched the other way until then"),
                ]), "what its schedule says"),
        .optional("changed", .boolean, "in the answer to a change of settings: whether a value changed"),
    ]
}

extension BondRecord: ListedRecord {
    package static let plural = "bonds"
    package static let schema = Schema.record(
        "Bond",
        [
            .version,
            .required("device", .text, "the beacon"),
            .required("peer", .text, "the identity address of the peer"),
            .required("peerType", .choice(["random", "public"]), "the type of that address"),
            .optional("authenticated", .boolean, "whether the key is protected against a person in the middle"),
            .optional("secureConnections", .boolean, "whether the key was generated with LE Secure Connections"),
            .optional("keySize", .integer(7...16), "the size of the key in bytes"),
        ])
}
