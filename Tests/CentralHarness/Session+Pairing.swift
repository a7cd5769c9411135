// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Radio

extension Session {
    /// `IO [passkey=DIGITS] [mitm] [legacy] [required] [comparison=WORD]`
    func pair(_ words: [String], on link: any RemoteLink, _ line: inout Line) async throws {
        guard let inputOutput = PairingSettings.InputOutput(rawValue: words[0]) else { throw Unknown() }
        var settings = PairingSettings(inputOutput: inputOutput)
        for word in words.dropFirst() {
            let parts = word.split(separator: "=").map(String.init)
            switch parts[0] {
            case "passkey": settings.passkey = UInt32(parts[parts.count - 1])
            case "comparison":
                settings.comparison = PairingSettings.Comparison(rawValue: parts[parts.count - 1]) ?? .ask
            case "mitm": settings.requiresAuthentication = true
            case "legacy": settings.secureConnections = .off
            case "required": settings.secureConnections = .required
            default: throw Unknown()
            }
        }
        guard let link = link as? any PairingLink else { throw Unknown() }
        let protection = try await link.pair(settings) { question in await self.ask(question) }
        line.authenticated = protection.isAuthenticated
        line.count = protection.keySize.map(Int.init)
    }

    func forget(_ words: [String]) async throws {
        guard let address = BluetoothAddress(words[0]) else { throw Unknown() }
        let device = RemoteAddress(address, isRandom: words[1] == "random")
        await (radio as? any BondingCentralRadio)?.forgetBond(with: device)
    }

    /// Tells what is asked, and waits for the answer where one counts.
    private func ask(_ question: PairingQuestion) async -> PairingAnswer {
        var line = Line(event: "question")
        switch question {
        case .showPasskey(let passkey):
            line.kind = "show"
            line.count = Int(passkey)
            line.tell()
            return .comparison(true)
        case .passkey: line.kind = "passkey"
        case .comparison(let number):
            line.kind = "comparison"
            line.count = Int(number)
        }
        return await withCheckedContinuation { continuation in
            questions.append(continuation)
            line.tell()
        }
    }

    /// Answers what was asked first.
    func reply(_ word: String) {
        guard !questions.isEmpty else { return Line.failed("nothing is asked").tell() }
        let answer: PairingAnswer =
            switch word {
            case "accept": .comparison(true)
            case "reject": .comparison(false)
            default: UInt32(word).map { .passkey($0) } ?? .cancel
            }
        questions.removeFirst().resume(returning: answer)
    }
}
