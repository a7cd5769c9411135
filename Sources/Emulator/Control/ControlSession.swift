// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Concurrency
import Devices
import FoundationEssentials
import Profiles
import Radio

extension Emulator {
    /// Answers a request in JSON, as the control socket does it with a line. `stop` is not performed.
    package func reply(to request: [UInt8]) async -> ControlReply {
        await ControlSession(emulator: self).serve(request)
    }
}

/// What a server sends for a control request.
package enum ControlReply: Sendable {
    /// One answer.
    case answer(ControlAnswer)
    /// All events from now on.
    case events(ControlRequest.EventFormat)
    /// An answer, before the run ends.
    case stop
}

/// The handlers of control requests.
struct ControlSession {
    let emulator: Emulator

    /// Parses and handles a line.
    func serve(_ line: [UInt8]) async -> ControlReply {
        do throws(EmulatorError) {
            return try await handle(try ControlRequest(parsing: line))
        } catch {
            return .answer(ControlAnswer(error))
        }
    }

    fileprivate func handle(_ request: ControlRequest) async throws(EmulatorError) -> ControlReply {
        switch request {
        case .events(let format): return .events(format)
        case .stop: return .stop
        case .list(let profile): return .answer(.beacons(try await emulator.list(of: profile)))
        case .show(let device): return .answer(.beacons([try await emulator.show(device)]))
        case .set(let device, let values): return .answer(.beacons([try await emulator.set(device, values)]))
        case .enable(let device): return .answer(.beacons([try await emulator.setEnabled(device, true)]))
        case .disable(let device): return .answer(.beacons([try await emulator.setEnabled(device, false)]))
        case .perform(let device, let command):
            return .answer(.beacons([try await emulator.perform(command, on: device)]))
        case .move(let name, let position): return .answer(try await move(name, position))
        case .receivers: return .answer(try await receivers())
        case .walk(let name, let path, let duration): return .answer(try await walk(name, path, duration))
        case .listReceivers: return .answer(Self.servers(try await emulator.servedReceivers()))
        case .addReceiver(let name, let metres): return .answer(Self.servers([try await addReceiver(name, metres)]))
        case .removeReceiver(let name): return .answer(Self.servers([try await emulator.removeReceiver(name)]))
        case .links: return .answer(try await links())
        case .link(let device, let receiver, let values):
            return .answer(try await overrideLink(device, receiver, values))
        case .disconnect(let name, let peer, let reason): return .answer(try await disconnect(name, peer, reason))
        case .mute(let device, let time): return .answer(.beacons([try await mute(device, time)]))
        case .unmute(let device): return .answer(.beacons([try await emulator.unmute(device)]))
        case .battery(let device, let state): return .answer(.beacons([try await setBattery(device, state)]))
        case .radio(let state): return .answer(try await setRadio(state))
        case .clock(let values): return .answer(try await changeClock(values))
        case .reload: return .answer(ControlAnswer(\.reload, try await emulator.reload()))
        case .reset: return .answer(ControlAnswer(\.reload, try await emulator.reset()))
        case .profile(let name): return .answer(ControlAnswer(\.profile, try await emulator.profileRecord(name)))
        case .replaceProfile(let name, let text, let tag):
            return .answer(ControlAnswer(\.reload, try await emulator.replaceProfile(name, by: text, tag: tag)))
        case .put(let name, let text): return .answer(try await put(name, text))
        case .scenario: return .answer(try .scenario(await emulator.scenarioRecord))
        case .startScenario(let text, let file):
            return .answer(try .scenario(try await emulator.startScenario(text, file: file)))
        case .stopScenario: return .answer(try .scenario(await emulator.stopScenario()))
        case .remove(let name): return .answer(ControlAnswer(\.reload, try await emulator.removeBeacon(name)))
        case .bonds(let device): return .answer(try await bonds(device))
        case .forget(let device, let peer): return .answer(try await forget(device, peer))
        case .pair(let device, let answer): return .answer(try await pair(device, answer))
        case .captures: return .answer(ControlAnswer(\.captures, await emulator.captureRecords))
        case .startCapture(let limit):
            return .answer(ControlAnswer(\.captures, [try await emulator.startCapture(limit: limit)]))
        case .stopCapture(let id): return .answer(ControlAnswer(\.captures, [try await emulator.stopCapture(id)]))
        case .getCapture(let id):
            let bytes = try await emulator.captureBytes(id)
            return .answer(
                ControlAnswer(\.packets, await LongWork.perform { Data(bytes).base64EncodedString() }))
        case .removeCapture(let id): return .answer(ControlAnswer(\.captures, [try await emulator.removeCapture(id)]))
        case .journal(let selection, let since, let clear):
            return .answer(try await journal(selection, since: since, clear: clear))
        case .wait(let conditions, let time, let since):
            return .answer(try await wait(for: conditions, within: time, since: since))
        }
    }

    private func move(_ name: String, _ metres: [Double]) async throws(EmulatorError) -> ControlAnswer {
        let position = try Self.position(metres, of: "move")
        try await emulator.move(name, to: position)
        return ControlAnswer(\.moved, MoveRecord(name: name, position: position))
    }

    private func receivers() async throws(EmulatorError) -> ControlAnswer {
        return ControlAnswer(\.receivers, try await emulator.receivers().map(ReceiverRecord.init))
    }

    private static func position(_ metres: [Double], of command: String) throws(EmulatorError) -> Position {
        guard 2...3 ~= metres.count, metres.allSatisfy({ $0.isFinite && abs($0) <= 10_000 }) else {
            throw EmulatorError(
                .badProfile, "\(command) needs a position",
                hint: "give two or three numbers of metres from -10000 to 10000")
        }
        return Position(x: metres[0], y: metres[1], z: metres.count == 3 ? metres[2] : 0)
    }

    private func walk(
        _ name: String, _ path: [[Double]], _ time: String
    ) async throws(EmulatorError) -> ControlAnswer {
        guard 2...1000 ~= path.count else {
            throw EmulatorError(
                .badProfile, "walk needs a path", hint: "give 2 to 1000 positions of two or three numbers of metres")
        }
        var places: [Position] = []
        for metres in path { places.append(try Self.position(metres, of: "each point of a walk")) }
        let duration = try Self.duration(time)
        try await emulator.walk(name, through: places, over: duration)
        return ControlAnswer(\.walk, WalkRecord(name: name, path: places, over: duration))
    }

    private func addReceiver(_ name: String, _ metres: [Double]?) async throws(EmulatorError) -> AirReceiver {
        do throws(ValueFault) {
            _ = try ValueText.name(name)
        } catch {
            throw EmulatorError(.badProfile, error.message)
        }
        var position: Position?
        if let metres { position = try Self.position(metres, of: "a receiver") }
        return try await emulator.addReceiver(name, at: position)
    }

    private static func servers(_ receivers: [AirReceiver]) -> ControlAnswer {
        ControlAnswer(\.servers, receivers.map(ServerRecord.init))
    }

    private func links() async throws(EmulatorError) -> ControlAnswer {
        return ControlAnswer(\.links, try await emulator.paths().map(LinkRecord.init))
    }

    private func overrideLink(
        _ device: String, _ receiver: String, _ values: [String: String]
    ) async throws(EmulatorError) -> ControlAnswer {
        let change: LinkOverride?
        do throws(ValueFault) {
            change = try LinkOverride(try Self.linkKeys(of: values))
        } catch {
            throw EmulatorError(.badProfile, error.message)
        }
        try await emulator.overrideLink(from: device, to: receiver, change)
        return ControlAnswer(\.link, LinkChangeRecord(from: device, to: receiver, change))
    }

    private static func linkKeys(of values: [String: String]) throws(ValueFault) -> [LinkOverride.Key: String] {
        var pairs: [LinkOverride.Key: String] = [:]
        for (name, text) in values {
            guard let key = LinkOverride.Key(rawValue: name) else {
                let names = LinkOverride.Key.allCases.map(\.rawValue)
                throw ValueFault(Spelling.unknown("a link has no \"\(name)\"", name, "keys", names))
            }
            pairs[key] = text
        }
        return pairs
    }

    private func disconnect(
        _ name: String, _ peer: String?, _ reason: String?
    ) async throws(EmulatorError) -> ControlAnswer {
        var chosen = DisconnectionReason.remoteUser
        if let reason { chosen = try Self.choice(reason, "reason") }
        let peers = try await emulator.disconnect(name, from: peer, chosen)
        return ControlAnswer(\.disconnected, DisconnectionRecord(name: name, peers: peers, reason: chosen.rawValue))
    }

    private func mute(_ device: String, _ time: String?) async throws(EmulatorError) -> BeaconStatus {
        var duration: Duration?
        if let time { duration = try Self.duration(time) }
        return try await emulator.mute(device, for: duration)
    }

    private func changeClock(_ values: [String: String]) async throws(EmulatorError) -> ControlAnswer {
        var answer = ControlAnswer()
        answer.clock = await emulator.clockRecord
        for (key, text) in values.sorted(by: { $0.key > $1.key }) {
            answer.clock = try await emulator.changeClock(try Self.clockChange(key, text))
        }
        return answer
    }

    private static func clockChange(_ key: String, _ text: String) throws(EmulatorError) -> ClockChange {
        switch key {
        case "advance":
            return .advance(try duration(text))
        case "rate":
            if let rate = Simulation.Rate(text) { return .rate(rate) }
            throw EmulatorError(
                .badProfile, "\"\(text)\" is not a rate", hint: "give \(Simulation.Rate.choices)")
        default:
            throw EmulatorError(.badProfile, "a clock has no \(key)", hint: "send advance or rate")
        }
    }

    private func journal(
        _ selection: EventSelection, since: String?, clear: Bool
    ) async throws(EmulatorError) -> ControlAnswer {
        let isIncluded = try JournalStart.isIncluded(since)
        try await emulator.check(selection)
        let hub = emulator.events
        let journal = clear ? hub.clearJournal() : hub.journal
        let records = await LongWork.perform {
            journal.compactMap { isIncluded($0) ? selection.record($0, hub.lines) : nil }
        }
        return ControlAnswer(\.journal, records)
    }

    private func wait(
        for conditions: [JournalExpectation.Fields], within text: String?, since: String?
    ) async throws(EmulatorError) -> ControlAnswer {
        guard !conditions.isEmpty else {
            throw EmulatorError(
                .badProfile, "wait needs conditions", hint: "give an array of objects with \"match\" as conditions")
        }
        var expectations: [JournalExpectation] = []
        for condition in conditions { expectations.append(try JournalExpectation(condition)) }
        let time = try text.map { text throws(EmulatorError) in try Self.duration(text) } ?? .zero
        guard time <= Self.longestWait else { throw EmulatorError(.badProfile, "within is at most 24h") }
        return ControlAnswer(\.verdicts, try await emulator.verify(expectations, since: since, within: time))
    }

    /// The longest time of `wait`.
    private static let longestWait = Duration.seconds(24 * 3600)

    private static func duration(_ text: String) throws(EmulatorError) -> Duration {
        do throws(ValueFault) {
            return try ValueText.duration(text)
        } catch {
            throw EmulatorError(.badProfile, error.message)
        }
    }

    private func setBattery(_ device: String, _ state: String) async throws(EmulatorError) -> BeaconStatus {
        let state: BatteryState = try Self.choice(state, "state of a battery")
        return try await emulator.setBattery(device, state)
    }

    private func setRadio(_ state: String) async throws(EmulatorError) -> ControlAnswer {
        let power: RadioPower = try Self.choice(state, "state of the radio")
        try await emulator.setRadio(power)
        return ControlAnswer(\.radio, power)
    }

    /// The value with this name.
    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ text: String, _ noun: String
    ) throws(EmulatorError) -> Value {
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw EmulatorError(.badProfile, "\"\(text)\" is not a \(noun)", hint: "choose one of \(names)")
        }
        return value
    }

    private func put(_ name: String, _ text: String) async throws(EmulatorError) -> ControlAnswer {
        let (status, isNew) = try await emulator.putBeacon(name, text)
        var answer = ControlAnswer.beacons([status])
        answer.isNew = isNew
        return answer
    }

    private func bonds(_ device: String?) async throws(EmulatorError) -> ControlAnswer {
        return ControlAnswer(\.bonds, try await emulator.bonds(of: device).map(BondRecord.init))
    }

    private func forget(_ device: String, _ peer: String?) async throws(EmulatorError) -> ControlAnswer {
        var address: BluetoothAddress?
        if let peer {
            address = BluetoothAddress(peer)
            guard address != nil else {
                throw EmulatorError(.badProfile, "\"\(peer)\" is not an address", hint: "see bonds for those known")
            }
        }
        return ControlAnswer(\.forgotten, try await emulator.forgetBonds(of: device, address: address))
    }

    private func pair(_ device: String, _ answer: String?) async throws(EmulatorError) -> ControlAnswer {
        if let answer {
            try await emulator.answerPairing(try Self.pairingAnswer(answer), of: device)
        } else {
            try await emulator.requestSecurity(of: device)
        }
        return ControlAnswer()
    }

    private static func pairingAnswer(_ text: String) throws(EmulatorError) -> PairingAnswer {
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
                .badProfile, "\"\(text)\" is not an answer", hint: "write accept, reject, cancel or six digits")
        }
    }
}
