// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Foundation
import HCIRadio
import Radio
import TestTraits
import Testing
import VirtualRadio

/// A radio whose controller is lost: nothing begins on it that could not take place.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct LostControllerTests {
    private static let device = RemoteAddress(BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero, isRandom: true)

    private static func air(at path: String) async throws -> VirtualAirRadio {
        let air = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: [.init(.unix(path))]))
        _ = try await air.open([], waits: false) { _ in .failure(.unlikely) }
        return air
    }

    private static func code(_ body: () async throws(RadioError) -> Void) async -> RadioError.Code? {
        do throws(RadioError) {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }

    /// Runs a test with a radio whose controller is lost, and the path of the socket at which it had it.
    private static func afterLoss(
        commandTimeout: Duration, opening open: (HCIRadio) async throws -> Void,
        _ body: (HCIRadio, String) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/lost-\(UUID().uuidString.prefix(8)).sock"
        let air = try await air(at: path)
        let radio = HCIRadio(.unix(path: path), commandTimeout: commandTimeout)
        try await open(radio)
        await air.close()
        for await state in await radio.states() where state != .ready { break }
        try await body(radio, path)
        await radio.close()
    }

    private static func openAsCentral(_ radio: HCIRadio) async throws { _ = try await radio.openCentral(waits: false) }

    private static func openForBeacons(_ radio: HCIRadio) async throws {
        _ = try await radio.open([], waits: false) { _ in .failure(.unlikely) }
    }

    private static let operations: [(name: String, run: @Sendable (HCIRadio) async throws(RadioError) -> Void)] = [
        ("scan", { radio throws(RadioError) in _ = try await radio.scan(ScanParameters(isActive: true)) }),
        (
            "scan to a sink",
            { radio throws(RadioError) in
                try await radio.scan(ScanParameters(isActive: true), to: SightingSink(receive: { _ in }, end: {}))
            }
        ),
        ("connect", { radio throws(RadioError) in _ = try await radio.connect(to: device, timeout: .seconds(3600)) }),
        // Last, since a radio that cannot be opened is closed.
        (
            "open",
            { radio throws(RadioError) in _ = try await radio.open([], waits: false) { _ in .failure(.unlikely) } }
        ),
    ]

    /// Without a refusal, each of them would wait for an hour for a reply.
    @Test func operationsAreRefused() async throws {
        try await Self.afterLoss(commandTimeout: .seconds(3600), opening: Self.openAsCentral) { radio, _ in
            for (name, operation) in Self.operations {
                let code = await Self.code { () throws(RadioError) in try await operation(radio) }
                #expect(code == .noAdapter, "\(name)")
            }
        }
    }

    @Test func radioForBeaconsIsRefusedAsAReceiver() async throws {
        try await Self.afterLoss(commandTimeout: .seconds(3600), opening: Self.openForBeacons) { radio, _ in
            let code = await Self.code { () throws(RadioError) in _ = try await radio.openCentral(waits: false) }
            #expect(code == .noAdapter)
        }
    }

    @Test func openingWaitsForTheControllerAndScansBegin() async throws {
        try await Self.afterLoss(commandTimeout: .seconds(300), opening: Self.openAsCentral) { radio, path in
            let air = try await Self.air(at: path)
            _ = try await radio.open([], waits: true) { _ in .failure(.unlikely) }
            let code = await Self.code { () throws(RadioError) in
                _ = try await radio.scan(ScanParameters(isActive: true))
            }
            #expect(code == nil)
            await air.close()
        }
    }
}
