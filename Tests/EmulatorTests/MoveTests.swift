// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Space
import Synchronization
import TestTraits
import Testing

@testable import Emulator

/// Moves of beacons while a reload gives the radio its beacons again.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct MoveTests {
    private static let profile = """
        profile: hall
        beacons:
          - { id: shelf, device: ibeacon, ibeacon: { uuid: 10000000-2000-3000-4000-500000000000, major: 1, minor: 1 }, position: [1, 0] }
          - { id: door, device: ibeacon, ibeacon: { uuid: 10000000-2000-3000-4000-500000000000, major: 1, minor: 2 } }
        """

    /// The move begins during the exchange of another beacon; the air and the beacon have the same place afterwards.
    @Test(arguments: [true, false])
    func moveDuringAReloadIsKept(walks: Bool) async throws {
        let profiles = ProfileSource([Self.profile])
        let radio = PlacedRadio()
        let emulator = Emulator(Emulator.Configuration(loadProfiles: profiles.load), radio: radio)
        let events = emulator.events.listen()
        let run = Task { try await emulator.run() }
        for await posted in events { if case .ready = posted.event { break } }
        let moved = EventLog<Bool>()
        radio.whileReplanning {
            Task {
                if walks {
                    try await emulator.air.walk(
                        "shelf", through: [Position(x: 5, y: 0), Position(x: 5, y: 0)], over: .seconds(1))
                } else {
                    try await emulator.air.move("shelf", to: Position(x: 5, y: 0))
                }
                moved.append(true)
            }
            for _ in 0..<200 { await Task.yield() }
        }
        profiles.change(Self.profile.replacing("minor: 2", with: "minor: 3"))
        #expect(try await emulator.reload().changed == ["door"])
        _ = try await moved.entry { $0 }
        #expect(await radio.position(of: "shelf")?.x == 5)
        #expect(try await emulator.show("shelf").position?.x == 5)
        await emulator.stop()
        try await run.value
    }
}

/// Names that a beacon and a receiver would share.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct SharedNameTests {
    /// The beacon is put while the server of the receiver is being started.
    @Test
    func beaconAndReceiverOfTheSameNameAreNotBothAdded() async throws {
        let radio = PlacedRadio()
        let profiles = ProfileSource(["profile: hall\nbeacons: []\n"])
        let emulator = Emulator(Emulator.Configuration(loadProfiles: profiles.load), radio: radio)
        let events = emulator.events.listen()
        let run = Task { try await emulator.run() }
        for await posted in events { if case .ready = posted.event { break } }
        let puts = EventLog<EmulatorError.Code?>()
        radio.whileServing {
            Task {
                do throws(EmulatorError) {
                    _ = try await emulator.putBeacon(
                        "visitor", "{ device: ibeacon, ibeacon: { uuid: 10000000-2000-3000-4000-500000000000 } }")
                    puts.append(nil)
                } catch {
                    puts.append(error.code)
                }
            }
            for _ in 0..<20_000 where puts.entries.isEmpty { await Task.yield() }
        }
        _ = try await emulator.addReceiver("visitor", at: nil)
        #expect(try await puts.entry { _ in true } == .conflict)
        await emulator.stop()
        try await run.value
    }
}

/// A radio with positions only: a beacon is where the last call has put it.
private final class PlacedRadio: PositioningRadio {
    let name = "virtual"
    let events = RadioEvents()
    private let places = Mutex<[String: Motion]>([:])
    private let hook = Mutex<(@Sendable () async -> Void)?>(nil)
    private let receivers = Mutex<[String]>([])
    private let servingHook = Mutex<(@Sendable () async -> Void)?>(nil)

    func whileReplanning(_ body: @escaping @Sendable () async -> Void) { hook.withLock { $0 = body } }

    func whileServing(_ body: @escaping @Sendable () async -> Void) { servingHook.withLock { $0 = body } }

    func open(
        _ beacons: [HostedBeacon], waits: Bool, attributes: @escaping AttributeResponder
    ) async throws(RadioError) -> RadioCapabilities {
        place(beacons)
        return .scripted
    }

    func replan(_ beacons: [HostedBeacon]) async throws(RadioError) {
        let body = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        await body?()
        place(beacons)
    }

    private func place(_ beacons: [HostedBeacon]) {
        places.withLock { places in for beacon in beacons { places[beacon.identifier.name] = beacon.site.motion } }
    }

    func advertise(_ advertisement: Advertisement?, for beacon: BeaconIdentifier) async {
        guard let advertisement else { return }
        let effective = EffectiveAdvertisement(as: advertisement)
        events.yield(
            .advertising(
                beacon, AdvertisingStatus(requested: advertisement, effective: effective, differences: [], warnings: [])
            ))
    }

    func notify(
        _ value: [UInt8], of characteristic: CharacteristicIdentifier, on beacon: BeaconIdentifier, to central: String?
    ) async {}
    func disconnect(central: String) async {}
    func close() async { events.finish() }

    func move(_ name: String, to position: Position) async -> Bool {
        places.withLock { $0[name] = .rest(position) }
        return true
    }
    func walk(_ name: String, through places: [Position], over duration: Duration) async -> Motion? {
        guard let last = places.last else { return nil }
        self.places.withLock { $0[name] = .rest(last) }
        return .rest(last)
    }
    func position(of name: String) async -> Position? { places.withLock { $0[name]?.position(at: .zero) } }
    func serveReceiver(
        _ name: String, motion: Motion?, hardware: ReceiverHardware
    ) async throws(RadioError) -> AirReceiver {
        let body = servingHook.withLock(\.self)
        await body?()
        receivers.withLock { $0.append(name) }
        return AirReceiver(name: name, server: "tcp:127.0.0.1:1", hosts: [], position: nil)
    }
    func removeReceiver(_ name: String) async -> AirReceiver? { nil }
    func namedReceivers() async -> [AirReceiver] {
        receivers.withLock(\.self).map {
            AirReceiver(name: $0, server: "tcp:127.0.0.1:1", hosts: [], position: nil)
        }
    }
    func setMotion(_ motion: Motion?, ofReceiver receiver: String) async -> Bool { false }
    func setHardware(_ hardware: ReceiverHardware, ofReceiver receiver: String) async -> Bool { false }
    func members() async -> [AirMember] { [] }
    func paths(to _: String?) async -> [AirPath] { [] }
    func propagation() async -> Propagation { Propagation() }
    func setPropagation(_ propagation: Propagation) async {}
    func levelsAtOneMetre() async -> [String: Double] { [:] }
    func overrideLink(_ one: String, _ other: String, _ override: LinkOverride?) async -> String? { nil }
}
