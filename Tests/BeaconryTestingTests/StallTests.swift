// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import BeaconryTesting

/// Code that waits for something that will not happen is an issue of its test.
@Suite(.realTime, .timeLimit(.minutes(5)))
struct StallTests {
    private static let bulb = """
        device: gatt
        name: Bulb
        services:
          - uuid: 1815
            characteristics:
              - { name: switch, uuid: 2A56, properties: [read, write, notify], type: uint8, value: 0 }
        advertise: { services: [1815] }
        """

    /// The texts of the issues that a body records, in a test of its own air.
    private static func issues(_ body: @Sendable () async throws -> Void) async -> [String] {
        let texts = Mutex<[String]>([])
        await withKnownIssue {
            do { try await body() } catch { Issue.record(error) }
        } matching: { issue in
            texts.withLock { $0 += issue.error.map { ["\($0)"] } ?? issue.comments.map(\.rawValue) }
            return true
        }
        return texts.withLock(\.self)
    }

    private static func connect(to bulb: VirtualAir.Beacon, _ phone: VirtualAir.Receiver) async throws -> Characteristic
    {
        let found = try await phone.central.find(ScanOptions(services: ["1815"]))
        try await found.connect()
        return try await found.discoverService("1815").discoverCharacteristic("2A56")
    }

    @Test func callOutsideOfRunIsAnIssueAndEnds() async throws {
        let issues = await Self.issues {
            let air = try await VirtualAir(seed: 1)
            try await air.beacon("bulb", keys: Self.bulb)
            let phone = try await air.receiver("phone")
            let found = try await phone.central.find(ScanOptions(services: ["1815"]))
            #expect(found.name == "Bulb")
        }
        try #require(issues.count == 1)
        #expect(issues[0].contains("outside of run waits for phone: find a device"), "\(issues)")
    }

    @Test func sleepOutsideOfRunIsAnIssueWhereTheAirWasMade() async throws {
        let places = Mutex<[String]>([])
        await withKnownIssue {
            do {
                let air = try await VirtualAir(seed: 1)
                try await air.clock.sleep(for: .seconds(1))
            } catch {
                Issue.record(error)
            }
        } matching: { issue in
            places.withLock { $0.append("\(issue.sourceLocation?.fileName ?? "") \(issue.comments)") }
            return true
        }
        let found = places.withLock(\.self)
        #expect(found.count == 1)
        #expect(
            found.allSatisfy { $0.hasPrefix("StallTests.swift") && $0.contains("waits for air.clock.sleep") },
            "\(found)")
    }

    /// What a test reads from an air, with its name in the issue.
    enum Read: String, CaseIterable {
        case state = "the state of the region shop"
        case ranged = "what phone ranges"
        case status = "the status of door"
        case truth = "where phone is"
        case find = "the journal"

        func perform(_ air: VirtualAir, _ door: VirtualAir.Beacon, _ phone: VirtualAir.Phone) async throws {
            switch self {
            case .state: _ = try await phone.state(of: "shop")
            case .ranged: _ = try await phone.ranged()
            case .status: _ = try await door.status()
            case .truth: _ = try await air.truth(of: phone)
            case .find: _ = air.journal.find("connected")
            }
        }
    }

    @Test(arguments: Read.allCases)
    func loopOutsideOfRunIsAnIssue(_ read: Read) async throws {
        let issues = await Self.issues {
            let realTime = ManualClock()
            let air = try await VirtualAir(nil, 1, realTime: Timekeeper(realTime))
            let door = try await air.beacon("door", iBeacon: (TestedAirTests.uuid, 1, 7))
            let phone = try await air.phone("phone")
            try await phone.monitor("shop", uuid: TestedAirTests.uuid)
            // That of the journal cannot throw, so that its loop goes on.
            for _ in 0..<40 {
                try await read.perform(air, door, phone)
                realTime.advance(by: .milliseconds(50))
            }
        }
        #expect(issues.count == (read == .find ? 1 : 2), "\(issues)")
        #expect(issues.allSatisfy { $0.contains("reads \(read.rawValue) again and again") }, "\(issues)")
    }

    @Test func readsBetweenWhichTimePassesAreNoLoop() async throws {
        let realTime = ManualClock()
        let air = try await VirtualAir(nil, 1, realTime: Timekeeper(realTime))
        let door = try await air.beacon("door", iBeacon: (TestedAirTests.uuid, 1, 7))
        for _ in 0..<30 {
            #expect(try await door.status().isOnAir)
            try await air.clock.advance(by: .milliseconds(1))
            realTime.advance(by: .milliseconds(50))
        }
        // So are reads between changes, which have an effect without it.
        for index in 0..<30 {
            try await door.set(["minor": "\(index)"])
            #expect(try await door.status().settings["minor"] == "\(index)")
            realTime.advance(by: .milliseconds(50))
        }
    }

    @Test func missedNotificationIsAnIssueThatNamesIt() async throws {
        let issues = await Self.issues {
            let air = try await VirtualAir(seed: 1)
            let bulb = try await air.beacon("bulb", keys: Self.bulb)
            let phone = try await air.receiver("phone")
            try await air.run {
                let changes = try await Self.connect(to: bulb, phone).notifications()
                try await bulb.set(["switch": "1"])
                for try await _ in changes { break }
            }
        }
        #expect(issues.count == 2)
        #expect(issues.allSatisfy { $0.contains("still waits for phone: be notified of 2A56") }, "\(issues)")
    }

    @Test func subscriptionThatIsCompleteMissesNothing() async throws {
        let air = try await VirtualAir(seed: 1)
        let bulb = try await air.beacon("bulb", keys: Self.bulb)
        let phone = try await air.receiver("phone")
        let value = try await air.run {
            let changes = try await Self.connect(to: bulb, phone).subscribe()
            try await bulb.set(["switch": "1"])
            return try await changes.first { _ in true }
        }
        #expect(value == [1])
        await air.journal.expect("unsubscribed", beacon: bulb)
    }

    @Test func limitOfABodyIsInTheTimeOfTheAir() async throws {
        let issues = await Self.issues {
            let air = try await VirtualAir(seed: 1)
            try await air.beacon("door", iBeacon: (TestedAirTests.uuid, 1, 7))
            let phone = try await air.receiver("phone")
            try await air.run(within: .seconds(20)) {
                for try await _ in phone.central.scan(ScanOptions(services: ["1815"])) { break }
            }
        }
        #expect(issues.count == 2)
        #expect(issues.allSatisfy { $0.contains("within 20.0 seconds") && $0.contains("phone: scan") }, "\(issues)")
    }

    @Test func bodyThatSleepsInRealTimeIsNoStall() async throws {
        let air = try await VirtualAir(seed: 1)
        let end = try await air.run(waitsInRealTime: true) {
            try await Task.sleep(for: .seconds(3))
            return air.clock.elapsed
        }
        #expect(end == .zero)
        // The limit lets no time pass by itself.
        #expect(air.clock.elapsed == .zero)
    }

    @Test func deviceIsGivenBesideAnIBeacon() async throws {
        let air = try await VirtualAir(seed: 1)
        let door = try await air.beacon("door", iBeacon: (TestedAirTests.uuid, 1, 7), device: "iot-design-shop")
        let gate = try await air.beacon("gate", iBeacon: (TestedAirTests.uuid, 1, 8), keys: "device: iot-design-shop")
        for beacon in [door, gate] {
            // An iBeacon without the service for its settings is not connectable.
            #expect(air.journal.find("advertising-started", beacon: beacon).map { $0["pdu"] } == ["ADV_IND"])
        }
        let error = await #expect(throws: VirtualAirError.self) {
            try await air.beacon("side", iBeacon: (TestedAirTests.uuid, 1, 9), keys: "interval: 20ms\ninterval: 30ms")
        }
        #expect(
            error?.description.hasPrefix("the beacon side: the key interval") == true, "\(String(describing: error))")
    }

    @Test func literalsAreUUIDs() {
        let long: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146156"
        #expect(long.description == "2173E519-9155-4862-AB64-7953AB146156")
        #expect(("180F" as BluetoothUUID) == .bit16(0x180F))
    }
}
