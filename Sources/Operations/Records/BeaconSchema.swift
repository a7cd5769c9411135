// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Devices
package import Emulator
import Radio

extension BeaconRecord: ListedRecord {
    package static let plural = "beacons"
    package static let schema: Schema = .record(
        "Beacon",
        [
            .version,
            .required("id", .text, "its name in the run: the id, or PROFILE/ID if profiles share ids"),
            .optional("name", .text, "the complete device name"),
            .required("profile", .text, "the name of its profile"),
            .required("kind", .text, "the kind of device, as in profiles"),
            .required("enabled", .boolean, "whether it is switched on"),
            .required("settings", settings, "the settings that can be changed, with the keys and values of profiles"),
            .optional("present", .dictionary(.text), "the present values of those settings that are auto"),
            .required("services", .texts, "the UUIDs of its services"),
            .required("keepsSettings", .boolean, "whether settings are saved"),
            .required("onAir", .boolean, "whether it is on the air now"),
            .required("state", .choice(AirState.self), "whether it is on the air now, or why it is not"),
            .required("shouldBeOnAir", .boolean, "whether it should be on the air"),
            .optional("effective", EffectiveRecord.schema, "the advertisement on the air, or the last one"),
            .optional("position", .metres, "the position x, y, z in metres"),
            .required("centrals", .texts, "the addresses of the connected centrals"),
            .required("muted", .boolean, "whether it is muted: receivers get none of its packets"),
            .required("battery", .choice(BatteryState.self), "flat if the battery has no energy"),
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
        ])

    /// Those that kinds of devices have in common, and others.
    private static let settings: Schema = .object(
        DeviceRegistry.commonSettings.map { setting -> Schema.Member in
            .optional(setting.key, schema(of: setting.contentType), setting.meaning)
        }, others: .text)

    private static func schema(of type: SettingValue.ContentType) -> Schema {
        switch type {
        case .integer: .integer
        case .text: .text
        case .integerOr(let text): .anyOf([.integer, .choice([text])])
        }
    }
}

extension EffectiveRecord {
    static let schema = Schema.record(
        "Effective", values.map { .optional($0.key, schema(of: $0.type), $0.meaning) })

    private static func schema(of type: ValueType) -> Schema {
        switch type {
        case .text: .text
        case .choice(let names): .choice(names)
        case .integer: .integer
        case .integerIn(let range): .integer(range)
        case .range: .array(.integer, 2...2)
        }
    }
}

extension BondRecord: ListedRecord {
    package static let plural = "bonds"
    package static let schema = Schema.record(
        "Bond",
        [
            .version,
            .required("beacon", .text, "the beacon"),
            .required("peer", .text, "the identity address of the peer"),
            .required("peerType", .choice(["random", "public"]), "the type of that address"),
            .optional("authenticated", .boolean, "whether the key is protected against a person in the middle"),
            .optional("secureConnections", .boolean, "whether the key was generated with LE Secure Connections"),
            .optional("keySize", .integer(7...16), "the size of the key in bytes"),
        ])
}
