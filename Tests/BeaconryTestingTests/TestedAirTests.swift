// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryTesting
import Foundation
import Synchronization
import TestTraits
import Testing

@Suite(.realTime, .timeLimit(.minutes(10)))
struct TestedAirTests {
    static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    /// The text of the issues that a body records.
    private static func issues(_ body: @Sendable () async -> Void) async -> [String] {
        let texts = Mutex<[String]>([])
        await withKnownIssue {
            await body()
        } matching: { issue in
            texts.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        return texts.withLock(\.self)
    }

    @Test func timePassesInItsCallsOnly() async throws {
        let air = try await VirtualAir(seed: 1)
        try await Task.sleep(for: .milliseconds(20))
        #expect(air.clock.elapsed == .zero)
        try await air.clock.advance(by: .seconds(3600))
        #expect(air.clock.elapsed == .seconds(3600))
        let measured = try await air.run {
            async let first: Void = air.clock.sleep(for: .seconds(5))
            try await air.clock.sleep(for: .seconds(7))
            try await first
            return air.clock.elapsed
        }
        #expect(measured == .seconds(3607))
    }

    @Test func truthOfAPhoneHasItsRoomAndItsDistances() async throws {
        let air = try await VirtualAir(
            profile: """
                profile: flat
                floors: [{ id: ground, from: 0m }]
                rooms:
                  - { id: west, floor: ground, outline: [[0, 0], [4, 0], [4, 3], [0, 3]] }
                  - { id: east, floor: ground, outline: [[4, 0], [8, 0], [8, 3], [4, 3]] }
                beacons: []
                """, seed: 1)
        try await air.beacon("door", iBeacon: (Self.uuid, 1, 7), at: Position(x: 1, y: 1))
        let phone = try await air.phone("phone", at: Position(x: 5, y: 1))
        let truth = try await air.truth(of: phone)
        #expect(truth.position == Position(x: 5, y: 1))
        #expect(truth.room == "east")
        #expect(truth.distances == ["door": 4])
        #expect(truth.rooms == ["door": "west"])
    }

    @Test func airEndsWithItsLastReference() async {
        await #expect(processExitsWith: .success) {
            func threads() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            }
            func descriptors() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
            }
            func useAir() async throws {
                let air = try await VirtualAir()
                try await air.beacon("door", iBeacon: (TestedAirTests.uuid, 1, 7))
                _ = try await air.receiver("phone")
            }
            try await useAir()
            let before = descriptors()
            for _ in 0..<60 { try await useAir() }
            // Those of the runtime remain.
            while threads() > 40 || descriptors() > before { usleep(10_000) }
        }
    }

    @Test func bodyOfTheSameTestRecordsItsIssues() async throws {
        let air = try await VirtualAir()
        await withKnownIssue {
            try await air.run {
                try await air.clock.sleep(for: .seconds(1))
                Issue.record("in the body")
            }
        }
    }

    @Test func expectationEndsWithItsEvent() async throws {
        let air = try await VirtualAir(seed: 1)
        let door = try await air.beacon("door", iBeacon: (Self.uuid, 1, 7))
        try await door.mute(for: .seconds(30))
        let began = air.clock.elapsed
        let event = await air.journal.expect("unmuted", beacon: door, within: .seconds(60))
        #expect(event?.device == "door")
        #expect(air.clock.elapsed - began == .seconds(30))
        // It has happened already.
        await air.journal.expect("unmuted", within: .zero)
        await air.journal.expectNone("unmuted", since: air.journal.mark, within: .seconds(10))
        #expect(air.clock.elapsed - began == .seconds(40))
    }

    @Test func unmetExpectationIsAnIssueWithTheLastEvents() async throws {
        let air = try await VirtualAir(seed: 1)
        let door = try await air.beacon("door", iBeacon: (Self.uuid, 1, 7))
        try await air.beacon("gate", iBeacon: (Self.uuid, 1, 8))
        let issues = await Self.issues {
            await air.journal.expect("advertising-changed", beacon: door, within: .seconds(2))
            await air.journal.expectNone("advertising-started,device=gate")
            await air.journal.expect("connected,door")
        }
        try #require(issues.count == 3)
        let lines = issues[0].split(separator: "\n")
        #expect(lines[0] == "no advertising-changed,device=door within 2.0 seconds")
        #expect(lines[1] == "The nearest are")
        #expect(lines[2].contains("advertising-started,device=door,"))
        #expect(issues[0].contains("The last events are\n") && lines.last?.contains("advertising-started") == true)
        #expect(issues[1].hasPrefix("there was advertising-started,device=gate\nIt is\n"))
        #expect(issues[2].hasPrefix("\"connected,door\" is not a condition"))
    }

    @Test func beaconsAreChangedAndRemoved() async throws {
        let air = try await VirtualAir(
            profile: """
                profile: shop
                beacons:
                  - id: entrance
                    device: ibeacon
                    ibeacon: { uuid: \(Self.uuid), major: 1, minor: 1 }
                """, seed: 1)
        #expect(air.journal.events.contains { $0.name == "ready" })
        let entrance = try await air.beacon(named: "entrance")
        try await entrance.set(["minor": "5"])
        #expect(try await entrance.status().settings["minor"] == "5")
        let phone = try await air.receiver("phone")
        let door = try await air.beacon("door", iBeacon: (Self.uuid, 2, 7), keys: "interval: 20ms")
        func minors() async throws -> Set<UInt16> {
            Set(try await phone.advertisements(for: .seconds(1)).compactMap(\.advertisement.iBeacon?.minor))
        }
        #expect(try await minors() == [5, 7])
        try await entrance.disable()
        #expect(try await minors() == [7])
        #expect(try await !entrance.status().isOnAir)
        try await air.remove(door)
        #expect(try await minors().isEmpty)
        await #expect(throws: VirtualAirError.self) { try await air.remove(entrance) }
        await #expect(throws: VirtualAirError.self) { try await door.enable() }
    }

    @Test func wrongValuesAreRefusedAndTheAirGoesOn() async throws {
        await #expect(throws: VirtualAirError.self) { try await VirtualAir(profile: "profile: shop") }
        await #expect(throws: VirtualAirError.self) {
            try await VirtualAir(profile: "profile: shop\nbeacons: []\nreceivers: [{ id: phone }]")
        }
        let air = try await VirtualAir()
        try await air.beacon("door", iBeacon: (Self.uuid, 1, 7))
        await #expect(throws: VirtualAirError.self) { try await air.beacon("door", iBeacon: (Self.uuid, 1, 7)) }
        await #expect(throws: VirtualAirError.self) { try await air.beacon("gate", iBeacon: ("E2C5", 1, 7)) }
        try await air.beacon("gate", iBeacon: (Self.uuid, 1, 8))
        #expect(air.journal.find("advertising-started").compactMap(\.device) == ["door", "gate"])
    }

    @Test func appOnAPhoneRangesAndMonitors() async throws {
        let air = try await VirtualAir(seed: 3)
        let door = try await air.beacon("door", iBeacon: (Self.uuid, 1, 7), at: Position(x: 0, y: 0))
        let phone = try await air.phone("phone", model: "altbeacon", at: Position(x: 10, y: 0))
        try await phone.monitor("shop", uuid: Self.uuid)
        #expect(try await phone.state(of: "shop") == .unknown)
        #expect(try await phone.ranged().isEmpty)
        try await air.clock.advance(by: .seconds(2))
        #expect(try await phone.state(of: "shop") == .inside)
        let ranged = try #require(try await phone.ranged().first)
        #expect((ranged.major, ranged.minor, ranged.rssi, ranged.proximity) == (1, 7, -79, .near))
        #expect(abs(ranged.accuracy - 3.75) < 0.01)
        try await phone.setListening(false)
        try await door.disable()
        try await air.clock.advance(by: .seconds(60))
        #expect(try await phone.state(of: "shop") == .inside)
        try await phone.setListening(true)
        try await air.clock.advance(by: .seconds(12))
        #expect(try await phone.state(of: "shop") == .outside)
        let unknown = await #expect(throws: VirtualAirError.self) { try await phone.state(of: "shp") }
        #expect(
            unknown?.description == "the phone phone has no region \"shp\"; did you mean \"shop\"? regions are shop")
        await #expect(throws: VirtualAirError.self) { try await air.phone("phone") }
        await #expect(throws: VirtualAirError.self) { try await air.phone("other", model: "nokia") }
        try await phone.remove()
        await #expect(throws: VirtualAirError.self) { try await phone.ranged() }
    }

    @Test func phonesDifferInTheirHardware() async throws {
        let air = try await VirtualAir(seed: 3)
        try await air.beacon("door", iBeacon: (Self.uuid, 1, 7), at: Position(x: 0, y: 0))
        let place = Position(x: 10, y: 0)
        let handset = try await air.phone("s9", model: "android-low-latency", handset: "galaxy-s9", at: place)
        let own = try await air.phone(
            "own", at: place, hardware: VirtualAir.Phone.Hardware(rssiOffset: -3, carried: .hand, heading: -90))
        try await air.clock.advance(by: .seconds(2))
        #expect(try await handset.ranged().map(\.rssi) == [-87])
        #expect(try await own.ranged().map(\.rssi) == [-82])
        try await own.set(VirtualAir.Phone.Hardware(rssiOffset: 5, hasIsotropicAntenna: true))
        try await handset.setBluetooth(false)
        try await air.clock.advance(by: .seconds(2))
        #expect(try await own.ranged().map(\.rssi) == [-74])
        #expect(try await handset.ranged().isEmpty)
        try await handset.setBluetooth(true)
        try await own.setPermission(false)
        try await air.clock.advance(by: .seconds(2))
        #expect(try await own.ranged().isEmpty)
        #expect(try await handset.ranged().map(\.rssi) == [-87])
        await #expect(throws: VirtualAirError.self) { try await air.phone("x", handset: "pixel-6") }
        await #expect(throws: VirtualAirError.self) { try await air.phone("x", model: "iphone", handset: "pixel-5") }
        await #expect(throws: VirtualAirError.self) {
            try await air.phone("x", hardware: VirtualAir.Phone.Hardware(rssiOffset: 41))
        }
    }

    /// What a phone receives while it walks past beacons, with chance in the model.
    private static func walk(_ seed: UInt64) async throws -> [String] {
        let air = try await VirtualAir(profile: "profile: hall\nphysics: hall\nbeacons: []", seed: seed)
        for number in 1...5 {
            try await air.beacon(
                "b\(number)", iBeacon: (uuid, 1, UInt16(number)), at: Position(x: Double(number) * 4, y: 1))
        }
        let phone = try await air.receiver("phone", at: Position(x: 0, y: 0))
        try await air.walk(phone, through: [Position(x: 0, y: 0), Position(x: 20, y: 0)], over: .seconds(10))
        return try await phone.advertisements(for: .seconds(10)).map {
            "\($0.time) \($0.sighting.device) \($0.sighting.rssi.map { "\($0)" } ?? "")"
        }
    }

    @Test func sameSeedRepeatsWhatIsReceived() async throws {
        let first = try await Self.walk(7)
        #expect(first.count > 100)
        // In parallel, as tests are.
        let again = try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { try await Self.walk(7) } }
            var all: [[String]] = []
            for try await each in group { all.append(each) }
            return all
        }
        #expect(again == Array(repeating: first, count: 4))
        #expect(try await Self.walk(8) != first)
    }

    @Test func connectionsAreEndedByTheBeacon() async throws {
        let air = try await VirtualAir(seed: 3)
        let cell = try await air.beacon("cell", keys: "device: battery\nlevel: 80")
        let phone = try await air.receiver("phone")
        let level = try await air.run {
            let battery = try await phone.central.find(BatteryClient.scan)
            try await battery.connect()
            return try await BatteryClient(battery).level()
        }
        #expect(level == 80)
        let central = await air.journal.expect("connected", beacon: cell)?["central"]
        #expect(try await cell.status().centrals == [central])
        try await cell.disconnect(reason: "supervision-timeout")
        await air.journal.expect("disconnected", beacon: cell)
        try await phone.remove()
        try await air.stop()
        #expect(air.journal.events.last?.name == "stopping")
        await #expect(throws: VirtualAirError.self) { try await cell.enable() }
    }

    @Test(arguments: ["establishment", "connected", "request"])
    func connectionsFailWhileTheBeaconAdvertises(phase: String) async throws {
        let air = try await VirtualAir(seed: 3)
        let cell = try await air.beacon("cell", keys: "device: battery\nlevel: 80")
        let phone = try await air.receiver("phone")
        try await cell.failConnections(2, phase: phase)
        for attempt in 1...3 {
            let level: UInt8? = try await air.run {
                // It is received each time.
                let battery = try await phone.central.find(BatteryClient.scan)
                do throws(CentralError) {
                    try await battery.connect()
                    let level = try await BatteryClient(battery).level()
                    await battery.disconnect()
                    return level
                } catch {
                    await battery.disconnect()
                    return nil
                }
            }
            // The central requests a connection again that is not established.
            #expect(level == (attempt <= 2 && phase != "establishment" ? nil : 80), "\(attempt)")
        }
        await air.journal.expect("connections-failing,phase=\(phase),connections=2", beacon: cell)
        #expect(air.journal.find("connected", beacon: cell).count == 3)
        await #expect(throws: VirtualAirError.self) { try await cell.failConnections(1, phase: "pairing") }
        await #expect(throws: VirtualAirError.self) { try await cell.failConnections(1001) }
    }
}
