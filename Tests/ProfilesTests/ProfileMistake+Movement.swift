// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

extension ProfileMistake {
    private static func path(_ keys: String, _ field: String, _ message: String) -> ProfileMistake {
        plain("path: \(keys)\n", field: "beacons[0].path" + (field.isEmpty ? "" : ".\(field)"), message)
    }

    private static func orbit(_ keys: String, _ field: String, _ message: String) -> ProfileMistake {
        plain("orbit: \(keys)\n", field: "beacons[0].orbit" + (field.isEmpty ? "" : ".\(field)"), message)
    }

    private static func anchor(_ keys: String, _ field: String, _ message: String) -> ProfileMistake {
        plain(
            "track: { file: a.gpx, anchor: \(keys) }\n",
            field: "beacons[0].track.anchor" + (field.isEmpty ? "" : ".\(field)"), message)
    }

    private static let positionRule = "a position is two or three numbers of metres, such as [2.5, 4]"
    private static let listRule = "a list of at least two positions is expected here, such as [[0, 3], [9, 3]]"

    static let movement = [
        plain(
            "position: [0, 0]\norbit: ¦{ centre: [0, 0], radius: 1, period: 1s }\n", field: "beacons[0].orbit",
            "position and orbit exclude each other; leave one of them out"),
        plain(
            "track: ¦a.csv\npath: { through: [[0, 0], [1, 1]], speed: 1 }\n", field: "beacons[0].track",
            "path and track exclude each other; leave one of them out"),
        path("¦[[0, 0], [1, 1]]", "", "a mapping of keys and values is expected here"),
        path("¦{ speed: 1m/s }", "", "\"through\" is missing"),
        path("¦{ through: [[0, 0], [1, 1]] }", "", "\"speed\" is missing"),
        path("{ through: ¦[[0, 0]], speed: 1m/s }", "through", listRule),
        path("{ through: ¦9, speed: 1m/s }", "through", listRule),
        path("{ through: [[0, 0], ¦[1]], speed: 1m/s }", "through[1]", positionRule),
        path("{ through: [[0, 0], ¦{ x: 1 }], speed: 1m/s }", "through[1]", positionRule),
        path("{ through: [[0, 0], [1, ¦[2]]], speed: 1m/s }", "through[1]", positionRule),
        path(
            "{ through: [[0, ¦far], [1, 1]], speed: 1m/s }", "through[0]",
            "\"far\" is not a number of metres from -10000 to 10000"),
        path(
            "{ through: [[0, 0], [1, 1]], speed: ¦0m/s }", "speed",
            "\"0m/s\" is not a speed from 0.001m/s to 1000m/s"),
        path(
            "{ through: [[0, 0], [1, 1]], speed: ¦5km/h }", "speed",
            "\"5km/h\" is not a speed from 0.001m/s to 1000m/s"),
        path(
            "{ through: [[0, 0], [1, 1]], speed: 1, pauses: { ¦3: 1s } }", "pauses.3",
            "\"3\" is not the number of a point, counted from 1"),
        path(
            "{ through: [[0, 0], [1, 1]], speed: 1, pauses: { ¦0: 1s } }", "pauses.0",
            "\"0\" is not the number of a point, counted from 1"),
        path(
            "{ through: [[0, 0], [1, 1]], speed: 1, pauses: { 1: ¦long } }", "pauses.1",
            "\"long\" is not a duration; write 10s, 500ms or 2m"),
        path(
            "{ through: [[0, 0], [1, 1]], speed: 1, pauses: ¦20s }", "pauses",
            "a mapping of keys and values is expected here"),
        path(
            "{ through: [[0, 0], [1, 1]], speed: 1, repeat: ¦often }", "repeat",
            "\"often\" is not one of true, false"),
        path(
            "{ through: [[0, 0], [1, 1]], speed: 1, ¦pause: 1 }", "",
            "there is no key \"pause\" here; did you mean \"pauses\"? keys are through, speed, pauses, repeat"),
        orbit("¦{ radius: 1, period: 1s }", "", "\"centre\" is missing"),
        orbit("{ centre: ¦5, radius: 1, period: 1s }", "centre", positionRule),
        orbit(
            "{ centre: [0, 0], radius: ¦0, period: 1s }", "radius", "\"0\" is not a number of metres above 0"),
        orbit(
            "{ centre: [0, 0], radius: 1, period: ¦50ms }", "period", "50ms is out of range: write 100ms to 1000h"),
        orbit(
            "{ centre: [0, 0], radius: 1, period: 1s, angle: ¦400 }", "angle",
            "\"400\" is not an angle from -360 to 360 degrees"),
        plain(
            "track: ¦walk.csv\n", field: "beacons[0].track",
            "the file \"walk.csv\" cannot be read here; write its values into the profile"),
        plain(
            "track: ¦walk.txt\n", field: "beacons[0].track",
            "\"walk.txt\" is not a track; write the name of a .csv, .gpx or .geojson file"),
        plain("track: ¦[walk.csv]\n", field: "beacons[0].track", "a single value is expected here"),
        plain("track: ¦{ who: bob }\n", field: "beacons[0].track", "\"file\" is missing"),
        plain(
            "track: { file: a.csv, who: ¦\"\" }\n", field: "beacons[0].track.who",
            "a name has 1 to 100 characters, and no control characters"),
        plain(
            "track: { file: ¦b.csv }\n", field: "beacons[0].track.file",
            "the file \"b.csv\" cannot be read here; write its values into the profile"),
        anchor("¦{ lon: 11.5 }", "", "\"lat\" is missing"),
        anchor("¦{ lat: 48.1 }", "", "\"lon\" is missing"),
        anchor("{ lat: ¦90, lon: 0 }", "lat", "\"90\" is not a latitude from -89 to 89 degrees"),
        anchor("{ lat: 48.1, lon: ¦181 }", "lon", "\"181\" is not a longitude from -180 to 180 degrees"),
        anchor(
            "{ lat: 48.1, lon: 11.5, bearing: ¦north }", "bearing", "\"north\" is not a number; write one such as 36.6"),
    ]

    private static func receiver(_ keys: String, _ field: String, _ message: String) -> ProfileMistake {
        ProfileMistake(
            "profile: p\nbeacons:\n  - { id: a, device: iot-design-shop }\nreceivers:\n  - \(keys)\n",
            field: "receivers[0]" + (field.isEmpty ? "" : ".\(field)"), message)
    }

    private static let serverRule =
        "is not tcp:HOST:PORT, unix:PATH, netsim:HOST:PORT or vhci or none, such as tcp:127.0.0.1:6403"

    static let receivers = [
        ProfileMistake(
            "profile: p\nbeacons:\n  - { id: a, device: iot-design-shop }\nreceivers: ¦[]\n", field: "receivers",
            "a list of at least one receiver is expected here"),
        receiver("¦{ position: [1, 2] }", "", "\"id\" is missing; write id: phone"),
        receiver("{ id: ¦a }", "id", "beacons[0] has the id \"a\" already; give every receiver its own id"),
        receiver(
            "{ id: b }\n  - { id: c }\n  - { id: ¦b }", "id",
            "receivers[0] has the id \"b\" already; give every receiver its own id"
        ).of(field: "receivers[2].id"),
        receiver("{ id: b, position: ¦2 }", "position", "a list is expected here, such as [2, 0]"),
        receiver("{ id: b, hci-server: ¦tcp:6403 }", "hci-server", "\"tcp:6403\" \(serverRule)"),
        receiver(
            "{ id: b, esphome: ¦6053 }", "esphome", "\"6053\" is not HOST:PORT, such as 127.0.0.1:6053"),
        receiver("{ id: b, hci-server: ¦off }", "hci-server", "\"off\" \(serverRule)"),
        receiver(
            "{ id: b, ¦device: phone }", "",
            "there is no key \"device\" here; keys are id, label, position, path, track, orbit, hci-server, esphome, "
                + "rssi-offset, sensitivity, fast, antenna, carried, heading"),
    ]

    private func of(field: String) -> ProfileMistake { ProfileMistake(profile, field: field, message) }
}
