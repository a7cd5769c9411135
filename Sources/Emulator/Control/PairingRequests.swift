// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import Persistence
import Profiles
package import Radio

// Pairing and bonds of beacons.
extension Emulator {
    var pairingRadio: (any PairingRadio)? { radio as? any PairingRadio }

    /// Reads a beacon's saved bonds.
    /// - Throws: `EmulatorError` `.inputOutput` if the file exists and cannot be read.
    func openBonds(of beacon: RunningBeacon, resets: Bool) throws(EmulatorError) {
        guard beacon.profile.pairing != nil else { return }
        let file = configuration.state?.bonds(profile: beacon.profileName, beacon: beacon.profile.id)
        do throws(SystemError) {
            try vault.open(beacon.identifier, file, resets: resets)
        } catch {
            throw EmulatorError(
                .inputOutput, "\(error)", hint: StateFolder.hint(for: error, in: configuration.state?.path ?? ""))
        }
    }

    /// The bonds of a beacon, or of all beacons.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func bonds(of name: String?) async throws(EmulatorError) -> [(beacon: String, peer: PairedPeer)] {
        var beacons = roster.order
        if let name { beacons = [try await running(name).identifier] }
        return beacons.flatMap { beacon in
            vault.secrets(of: beacon).bonds.map { (beacon.name, $0.peer) }
        }
    }

    /// Removes the bonds of a beacon with the peers of an identity address, or all its bonds.
    /// - Returns: The number of removed bonds.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.unknownPeer` if it has no bond with this address.
    package func forgetBonds(of name: String, address: BluetoothAddress?) async throws(EmulatorError) -> Int {
        guard let address else { return try await forgetBonds(of: name, peer: nil) }
        let known = try await bonds(of: name).map(\.peer.address)
        guard known.contains(where: { $0.address == address }) else {
            let names = known.map(\.address.description).joined(separator: ", ")
            throw EmulatorError(
                .unknownPeer,
                "\(name) has no bond with \(address)" + (known.isEmpty ? ", and no other bonds" : ""),
                hint: known.isEmpty ? "see beaconry ctl bonds" : "beaconry ctl bonds lists its bonds: \(names)")
        }
        var count = 0
        for peer in known where peer.address == address { count += try await forgetBonds(of: name, peer: peer) }
        return count
    }

    /// Removes the bond of a beacon with a peer, or all its bonds.
    /// - Returns: The number of removed bonds.
    /// - Throws: `EmulatorError` `.unknownBeacon`.
    package func forgetBonds(of name: String, peer: RemoteAddress?) async throws(EmulatorError) -> Int {
        await pairingRadio?.forgetBonds(of: try await running(name).identifier, peer: peer) ?? 0
    }

    /// Answers a pairing that waits for the user.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.conflict` if no pairing waits for such an answer.
    package func answerPairing(_ answer: PairingAnswer, of name: String) async throws(EmulatorError) {
        let beacon = try await running(name).identifier
        guard let central = roster[beacon]?.answer(answer) else {
            throw EmulatorError(
                .conflict, "\(name) does not wait for that", hint: "see its events for what it asks (ctl events)")
        }
        await pairingRadio?.answerPairing(answer, of: central)
    }

    /// Asks the connected centrals of a beacon for encryption, and with that to pair.
    /// - Throws: `EmulatorError` `.unknownBeacon`, or `.conflict` if the beacon does not pair or has no centrals.
    package func requestSecurity(of name: String) async throws(EmulatorError) {
        let beacon = try await running(name)
        guard beacon.profile.pairing != nil else {
            throw EmulatorError(
                .conflict, "\(name) does not pair", hint: "give it a pairing section in its profile")
        }
        let connected = centrals(of: beacon.identifier)
        guard !connected.isEmpty else {
            throw EmulatorError(.conflict, "no central is connected to \(name)", hint: "connect first")
        }
        for central in connected { await pairingRadio?.requestSecurity(of: central) }
    }
}
