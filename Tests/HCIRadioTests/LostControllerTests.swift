// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
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

    @Test func operationsAreRefusedUntilTheControllerIsBack() async throws {
        let path = "/tmp/beaconry-lost-\(getpid()).sock"
        let first = try await Self.air(at: path)
        // Without a refusal, each operation would wait this long for a reply.
        let radio = HCIRadio(.unix(path: path), commandTimeout: .seconds(3600))
        _ = try await radio.openCentral(waits: false)
        await first.close()
        for await state in await radio.states() where state != .ready { break }

        #expect(
            await Self.code { () throws(RadioError) in _ = try await radio.scan(ScanParameters(isActive: true)) }
                == .noAdapter)
        #expect(
            await Self.code { () throws(RadioError) in
                _ = try await radio.connect(to: Self.device, timeout: .seconds(3600))
            } == .noAdapter)
        #expect(
            await Self.code { () throws(RadioError) in
                _ = try await radio.open([], waits: false) { _ in .failure(.unlikely) }
            } == .noAdapter)
        await radio.close()
    }

    @Test func scanBeginsAfterTheControllerIsBack() async throws {
        let path = "/tmp/beaconry-back-\(getpid()).sock"
        let first = try await Self.air(at: path)
        let radio = HCIRadio(.unix(path: path), commandTimeout: .seconds(300))
        _ = try await radio.openCentral(waits: false)
        await first.close()
        for await state in await radio.states() where state != .ready { break }
        let second = try await Self.air(at: path)
        // Waits until it is back.
        _ = try await radio.open([], waits: true) { _ in .failure(.unlikely) }
        for await state in await radio.states() where state == .ready { break }
        #expect(
            await Self.code { () throws(RadioError) in _ = try await radio.scan(ScanParameters(isActive: true)) } == nil
        )
        await radio.close()
        await second.close()
    }
}
