// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Profiles
import Radio

extension ControlSession {
    func forget(_ request: ControlRequest) async throws(EmulatorError) -> Int {
        let device = try device(of: request)
        guard let text = request.peer else { return try await emulator.forgetBonds(of: device, peer: nil) }
        guard let address = BluetoothAddress(text) else {
            throw EmulatorError(.badProfile, "\"\(text)\" is not an address", hint: "see bonds for those known")
        }
        let known = try await emulator.bonds(of: device).map(\.peer.address)
        guard known.contains(where: { $0.address == address }) else {
            let names = known.map(\.address.description).joined(separator: ", ")
            throw EmulatorError(
                .unknownPeer,
                "\(device) knows nobody by the address \(address)" + (known.isEmpty ? ", nor anybody else" : ""),
                hint: known.isEmpty
                    ? "see beaconry ctl bonds" : "beaconry ctl bonds lists those that it knows: \(names)")
        }
        var forgotten = 0
        for peer in known where peer.address == address {
            forgotten += try await emulator.forgetBonds(of: device, peer: peer)
        }
        return forgotten
    }

    func pair(_ request: ControlRequest) async throws(EmulatorError) -> ControlAnswer {
        let device = try device(of: request)
        guard let text = request.answer else {
            try await emulator.requestSecurity(of: device)
            return ControlAnswer()
        }
        try await emulator.answerPairing(try Self.answer(text), of: device)
        return ControlAnswer()
    }

    private static func answer(_ text: String) throws(EmulatorError) -> PairingAnswer {
        switch text {
        case "accept": return .comparison(true)
        case "reject": return .comparison(false)
        case "cancel": return .cancel
        default: break
        }
        do throws(ValueFault) {
            return .passkey(try ValueText.passkey(text))
        } catch {
            throw EmulatorError(
                .badProfile, "\"\(text)\" is no answer", hint: "write accept, reject, cancel or six digits")
        }
    }
}
