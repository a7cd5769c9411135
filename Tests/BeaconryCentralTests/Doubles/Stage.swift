// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
import HCIRadio
import Testing
import VirtualRadio

/// A virtual air with a scripted peripheral, and a central that joins it over TCP.
struct Stage {
    static let address = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero

    /// The default time limit in a test, beside hundreds of other tests.
    private static let patience = Duration.seconds(300)

    let air: VirtualAirRadio
    let port: Int
    let peer: ScriptedPeer
    let central: Central

    /// Runs a test on a stage, which is removed afterwards.
    static func with(
        clock: any Clock<Duration> = ContinuousClock(), services: [GATTService] = ScriptedPeer.services,
        advertising service: BluetoothUUID = ScriptedPeer.service, _ body: (Stage) async throws -> Void
    ) async throws {
        try await Central.$defaultTimeout.withValue(patience) {
            let stage = try await Stage(clock, services, service)
            do {
                try await body(stage)
            } catch {
                await stage.clear()
                throw error
            }
            await stage.clear()
        }
    }

    private init(_ old: Stage, peer: ScriptedPeer) {
        (air, port, central) = (old.air, old.port, old.central)
        self.peer = peer
    }

    private init(_ clock: any Clock<Duration>, _ services: [GATTService], _ service: BluetoothUUID) async throws {
        air = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: [.local()]))
        let capabilities = try await air.open([], waits: false) { _ in .failure(.unlikely) }
        port = try #require(capabilities.servers.first?.split(separator: ":").last.flatMap { Int($0) })
        peer = try ScriptedPeer(port: port, address: Self.address, services: services, advertising: service)
        let radio = HCIRadio(.tcp(host: "127.0.0.1", port: port), commandTimeout: .seconds(300))
        central = Central(radio: radio, clock: clock)
        try await central.open()
    }

    private func clear() async {
        peer.vanish()
        // Its script usually retains the stage.
        peer.behave()
        await central.close()
        await air.close()
    }

    /// The peer, known to the central only by its address.
    var peripheral: Peripheral {
        get async { await central.peripheral(at: RemoteAddress(peer.address, isRandom: true)) }
    }

    /// Connects and finds the characteristic with the most operations.
    func value() async throws -> Characteristic {
        try await characteristic(ScriptedPeer.value)
    }

    /// Connects and finds a characteristic.
    func characteristic(_ type: BluetoothUUID) async throws -> Characteristic {
        let peripheral = await peripheral
        try await peripheral.connect()
        return try await peripheral.discoverService(ScriptedPeer.service).discoverCharacteristic(type)
    }

    /// The same stage after the peripheral has its power back.
    func restartPeer() throws -> Stage {
        Stage(self, peer: try ScriptedPeer(port: port, address: peer.address))
    }

    /// Another peripheral on the same air.
    func addPeer(_ number: UInt8) throws -> ScriptedPeer {
        try ScriptedPeer(
            port: port, address: BluetoothAddress(octets: [0xC0, 0xFF, 0xEE, 0, 1, number]) ?? .zero)
    }
}
