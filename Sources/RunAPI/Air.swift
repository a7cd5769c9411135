// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Devices
package import Emulator
package import JSON
import Profiles
import Radio
package import Space

package struct ShowAir: Operation {
    package static let name = "showAir"
    package static let method = OperationMethod.get
    package static let path = "/v1/air"
    package static let sentence = "The model of the virtual air, with its walls, its floor plan and levels."
    package static let failures: [EmulatorError.Code] = [.unsupported]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> AirRecord {
        try await run.emulator.airRecord()
    }
}

package struct ShowMap: Operation {
    package static let name = "showMap"
    package static let method = OperationMethod.get
    package static let path = "/v1/air/map"
    package static let sentence = "The picture of the floor plan: PNG, JPEG or WebP."
    package static let failures: [EmulatorError.Code] = [.noMap]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> PlanPicture {
        PlanPicture(picture: try await run.emulator.planPicture())
    }
}

/// The picture of a floor plan, with its media type.
package struct PlanPicture: Answer {
    package static let description = AnswerDescription(statuses: [200], type: "image/*", schema: nil)

    let picture: Picture
    package var content: Content {
        .bytes(
            BytesContent([picture.bytes], type: picture.format.rawValue, isShared: true, tag: picture.tag))
    }
}

package struct ChangePhysics: Operation {
    package static let name = "changePhysics"
    package static let method = OperationMethod.put
    package static let path = "/v1/air/physics"
    package static let sentence = "Replaces the physics of the virtual air from now on; its walls stay."
    package static let fields: [Field<ChangePhysics>] = [
        .required(
            "text", .text, \.model,
            "the name of a preset, such as \"hall\", or the keys of physics in profiles, see docs/profiles.md")
    ]
    package static let failures: [EmulatorError.Code] = [.badProfile, .unsupported]

    package var model = Document()

    package var patience: Duration? { Patience.ofRadio }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> AirRecord {
        try await run.emulator.changePhysics(model.text)
    }
}

package struct Move: Operation {
    package static let name = "move"
    package static let method = OperationMethod.put
    package static let path = "/v1/air/{name}/position"
    package static let sentence = "Moves something on the virtual air, and ends its movement."
    package static let fields: [Field<Move>] = [
        .required("name", .path, \.target, "the name on the air of a beacon, a receiver or a host"),
        .required("position", .member, \.position, "metres: x, y and, if not 0, the height"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var target = AirName()
    package var position = Position(x: 0, y: 0)

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> MoveRecord {
        try await run.emulator.air.move(target.text, to: position)
        return MoveRecord(name: target.text, position: position)
    }
}

package struct Walk: Operation {
    package static let name = "walk"
    package static let method = OperationMethod.post
    package static let path = "/v1/air/{name}/walk"
    package static let sentence =
        "Moves something on the virtual air along a path at constant speed; returns when the movement starts."
    package static let fields: [Field<Walk>] = [
        .required("name", .path, \.target, "the name on the air of a beacon, a receiver or a host"),
        .required("path", .member, \.path, "2 to 1000 positions in metres"),
        .required("over", .member, \.time, "the duration of the walk, such as 20s"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unsupported]

    package var target = AirName()
    package var path = WalkPath()
    package var time = Duration.zero

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> WalkRecord {
        try await run.emulator.air.walk(target.text, through: path.places, over: time)
        return WalkRecord(name: target.text, path: path.places, over: time)
    }
}

package struct Disconnect: Operation {
    package static let name = "disconnect"
    package static let method = OperationMethod.post
    package static let path = "/v1/air/{name}/disconnect"
    package static let sentence = "Ends the connections of a beacon or a host, all or those with one peer."
    package static let fields: [Field<Disconnect>] = [
        .required("name", .path, \.target, "the name on the air of a beacon, a receiver or a host"),
        .optional("peer", .member, \.peer, "the address or the name of the other end; without it, all"),
        .optional("reason", .member, \.reason, "the reason that the other end gets; without it, remote-user"),
    ]
    package static let failures: [EmulatorError.Code] = [.unknownBeacon, .unknownPeer, .radio, .unsupported]

    package var target = AirName()
    package var peer: String?
    package var reason: DisconnectionReason?

    package var patience: Duration? { Patience.ofConnection }

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> DisconnectionRecord {
        let reason = reason ?? .remoteUser
        let peers = try await run.emulator.disconnect(target.text, from: peer, reason)
        return DisconnectionRecord(name: target.text, peers: peers, reason: reason.rawValue)
    }
}

package struct ShowBench: Operation {
    package static let name = "showBench"
    package static let method = OperationMethod.get
    package static let path = "/v1/bench"
    package static let sentence =
        "The walk on the bench: what the receiver gets of each beacon, and the measured power that stands in for it on the radio."
    package static let failures: [EmulatorError.Code] = [.unsupported]

    package init() {}

    package func perform(on run: RunContext) async throws(EmulatorError) -> BenchRecord {
        try run.emulator.benchRecord()
    }
}

extension BenchRecord: ReadableRecord {
    package static let schema = Schema.record(
        "Bench",
        [
            .version, .required("receiver", .text, "the receiver that walks"),
            .required("rssi", .integer(-127...20), "the RSSI of the phone on the bench, in dBm"),
            .required("app", .text, "the method by which the app computes distances"),
            .required("seed", .integer(from: 0), "the seed of the virtual air on which the receiver walks"),
            .required(
                "beacons",
                .array(
                    .record(
                        "BenchBeacon",
                        [
                            .required("beacon", .text, "the beacon"),
                            .required("state", .choice(BenchState.self), "whether it is on the radio"),
                            .optional("rssi", .number, "the filtered RSSI of the beacon at the receiver, in dBm"),
                            .optional(
                                "measuredPower", .integer(-128...127), "the measured power of the device, in dBm"),
                            .optional("benchPower", .integer(-128...127), "the measured power on the radio, in dBm"),
                            .required(
                                "clamped", .boolean,
                                "whether benchPower is the nearest possible value instead of the exact one"),
                        ])), "those that request an advertisement, in the order of their names"),
        ])
}

/// A beacon, a host or a receiver that walks, as JSON.
package struct WalkRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air.
    package let name: String
    /// The positions x, y, z in metres.
    package let path: [[Double]]
    /// The duration of the walk, such as `12.000s`.
    package let over: String

    package init(name: String, path: [Position], over duration: Duration) {
        self.name = name
        self.path = path.map { [$0.x, $0.y, $0.z] }
        over = DeviceWriter.text(duration)
    }
}

extension WalkRecord: ReadableRecord {
    package static let schema = Schema.record(
        "Walk",
        [
            .version, .required("name", .text, "the name on the air"),
            .required("path", .array(.metres), "the positions in metres"),
            .required("over", .text, "the duration of the walk, such as 12.000s"),
        ])
}

/// A beacon or a host that was moved, as JSON.
package struct MoveRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The name on the air.
    package let name: String
    /// The position x, y, z in metres.
    package let position: [Double]

    package init(name: String, position: Position) {
        self.name = name
        self.position = [position.x, position.y, position.z]
    }
}

extension MoveRecord: ReadableRecord {
    package static let schema = Schema.record(
        "Place",
        [
            .version, .required("name", .text, "the name on the air"),
            .required("position", .metres, "the position x, y, z in metres"),
        ])
}

/// Connections that were ended, as JSON.
package struct DisconnectionRecord: Codable, Hashable, Sendable {
    /// The version of the format.
    package var v = 1
    /// The beacon or the host that ended them, by its name on the air.
    package let name: String
    /// The addresses of the other ends.
    package let peers: [String]
    /// Their reason, as `DisconnectionReason` names it.
    package let reason: String

    package init(name: String, peers: [String], reason: String) {
        self.name = name
        self.peers = peers
        self.reason = reason
    }
}

extension DisconnectionRecord: ReadableRecord {
    package static let schema = Schema.record(
        "Disconnection",
        [
            .version, .required("name", .text, "the beacon or the host that ended the connections"),
            .required("peers", .texts, "the addresses of the other ends"),
            .required("reason", .choice(DisconnectionReason.self), "the reason"),
        ])
}

extension AirRecord: ReadableRecord {
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
                        .optional("bottom", .number, "the height at which it begins; absent without a bound"),
                        .optional("top", .number, "the height at which it ends; absent without a bound"),
                    ])), "the walls, seen from above, with the walls of rooms"),
            .required(
                "floors",
                .array(
                    .object([
                        .required("id", .text, "its name"), .required("from", .number, "the height at which it begins"),
                        .optional("slab", .number, "the loss of what is at that height, in dB; absent for nothing"),
                    ])), "the floors, the lowest first"),
            .required(
                "rooms",
                .array(
                    .object([
                        .required("id", .text, "its name"), .optional("label", .text, "its name for people"),
                        .required("floor", .text, "the id of its floor"),
                        .required("outline", .array(.array(.number, 2...2)), "x and y of its corners, in order"),
                        .required(
                            "doors",
                            .array(
                                .object([
                                    .required("at", .array(.number, 2...2), "x and y of the middle"),
                                    .required("width", .number, "in metres"),
                                ])), "the gaps in its walls"),
                    ])), "the rooms, in the order of the profile"),
            .optional(
                "map",
                .object([
                    .required(
                        "type", .choice(Picture.Format.allCases.map(\.rawValue)), "the media type of the picture"),
                    .required("width", .number, "in metres"), .required("height", .number, "in metres"),
                    .required("origin", .array(.number, 2...2), "x and y of the lower left corner in metres"),
                    .required("tag", .text, "differs for another picture"),
                ]), "the floor plan, whose picture is /v1/air/map; absent without one"),
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
