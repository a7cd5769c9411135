// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Synchronization
import TestTraits
import Testing

/// Beacons that are configured in one operation: found, connected, read, written, disconnected.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct BeaconConfiguratorTests {
    private static let services = [
        GATTService(
            uuid: IoTDesignShopService.uuid,
            characteristics: [
                IoTDesignShopService().beaconUUID.uuid, IoTDesignShopService().majorMinor.uuid,
                IoTDesignShopService().transmitSettings.uuid,
            ].map { GATTCharacteristic(uuid: $0, properties: [.read, .write]) })
    ]

    private final class Log: Sendable {
        let steps = Mutex<[String]>([])

        func note(_ step: BeaconConfigurator.Step) {
            let word =
                switch step {
                case .searching: "searching"
                case .connecting: "connecting"
                case .reading: "reading"
                case .writing: "writing"
                case .retrying(let error): "retrying: \(error.code)"
                }
            steps.withLock { $0.append(word) }
        }
    }

    private static let target = BeaconConfigurator.Target("\(Stage.address)")

    private static func withBeacon(
        attempts: Int, _ body: (Stage, BeaconConfigurator, Log) async throws -> Void
    ) async throws {
        try await Stage.with(services: services) { stage in
            stage.peer[IoTDesignShopService().beaconUUID.uuid] = Array(repeating: 1, count: 16)
            stage.peer[IoTDesignShopService().majorMinor.uuid] = [1, 0, 1, 0]
            stage.peer[IoTDesignShopService().transmitSettings.uuid] = [2, 0, 0xA0, 0]
            let log = Log()
            let configurator = BeaconConfigurator(stage.central, timeout: .seconds(30), attempts: attempts) {
                log.note($1)
            }
            try await body(stage, configurator, log)
            let peripheral = await stage.peripheral
            #expect(!peripheral.isConnected, "the beacon is disconnected in every case")
        }
    }

    @Test func differencesAreWrittenOnce() async throws {
        try await Self.withBeacon(attempts: 1) { stage, configurator, log in
            let change = SettingsChange(major: 7, interval: AdvertisingInterval(160))
            let outcome = try await configurator.configure(Self.target, change)
            #expect(outcome.before.numbers.major == 1)
            #expect(outcome.after == change.applied(to: outcome.before))
            #expect(stage.peer[IoTDesignShopService().majorMinor.uuid] == [7, 0, 1, 0])
            #expect(stage.peer.received.count { $0.first == 0x12 } == 1)
            let again = try await configurator.configure(Self.target, change)
            #expect(again.before == again.after)
            #expect(stage.peer.received.count { $0.first == 0x12 } == 1)
            let steps = ["searching", "connecting", "reading"]
            #expect(log.steps.withLock(\.self) == steps + ["writing"] + steps)
        }
    }

    @Test func lostConnectionIsRepeated() async throws {
        try await Self.withBeacon(attempts: 3) { stage, configurator, log in
            let writes = Mutex(0)
            stage.peer.follow { pdu in
                guard pdu.first == 0x12 else { return .asUsual }
                let count = writes.withLock { count in
                    count += 1
                    return count
                }
                return count < 3 ? .hangUp : .asUsual
            }
            let outcome = try await configurator.configure(Self.target, SettingsChange(minor: 9))
            #expect(outcome.after.numbers.minor == 9)
            #expect(stage.peer[IoTDesignShopService().majorMinor.uuid] == [1, 0, 9, 0])
            #expect(log.steps.withLock { $0.filter { $0 == "retrying: disconnected" }.count } == 2)
        }
    }

    @Test func refusalsAreNotRepeated() async throws {
        try await Self.withBeacon(attempts: 3) { stage, configurator, log in
            stage.peer.follow { pdu in
                pdu.first == 0x12 ? .these([[0x01, 0x12, pdu[1], pdu[2], 0x11]]) : .asUsual
            }
            await expect(.refused(.insufficientResources)) {
                _ = try await configurator.configure(Self.target, SettingsChange(minor: 9))
            }
            #expect(log.steps.withLock { $0.filter { $0.hasPrefix("retrying") } } == [])
        }
    }

    @Test func absentBeaconIsNamed() async throws {
        try await Self.withBeacon(attempts: 1) { stage, _, _ in
            let configurator = BeaconConfigurator(stage.central, timeout: .milliseconds(200))
            do throws(CentralError) {
                _ = try await configurator.read(BeaconConfigurator.Target("Nobody"))
                Issue.record("the beacon was found")
            } catch {
                #expect(error.operation == "find the beacon Nobody")
                #expect(error.reason == .timedOut(after: .milliseconds(200)))
            }
        }
    }

    /// For every combination of settings, only the given ones change.
    @Test(arguments: 0..<32)
    func givenSettingsAreChanged(_ given: Int) throws {
        let (one, other) = (try #require(UUID128(octets: [UInt8](repeating: 1, count: 16))), IoTDesignShopService.uuid)
        let before = IoTDesignShopClient.Settings(
            uuid: one, numbers: IoTDesignShopService.MajorMinor(major: 1, minor: 2),
            transmit: IoTDesignShopService.TransmitSettings(powerCode: 2, interval: AdvertisingInterval(160)))
        let change = SettingsChange(
            uuid: given & 1 == 0 ? nil : other.expanded, major: given & 2 == 0 ? nil : 3,
            minor: given & 4 == 0 ? nil : 4, powerCode: given & 8 == 0 ? nil : 0,
            interval: given & 16 == 0 ? nil : AdvertisingInterval(32))
        let after = change.applied(to: before)
        #expect(after.uuid == (given & 1 == 0 ? one : other.expanded))
        #expect(after.numbers.major == (given & 2 == 0 ? 1 : 3))
        #expect(after.numbers.minor == (given & 4 == 0 ? 2 : 4))
        #expect(after.transmit.powerCode == (given & 8 == 0 ? 2 : 0))
        #expect(after.transmit.interval == AdvertisingInterval(given & 16 == 0 ? 160 : 32))
    }
}
