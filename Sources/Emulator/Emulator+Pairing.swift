// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Persistence
import Profiles
package import Radio

// Who pairs with the beacons of a run, and what the user answers.

extension Emulator {
    private var pairingRadio: (any PairingRadio)? { radio as? any PairingRadio }

    /// Takes a beacon's bonds from where they are kept.
    /// - Throws: `EmulatorError` `.inputOutput` when they are there and cannot be read.
    func openBonds(of beacon: RunningBeacon, resets: Bool) throws(EmulatorError) {
        guard beacon.profile.pairing != nil else { return }
        let file = configuration.state?.bonds(profile: beacon.profileName, beacon: beacon.profile.id)
        do throws(SystemError) {
            try vault.open(beacon.identifier, file, resets: resets)
        } catch {
            throw EmulatorError(
                .inputOutput, "\(error)", hint: "check the state folder, or use another one (--state DIR)")
        }
    }

    /// Tells of a pairing, and answers what the profile answers.
    func note(_ event: PairingEvent, of beacon: BeaconIdentifier, _ central: String) async {
        events.post(EventRecord(event, device: beacon.name, central: central))
        let settings = directory.beacon(beacon)?.profile.pairing ?? PairingSettings()
        switch event {
        case .passkeyWanted:
            if let passkey = settings.passkey {
                await pairingRadio?.answerPairing(.passkey(passkey), of: central)
                return
            }
            questions[central] = PairingInquiry(beacon: beacon, event: event)
        case .comparisonWanted:
            switch settings.comparison {
            case .accept: await pairingRadio?.answerPairing(.comparison(true), of: central)
            case .reject: await pairingRadio?.answerPairing(.comparison(false), of: central)
            case .ask: questions[central] = PairingInquiry(beacon: beacon, event: event)
            }
        case .began: questions[central] = PairingInquiry(beacon: beacon, event: event)
        case .passkeyShown: questions[central] = PairingInquiry(beacon: beacon, event: event)
        case .paired, .failed: questions[central] = nil
        case .encrypted, .forgotten: break
        }
    }

    /// The bonds of a beacon, or of all.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func bonds(of name: String?) async throws(EmulatorError) -> [(beacon: String, peer: PairedPeer)] {
        var asked: [BeaconIdentifier] = []
        if let name { asked.append(try await running(name).identifier) } else { asked = beacons.map(\.identifier) }
        return asked.flatMap { beacon in
            vault.secrets(of: beacon).bonds.map { (beacon.name, $0.peer) }
        }
    }

    /// Forgets a peer of a beacon, or all of them.
    /// - Returns: how many were forgotten.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func forgetBonds(of name: String, peer: RemoteAddress?) async throws(EmulatorError) -> Int {
        await pairingRadio?.forgetBonds(of: try await running(name).identifier, peer: peer) ?? 0
    }

    /// Answers what a central that pairs with a beacon waits for.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.refusedSetting` when nothing of the kind is asked.
    package func answerPairing(_ answer: PairingAnswer, of name: String) async throws(EmulatorError) {
        let beacon = try await running(name).identifier
        let waiting = questions.filter { $0.value.beacon == beacon && $0.value.takes(answer) }.keys.sorted()
        guard let central = waiting.first else {
            throw EmulatorError(
                .refusedSetting, "\(name) does not wait for that", hint: "see its events for what it asks (ctl events)")
        }
        if answer != .cancel { questions[central] = nil }
        await pairingRadio?.answerPairing(answer, of: central)
    }

    /// Asks the centrals that are connected to a beacon for encryption, and with that to pair.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.refusedSetting` when nobody is connected or it does not pair.
    package func requestSecurity(of name: String) async throws(EmulatorError) {
        let beacon = try await running(name)
        guard beacon.profile.pairing != nil else {
            throw EmulatorError(
                .refusedSetting, "\(name) does not pair", hint: "give it a pairing section in its profile")
        }
        let connected = centrals[beacon.identifier, default: []].sorted()
        guard !connected.isEmpty else {
            throw EmulatorError(.refusedSetting, "nobody is connected to \(name)", hint: "connect first")
        }
        for central in connected { await pairingRadio?.requestSecurity(of: central) }
    }
}

/// What a pairing waits for.
struct PairingInquiry: Sendable {
    let beacon: BeaconIdentifier
    let event: PairingEvent

    /// Whether this is an answer to it.
    func takes(_ answer: PairingAnswer) -> Bool {
        switch (answer, event) {
        case (.cancel, _), (.passkey, .passkeyWanted), (.comparison, .comparisonWanted): true
        default: false
        }
    }
}
