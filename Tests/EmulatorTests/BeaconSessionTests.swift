// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Testing

@testable import Emulator

/// What a session records of a beacon and its centrals.
struct BeaconSessionTests {
    private static let level = CharacteristicIdentifier(.bit16(0x2A19))

    private static func session() throws -> BeaconSession { BeaconSession(try BeaconOnABench(nil).beacon) }

    private static func status() -> AdvertisingStatus {
        AdvertisingStatus(
            requested: Advertisement(
                pdu: .connectableScannable, advertisingData: [], scanResponse: [], interval: AdvertisingInterval(160),
                transmitPower: nil),
            effective: EffectiveAdvertisement(unknown: "it is not read back"), differences: [], warnings: [])
    }

    @Test
    func disconnectedCentralLosesItsSubscriptions() throws {
        let session = try Self.session()
        for central in ["b", "a"] {
            session.connect(central)
            session.subscribe(Subscription(central: central, characteristic: Self.level), .notification)
        }
        #expect(session.centrals == ["a", "b"])
        session.disconnect("a")
        #expect(session.centrals == ["b"])
        #expect(session.subscriptions.keys.map(\.central) == ["b"])
        session.subscribe(Subscription(central: "b", characteristic: Self.level), [])
        #expect(session.subscriptions.isEmpty)
    }

    @Test
    func firstReportIsNewUntilTheBeaconIsOffTheAir() throws {
        let session = try Self.session()
        let changes = [
            session.stopAdvertising(), session.advertise(Self.status()), session.advertise(Self.status()),
            session.stopAdvertising(), session.advertise(Self.status()),
        ]
        #expect(changes == [false, true, false, true, true])
    }

    @Test
    func removedSessionIsOnTheAirWithoutCentrals() throws {
        let session = try Self.session()
        session.connect("a")
        _ = session.advertise(Self.status())
        session.remove()
        #expect(session.isRemoved && session.isOnAir)
        #expect(session.centrals.isEmpty)
        session.replace(with: session.beacon)
        #expect(!session.isRemoved && session.isOnAir)
    }

    @Test
    func answerGoesToThePairingThatWaitsForIt() throws {
        let session = try Self.session()
        for central in ["a", "b"] { session.connect(central) }
        let automatic = [session.take(.began, from: "a"), session.take(.passkeyWanted, from: "b")]
        #expect(automatic == [nil, nil])
        let answered = [
            session.answer(.comparison(true)), session.answer(.passkey(1)), session.answer(.passkey(1)),
            session.answer(.cancel),
        ]
        #expect(answered == [nil, "b", nil, "a"])
        session.disconnect("a")
        let late = session.answer(.cancel)
        #expect(late == nil)
    }
}
