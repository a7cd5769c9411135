// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Space
import Testing

@Suite struct MovementProfileTests {
    private static func sources(_ files: [String: String]) -> ProfileSources {
        ProfileSources(files: { path throws(ValueFault) in
            guard let text = files[path] else { throw ValueFault("there is no \(path)") }
            return text
        })
    }

    /// The profile with these keys of its beacon and these receivers.
    static func profile(
        _ keys: String, receivers: String = "", files: [String: String] = [:]
    ) throws -> Profile {
        let text = "profile: p\nbeacons:\n  - { id: a, device: iot-design-shop, \(keys) }\n" + receivers
        return try Profile(parsing: text, file: "p.yaml", sources: sources(files))
    }

    /// The motion of a beacon with these keys.
    static func motion(_ keys: String, files: [String: String] = [:]) throws -> Motion {
        try #require(try profile(keys, files: files).beacons.first?.movement?.motion)
    }

    @Test func positionIsAMotionAtRest() throws {
        #expect(try Self.motion("position: [1, 2.5]") == .rest(Position(x: 1, y: 2.5)))
        #expect(try Self.profile("name: n").beacons.first?.movement == nil)
    }

    @Test func pathHasSpeedPausesAndRepetition() throws {
        let motion = try Self.motion(
            "path: { through: [[0, 3], [9, 3], [9, 8, 1]], speed: 1.2m/s, pauses: { 2: 20s, 1: 500ms }, repeat: true }")
        let places = [Position(x: 0, y: 3), Position(x: 9, y: 3), Position(x: 9, y: 8, z: 1)]
        let path = try #require(
            Motion.Path(
                through: places, speed: 1.2, pauses: [1: .seconds(20), 0: .milliseconds(500)], repeats: true))
        #expect(motion == .path(path))
        let plain = try Self.motion("path: { through: [[0, 0], [1, 0]], speed: 2 }")
        #expect(plain.position(at: .milliseconds(250)).x == 0.5)
    }

    @Test func orbitHasItsValues() throws {
        let orbit = try #require(
            Motion.Orbit(centre: Position(x: 1, y: 2, z: 3), radius: 5, period: .seconds(60), angle: -90))
        #expect(try Self.motion("orbit: { centre: [1, 2, 3], radius: 5, period: 60s, angle: -90 }") == .orbit(orbit))
    }

    @Test func receiversHaveNamesMotionsAndServers() throws {
        let profile = try Self.profile(
            "position: [0, 0]",
            receivers: """
                receivers:
                  - { id: visitor, path: { through: [[0, 3], [9, 3]], speed: 1m/s }, hci-server: tcp:127.0.0.1:6403 }
                  - { id: kernel, position: [1, 1], hci-server: vhci, esphome: 127.0.0.1:6053 }
                  - { id: guard, track: guard.csv }
                  - id: anywhere
                """, files: ["guard.csv": "t,who,x,y\n0,visitor,9,9\n0,guard,1,2\n"])
        #expect(profile.receivers.map(\.id) == ["visitor", "kernel", "guard", "anywhere"])
        #expect(profile.receivers.map { $0.server?.description } == ["tcp:127.0.0.1:6403", "vhci", nil, nil])
        #expect(profile.receivers.map(\.proxy) == [nil, "127.0.0.1:6053", nil, nil])
        let places = profile.receivers.map { $0.movement?.motion.position(at: .seconds(2)) }
        #expect(places == [Position(x: 2, y: 3), Position(x: 1, y: 1), Position(x: 1, y: 2), nil])
    }

    private static let files: [String: String] = [
        "a.csv": "t,who,x,y\n0,a,1,2\n1,b,3,4\n2,b,4,4\n",
        "odd \"name\": #.gpx": """
        <gpx><trk><trkseg><trkpt lat="48" lon="11"><time>2026-01-31T17:55:00Z</time></trkpt></trkseg></trk></gpx>
        """,
    ]

    @Test(arguments: [
        "position: [1, -2.5]",
        "path: { through: [[0, 3], [9.000001, 3], [0.0000123, 8, 1]], speed: 1.25m/s, pauses: { 2: 20s, 3: 0.5s }, "
            + "repeat: true }",
        "path: { through: [[0, 0], [10000, -10000]], speed: 0.001 }",
        "orbit: { centre: [1, 2, 3], radius: 0.5, period: 90m }",
        "orbit: { centre: [1, 2], radius: 5, period: 60s, angle: -90.5 }",
        "track: { file: a.csv, who: b }",
        "track: { file: \"odd \\\"name\\\": #.gpx\", anchor: { lat: 48.00001, lon: 11.0000001, bearing: 12.5, ele: 519 } }",
    ])
    func writtenMovementIsReadAsTheSame(_ keys: String) throws {
        let profile = try Self.profile(
            keys,
            receivers: """
                receivers:
                  - { id: r, \(keys) }
                  - { id: b, track: a.csv }
                  - { id: s, hci-server: "tcp:[::1]:0", esphome: "[::1]:6053" }
                """, files: Self.files)
        let copy = try Profile(
            parsing: ProfileWriter.text(of: profile), file: "copy.yaml", sources: Self.sources(Self.files))
        #expect(copy.beacons == profile.beacons)
        #expect(copy.receivers == profile.receivers)
        #expect(copy.receivers.count == 3)
    }
}
