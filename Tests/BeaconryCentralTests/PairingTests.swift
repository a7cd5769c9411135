// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
import Radio
import TestTraits
import Testing

/// Pairing through the API.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct PairingTests {
    @Test func pairingNeedsAConnection() async throws {
        try await Stage.with { stage in
            let peripheral = await stage.peripheral
            let error = await #expect(throws: CentralError.self) { try await peripheral.pair() }
            #expect(error?.reason == .notConnected)
            #expect(error?.operation == "pair with \(peripheral.address)")
        }
    }

    @Test func deviceThatDoesNotPairRefuses() async throws {
        try await Stage.with { stage in
            let peripheral = await stage.peripheral
            try await peripheral.connect()
            let error = try #require(await #expect(throws: CentralError.self) { try await peripheral.pair() })
            guard case .notPaired(let refusal) = error.reason else {
                Issue.record(error)
                return
            }
            #expect(refusal.code == .notSupported)
            #expect(error.code == "not-paired" && error.hint == "enable pairing on the peer")
            #expect(error.message.hasPrefix("cannot pair with \(peripheral.address): "))
            // The connection is not affected.
            #expect(try await !peripheral.discoverServices().isEmpty)
        }
    }

    /// Refuses to save anything.
    private struct NoStore: BondStore {
        func secrets(of beacon: BeaconIdentifier) -> StoredSecrets { StoredSecrets() }
        func save(_ secrets: StoredSecrets, of beacon: BeaconIdentifier) -> Bool { false }
    }

    @Test func bondStoreIsPassedToTheRadio() async throws {
        let radio = MuteRadio()
        let central = Central(radio: radio)
        await central.storeBonds(in: NoStore(), as: "my app")
        try await central.open()
        #expect(radio.bonds == ["my app"])
        await central.close()
    }
}
