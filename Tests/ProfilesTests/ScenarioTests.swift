// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Profiles
import Space
import Testing

@Suite struct ScenarioTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let head = """
        scenario: test
        beacons:
          - { id: door, device: ibeacon, ibeacon: { uuid: \(uuid), major: 1, minor: 1 } }
        receivers: [{ id: phone, position: [3, 0] }]
        regions: [{ id: shop, uuid: \(uuid), major: 1, hello: Welcome, at-most-once-per: 1h }]

        """

    private func scenario(_ text: String) throws(ProfileFaults) -> Scenario {
        try Scenario(parsing: text, file: "test.yaml") { path throws(ProfileFaults) in
            try Profile(parsing: "profile: \(path)\nbeacons:\n  - { id: gate, device: battery }\n", file: path)
        }
    }

    private func scenario(timeline: String, expect: String = "on-air: door, by: 1m") throws(ProfileFaults) -> Scenario {
        try scenario(Self.head + "timeline:\n  - { \(timeline) }\nexpect:\n  - { \(expect) }\n")
    }

    @Test func changesAreInTheOrderOfTime() throws {
        let scenario = try scenario(
            Self.head + """
                timeline:
                  - { at: 20s, do: off door }
                  - { every: 10s, until: 30s, do: [move phone 1 2, mute door --for 5s] }
                expect:
                  - { on-air: door, at: 1s }

                """)
        #expect(scenario.steps.map(\.time) == [10, 10, 20, 20, 20, 30, 30].map { .seconds($0) })
        #expect(scenario.steps[2].action == .disable("door"))
        #expect(scenario.steps[3].action == .move("phone", Position(x: 1, y: 2)))
        #expect(scenario.steps[4].action == .mute("door", for: .seconds(5)))
        #expect(scenario.duration == .seconds(30))
        #expect(scenario.seed == 1)
    }

    @Test func lastRepetitionIsAtTheEndOfItsTime() throws {
        let scenario = try scenario(timeline: "every: 1m, until: 160m, do: off door", expect: "on-air: door, at: 1s")
        // The quotient of 159 minutes and 1 minute is 158.999... in floating-point numbers.
        #expect(scenario.steps.map(\.time) == (1...160).map { .seconds(60 * $0) })
    }

    @Test(arguments: [
        ("set door minor=7 major=2", ScenarioAction.set("door", ["minor": "7", "major": "2"])),
        ("on door", .enable("door")), ("enable door", .enable("door")), ("disable door", .disable("door")),
        ("unmute door", .unmute("door")), ("battery door flat", .battery("door", .flat)),
        (
            "link door phone --loss 10 --for 5s",
            .link("door", receiver: "phone", LinkOverride(loss: 10, duration: .seconds(5)))
        ),
        ("link door phone --blocked", .link("door", receiver: "phone", LinkOverride(packetLoss: 1))),
        ("link door phone --reset", .link("door", receiver: "phone", nil)),
        ("disconnect door --reason remote-user", .disconnect("door", peer: nil, reason: .remoteUser)),
        ("connect phone door", .onConnection(.connect, receiver: "phone", beacon: "door")),
        ("pair phone door", .onConnection(.pair, receiver: "phone", beacon: "door")),
        ("read phone door 2A19", .onConnection(.read(.bit16(0x2A19)), receiver: "phone", beacon: "door")),
        (
            "write phone door 2A06 01ff",
            .onConnection(.write(.bit16(0x2A06), [1, 255]), receiver: "phone", beacon: "door")
        ),
        ("subscribe phone door 2A19", .onConnection(.subscribe(.bit16(0x2A19)), receiver: "phone", beacon: "door")),
        ("radio off", .radio(.off)), ("move door 1 -2 3", .move("door", Position(x: 1, y: -2, z: 3))),
    ])
    func changeIsRead(_ words: String, _ action: ScenarioAction) throws {
        #expect(try scenario(timeline: "at: 1s, do: \(words)").steps.map(\.action) == [action])
    }

    @Test(arguments: [
        ("receiver: phone, enters: shop, by: 10s", ScenarioExpectation.Subject.enters("shop"), "between 0s and 10s"),
        ("receiver: phone, exits: door, after: 5s, within: 500ms", .exits("door"), "between 5s and 5.5s"),
        ("receiver: phone, sees: door, between: [1s, 2s], never: true", .sees("door"), "never between 1s and 2s"),
        ("receiver: phone, does-not-see: door, by: 3s", .sees("door"), "never between 0s and 3s"),
        ("receiver: phone, nearest: door, between: [1s, 2s]", .nearest("door"), "all the time between 1s and 2s"),
        ("receiver: phone, distance: door, metres: 3, tolerance: 1, at: 4s", .distance("door", 2...4), "at 4s"),
        ("receiver: phone, rssi: door, dbm: [-70, -60], at: 4s", .rssi("door", -70 ... -60), "at 4s"),
        ("receiver: phone, reports: door, count: 10+, by: 4s", .reports("door", 10...Int.max), "between 0s and 4s"),
        ("receiver: phone, reports: door, count: [3, 4], by: 4s", .reports("door", 3...4), "between 0s and 4s"),
        ("receiver: phone, connected: door, between: [1s, 2s]", .connected("door"), "all the time between 1s and 2s"),
        ("receiver: phone, connected: door, by: 2s, never: true", .connected("door"), "never between 0s and 2s"),
        (
            "receiver: phone, value: door, characteristic: 2A19, hex: 0A, by: 2s",
            .value("door", .bit16(0x2A19), [10]), "between 0s and 2s"
        ),
        ("off-air: door, at: 4s", .air("door", isOn: false), "at 4s"),
    ])
    func expectationIsRead(_ text: String, _ subject: ScenarioExpectation.Subject, _ time: String) throws {
        let expectation = try #require(try scenario(timeline: "at: 0s, do: on door", expect: text).expectations.first)
        #expect(expectation.subject == subject)
        #expect("\(expectation.time)" == time)
    }

    @Test(arguments: [
        ("receiver: phone, enters: shop, count: 1, by: 4s", "phone: enters shop exactly once between 0s and 4s"),
        ("receiver: phone, exits: door, count: 0, by: 4s", "phone: exits door exactly 0 times between 0s and 4s"),
        (
            "receiver: phone, hello: shop, count: [1, 3], by: 4s",
            "phone: gets the hello of shop 1 to 3 times between 0s and 4s"
        ),
        (
            "receiver: phone, value: door, characteristic: 2A19, hex: 0A, count: 2+, by: 2s",
            "phone: value of 2A19 of door is 0a at least 2 times between 0s and 2s"
        ),
        (
            "receiver: phone, proximity: door, is: [near, immediate], for: 3s, by: 4s",
            "phone: proximity of door is immediate or near for 3s between 0s and 4s"
        ),
        (
            "receiver: phone, proximity: door, is: far, between: [1s, 4s]",
            "phone: proximity of door is far all the time between 1s and 4s"
        ),
        (
            "receiver: phone, nearest: door, for: 2s, between: [1s, 4s]",
            "phone: nearest is door for 2s between 1s and 4s"
        ),
        (
            "receiver: phone, proximity: door, is: near, for: 2s, by: 9s, never: true",
            "phone: proximity of door is near for 2s never between 0s and 9s"
        ),
    ])
    func countProximityAndHoldAreRead(_ text: String, _ description: String) throws {
        let expectation = try #require(try scenario(timeline: "at: 0s, do: on door", expect: text).expectations.first)
        #expect("\(expectation)" == description)
        #expect(expectation.requiredRate == 1)
    }

    @Test func requiredRateIsRead() throws {
        let expectations = try scenario(
            timeline: "at: 0s, do: on door", expect: "on-air: door, at: 1s, require: 97.5%"
        ).expectations
        #expect(expectations.map(\.requiredRate) == [0.975])
    }

    @Test func regionsHaveTheirHello() throws {
        let region = try #require(try scenario(timeline: "at: 0s, do: on door").regions.first)
        #expect(region.hello == "Welcome")
        #expect(region.goodbye == nil)
        #expect(region.atMostOncePer == .seconds(3600))
    }

    @Test func countWithoutATimeIsOfTheWholeDuration() throws {
        let scenario = try scenario(
            Self.head + "duration: 7s\nexpect: [{ receiver: phone, hello: shop, count: 1 }]\n")
        #expect(scenario.expectations.map(\.time) == [.once(.zero ... .seconds(7))])
    }

    @Test func profileIsThatOfAFile() throws {
        let scenario = try scenario(
            "scenario: a\nprofile: b\nreceivers: [{ id: phone }]\nexpect: [{ on-air: gate, at: 1s }]\n")
        #expect(scenario.profile.beacons.map(\.id) == ["gate"])
        #expect(scenario.receivers.map(\.id) == ["phone"])
    }

    @Test(arguments: [
        ("at: 1s, do: off dor", "on-air: door, at: 1s", 7, "there is no beacon \"dor\"; did you mean \"door\"?"),
        (
            "at: 1s, do: moove phone 1 2", "on-air: door, at: 1s", 7,
            "there is no change \"moove\"; did you mean \"move\"?"
        ),
        (
            "at: 1s, do: off door, untill: 3s", "on-air: door, at: 1s", 7,
            "there is no key \"untill\" here; did you mean"
        ),
        ("every: 1s, do: off door", "on-air: door, at: 1s", 7, "every needs until"),
        ("at: 1s, do: link door phone", "on-air: door, at: 1s", 7, "give --rssi, --loss, --packet-loss or --blocked"),
        ("at: 1s, do: connect door phone", "on-air: door, at: 1s", 7, "there is no receiver \"door\""),
        (
            "at: 1s, do: read phone door", "on-air: door, at: 1s", 7,
            "read needs a receiver, a beacon and a characteristic"
        ),
        ("at: 1s, do: write phone door 2A06 1", "on-air: door, at: 1s", 7, "\"1\" is not a value"),
        ("at: 1s, do: off door", "receiver: phone, value: door, hex: 01, by: 1s", 9, "\"characteristic\" is missing"),
        ("at: 1s, do: off door", "receiver: phone, entres: shop, by: 1s", 9, "did you mean \"enters\"?"),
        ("at: 1s, do: off door", "receiver: phon, enters: shop, by: 1s", 9, "did you mean \"phone\"?"),
        ("at: 1s, do: off door", "receiver: phone, enters: shop", 9, "the time is missing"),
        ("at: 1s, do: off door", "receiver: phone, enters: shop, by: 1s, at: 2s", 9, "by and at exclude each other"),
        ("at: 1s, do: off door", "enters: shop, by: 1s", 9, "\"receiver\" is missing"),
        ("at: 1s, do: off door", "receiver: phone, goodbye: shop, by: 1s", 9, "the region \"shop\" has no goodbye"),
        ("at: 1s, do: off door", "receiver: phone, hello: door, by: 1s", 9, "there is no region \"door\""),
        ("at: 1s, do: off door", "receiver: phone, hello: shop, at: 1s", 9, "an event has no exact moment"),
        (
            "at: 1s, do: off door", "receiver: phone, enters: shop, count: 1, by: 1s, never: true", 9,
            "write count: 0 instead of never"
        ),
        (
            "at: 1s, do: off door", "receiver: phone, enters: shop, count: [2, 1], by: 1s", 9,
            "the lowest and the highest"
        ),
        ("at: 1s, do: off door", "receiver: phone, enters: shop, count: one, by: 1s", 9, "one"),
        ("at: 1s, do: off door", "receiver: phone, sees: door, count: 1, by: 1s", 9, "there is no key \"count\" here"),
        ("at: 1s, do: off door", "receiver: phone, reports: door, by: 1s", 9, "\"count\" is missing"),
        ("at: 1s, do: off door", "receiver: phone, proximity: door, by: 1s", 9, "\"is\" is missing; write is: near"),
        (
            "at: 1s, do: off door", "receiver: phone, proximity: door, is: unknown, by: 1s", 9,
            "\"unknown\" is not one of immediate, near, far"
        ),
        (
            "at: 1s, do: off door", "receiver: phone, proximity: door, is: near, for: 2s, at: 5s", 9,
            "for needs a period"
        ),
        (
            "at: 1s, do: off door", "receiver: phone, proximity: door, is: near, for: 6s, by: 5s", 9,
            "this is longer than the period"
        ),
        ("at: 1s, do: off door", "receiver: phone, sees: door, for: 2s, by: 5s", 9, "there is no key \"for\" here"),
        ("at: 1s, do: off door", "on-air: door, at: 1s, require: 0%", 9, "\"0%\" is not a pass rate"),
        (
            "at: 1s, do: off door", "on-air: door, at: 1s, require: 101%", 9,
            "write a percentage up to 100%, such as 95%"
        ),
        (
            "at: 1s, do: off door", "receiver: phone, rssi: door, dbm: [1], at: 1s", 9,
            "the lowest and the highest value"
        ),
    ])
    func faultHasItsPlace(_ timeline: String, _ expect: String, _ line: Int, _ words: String) {
        let faults = #expect(throws: ProfileFaults.self) { try scenario(timeline: timeline, expect: expect) }
        #expect(
            faults?.faults.contains { $0.line == line && $0.column > 1 && $0.message.contains(words) } == true,
            "\(faults as Any)")
    }
}
