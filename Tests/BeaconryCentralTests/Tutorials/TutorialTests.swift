// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import FoundationEssentials
import TestTraits
import Testing

/// The code of the tutorials: it is compiled here, it works, and it equals the code in the tutorials.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct TutorialTests {
    @Test(arguments: [("BeaconClient", 7), ("BatteryMonitor", 4)])
    func codeIsThatOfTheTutorial(name: String, steps: Int) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let resources = tests.appending(path: "../../../Sources/BeaconryCentral/BeaconryCentral.docc/Resources")
        let compiled = try Self.lines(tests.appending(path: "\(name).swift"))
        // After the licence header.
        var later = Array(compiled.dropFirst(4))
        for step in (1...steps).reversed() {
            let shown = try Self.lines(resources.appending(path: "\(name)-0\(step).swift"))
            if step == steps { #expect(shown == later) } else { #expect(shown.count < later.count) }
            // Each step contains a part of the final code, in order, and nothing else.
            var rest = later[...]
            for line in shown {
                let index = try #require(rest.firstIndex(of: line), "step \(step): \(line)")
                rest = rest[(index + 1)...]
            }
            later = shown
        }
    }

    private static func lines(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test func tutorialBeaconIsConfigured() async throws {
        let properties: CharacteristicProperties = [.read, .write]
        let services = [
            GATTService(
                uuid: BeaconService.uuid,
                characteristics: (1...3).map {
                    GATTCharacteristic(uuid: BeaconService.base.adding($0), properties: properties)
                })
        ]
        try await Stage.with(services: services, advertising: BeaconService.uuid) { stage in
            stage.peer[BeaconService.base.adding(1)] = BeaconService.base.uuid.octets
            stage.peer[BeaconService.base.adding(2)] = [1, 0, 2, 0]
            stage.peer[BeaconService.base.adding(3)] = [2, 0, 0xA0, 0]
            let description = try await renumber(stage.central, major: 258)
            #expect(description == "2173E519-9155-4862-AB64-7953AB146156 258/2, every 100 ms")
            #expect(stage.peer[BeaconService.base.adding(2)] == [2, 1, 2, 0])
            try await until { !stage.peer.isConnected }
        }
    }

    @Test func tutorialBatteryIsWatched() async throws {
        let services = [
            GATTService(
                uuid: Battery.uuid,
                characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .notify])]),
            GATTService(
                uuid: Maker.uuid, characteristics: [GATTCharacteristic(uuid: .bit16(0x2A29), properties: [.read])]),
        ]
        try await Stage.with(services: services) { stage in
            stage.peer[.bit16(0x2A19)] = [80]
            stage.peer[.bit16(0x2A29)] = Array("Bluegiga".utf8)
            let monitor = try await BatteryMonitor(stage.peripheral)
            #expect(monitor.maker == "Bluegiga")
            let handle = stage.peer.handle(of: .bit16(0x2A19)).serialized()
            stage.peer.follow { pdu in
                pdu.first == 0x12 && pdu.suffix(2) == [1, 0]
                    ? .usualAnd([50, 4].map { [0x1B] + handle + [$0] }) : .asUsual
            }
            var levels: [UInt8] = []
            try await monitor.waitUntilEmpty { levels.append($0) }
            #expect(levels == [80, 50, 4])
        }
    }
}
