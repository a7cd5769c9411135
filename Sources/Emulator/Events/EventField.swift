// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Profiles

/// A member of the JSON objects of events, which has the same meaning in all of them.
package struct EventField: Hashable, Sendable {
    /// The type of the value in JSON.
    package enum ValueType: Hashable, Sendable {
        case text, integer, number, boolean
        /// A list of texts.
        case texts
        /// A list of numbers.
        case numbers
        /// An object with these members at most.
        case object([String])
        /// An object whose members have names of the run as their keys.
        case named
        /// A list of objects.
        case objects
    }

    /// The name in JSON.
    package let name: String
    /// The type in JSON.
    package let type: ValueType
    /// What the value is, with its unit.
    package let meaning: String

    init(_ name: String, _ type: ValueType, _ meaning: String) {
        self.name = name
        self.type = type
        self.meaning = meaning
    }
}

extension EventField {
    // Of all events.
    static let v = EventField("v", .integer, "the version of the format: 1")
    static let time = EventField("time", .text, "in UTC, with milliseconds")
    static let event = EventField("event", .text, "the name of the event")
    package static let sequence = EventField(
        "sequence", .integer, "the number of the event in the run, from 1 (over HTTP)")
    /// No field of a kind has this name.
    package static let text = EventField("text", .text, "the sentence of the event (over HTTP, with `text=true`)")
    package static let common = [v, time, event]

    static let device = EventField("device", .text, "the beacon, or the phone")
    static let label = EventField(
        "label", .text, "the label of the beacon, or of the receiver whose event it is, as it was at that moment")
    static let central = EventField("central", .text, "the central, or the accessory of a phone")

    // An advertisement, beside the values of `EffectiveRecord`.
    static let radio = EventField("radio", .text, "the name of the radio")
    static let requested = EventField(
        "requested", .object(EffectiveRecord.requestedFields), "the requested values, under the same names")
    static let unknown = EventField("unknown", .texts, "the names of the values that the radio does not report")
    static let different = EventField(
        "different", .texts, "the names of the values that differ from the requested ones")
    static let address = EventField("address", .text, "the address of the advertiser, the host, or the radio")
    static let advertisingData = EventField("advertisingData", .text, "the advertising data as hexadecimal digits")
    /// The values of `EffectiveRecord`, of which the two above are fields of other events, too.
    static let effective = EffectiveRecord.eventFields.map { field in
        [address, advertisingData].first { $0.name == field.name } ?? field
    }

    // A problem.
    static let reason = EventField("reason", .text, "why, as a clause; of `refused`, the name of the error")
    static let code = EventField(
        "code", .text,
        "a stable code: of [warnings](warnings.md), [pairing](pairing.md), or a radio; of `refused`, `attError` as text (`0x0D`)"
    )
    static let message = EventField("message", .text, "one sentence")
    static let hint = EventField("hint", .text, "what to do")
    static let faults = EventField("faults", .objects, "the faults of a profile, objects as under [Errors](#errors)")

    // A central's access to a characteristic.
    static let characteristic = EventField("characteristic", .text, "the UUID of the characteristic")
    static let characteristicName = EventField(
        "characteristicName", .text, "the name of the characteristic, where the profile has one")
    static let value = EventField("value", .text, "the bytes as hexadecimal digits; of `refused`, the written ones")
    static let decoded = EventField(
        "decoded", .named,
        "the settings that it changed, and the value of the characteristic's name: `{\"major\":\"5\"}`, `{\"threshold\":\"50\"}`"
    )
    static let operation = EventField("operation", .text, "`read` or `write`")
    static let attError = EventField("attError", .integer, "the error code of ATT as a number")
    static let file = EventField("file", .text, "the path of the file")

    // A pairing.
    static let passkey = EventField("passkey", .text, "six digits")
    static let peer = EventField(
        "peer", .text,
        "the identity address; of a host, its end (`127.0.0.1:53412`, `hci1`; `unknown` behind a Unix socket)")
    static let peerType = EventField("peerType", .text, "`random` or `public`")
    static let bonded = EventField("bonded", .boolean, "whether keys were saved")
    static let authenticated = EventField(
        "authenticated", .boolean, "whether the key protects against a person in the middle")
    static let secureConnections = EventField("secureConnections", .boolean, "whether LE Secure Connections were used")
    static let keySize = EventField("keySize", .integer, "the size of the key, in bytes")

    // Another program's host.
    static let host = EventField("host", .text, "the name of the host on the air")
    static let transport = EventField(
        "transport", .text,
        "the server: `tcp:127.0.0.1:6402`, `unix:PATH`, `netsim:127.0.0.1:8877`, `vhci`; or the service: `dbus`, `esphome`"
    )
    static let hostKind = EventField(
        "hostKind", .text, "what the host is, if it says so over netsim: `emulator`, `cuttlefish`, `bumble`")
    static let scan = EventField("scan", .text, "`active` or `passive`")

    // A receiver, and a path to it.
    static let receiver = EventField("receiver", .text, "the name of the receiver on the air")
    static let server = EventField(
        "server", .text, "where the hosts of the receiver get controllers; absent for one that scans within the run")
    static let position = EventField("position", .numbers, "x, y, z in metres; absent for 1 m from every beacon")
    static let phone = EventField(
        "phone", .text, "the phone that it receives like; absent, as the following, for one with a server")
    static let handset = EventField("handset", .text, "the handset of the phone; absent for any")
    static let listening = EventField("listening", .boolean, "whether its app scans")
    static let screen = EventField("screen", .text, "the state of its screen: `on` or `off`")
    static let obstacle = EventField(
        "obstacle", .text, "why its app receives nothing: `bluetooth-off` or `permission-denied`; absent if it can")
    static let region = EventField("region", .text, "the name of the region")
    static let room = EventField("room", .text, "the id of the room")
    static let estimator = EventField("estimator", .text, "the name of the estimator")
    static let identifiers = EventField(
        "identifiers", .object(["uuid", "major", "minor", "namespace", "instance"]),
        "the identifiers of the beacons in the region")
    static let from = EventField("from", .text, "one end of the path, as in the request")
    static let to = EventField("to", .text, "the other end of the path")
    static let override = EventField(
        "override", .object(["rssi", "loss", "packet-loss", "for"]),
        "`rssi` in dBm, `loss` in dB, `packet-loss` in per cent, `for` the time until it ends; each absent if it does not apply"
    )
    static let physics = EventField(
        "physics", .object(["preset"] + PhysicsKey.all.map(\.name)), "the model of the RSSI, as in `GET /v1/air`")
    static let walls = EventField("walls", .integer, "the number of walls")

    // A phone's notification.
    static let notification = EventField(
        "notification",
        .object([
            "uid", "category", "categoryCount", "display", "flags", "name", "app", "appName", "title", "subtitle",
            "message", "messageSize", "date", "positiveAction", "negativeAction",
        ]), "the notification (see [A phone's notifications](ancs.md))")
    static let action = EventField("action", .text, "`positive` or `negative`")
    static let name = EventField("name", .text, "the name of the notification in the phone's profile")
    static let app = EventField("app", .text, "the identifier of the app")

    // Numbers.
    static let count = EventField("count", .integer, "the number of lost events")
    static let beacons = EventField("beacons", .integer, "the number of beacons")
    static let packets = EventField("packets", .integer, "the number of packets of the recording")
    static let expected = EventField("expected", .integer, "the number of beacons that should be on the air")
    static let onAir = EventField("onAir", .integer, "the number of beacons that are on the air")
    static let missing = EventField(
        "missing", .objects, "the first ten beacons that should be on the air and are not: `device` and `state`")
    static let seconds = EventField(
        "seconds", .number, "the time until it is unmuted, in seconds; absent without a limit")
    static let connections = EventField("connections", .integer, "the number of connections")
    static let phase = EventField("phase", .text, "when a connection fails: `establishment`, `connected` or `request`")

    // A radio.
    static let way = EventField("way", .text, "how the radio is driven")
    static let extended = EventField("extended", .boolean, "whether it has extended advertising")
    static let instances = EventField("instances", .integer, "the number of its advertising instances")
    static let freeInstances = EventField("freeInstances", .integer, "the number of these that are free")
    static let servers = EventField(
        "servers", .texts,
        "where hosts find controllers on a virtual air: `tcp:127.0.0.1:6402`, `unix:PATH`, `netsim:127.0.0.1:8877`, `vhci:hci1`; ESPHome proxies: "
            + "`esphome:127.0.0.1:6053`")
    static let receivers = EventField(
        "receivers", .named, "the servers that have a name, by the name: `{\"visitor\":\"tcp:127.0.0.1:40123\"}`")
    static let seed = EventField("seed", .integer, "the seed of a virtual air; `--seed` with it repeats the run")
    static let airVersion = EventField(
        "air", .integer,
        "the version of the virtual air, 2 at present: with the same version, the same seed gives the same numbers")

    static let url = EventField("url", .text, "the address of the run over HTTP")
    static let scenario = EventField(
        "scenario",
        .object(["v", "scenario", "state", "elapsed", "duration", "changes", "done", "next", "refused", "ignored"]),
        "`scenario` (its name), `state`, `elapsed` and `duration` (seconds), `changes`, `done`, `next` (`at`, `change`), "
            + "`refused` (a list with `at`, `change`, `message`), `ignored` (keys without effect)")
}
