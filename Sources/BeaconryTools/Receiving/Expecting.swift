// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BeaconryCentral
import Bluetooth
import Concurrency
import Emulator
import JSON
import Radio
import Receiving

/// `expect`: waits until each expectation is met, or until it cannot be met any more.
package struct ExpectTool: Sendable {
    private let expectations: [Expectation]
    private let since: String?
    private let format: OutputFormat

    /// - Parameter since: The number of an event, or a duration, from which on events count; `nil` for all of the journal.
    package init(_ expectations: [Expectation], since: String? = nil, as format: OutputFormat) {
        self.expectations = expectations
        self.since = since
        self.format = format
    }

    /// Whether it needs a radio.
    package var needsRadio: Bool { expectations.contains(where: \.isOfRadio) }

    /// Waits, and reports a verdict for each expectation, in their order.
    /// - Parameters:
    ///   - listening: the radio; `nil` if none is needed.
    ///   - control: the run whose events are expected, unless `listening` has the beacons.
    ///   - file: the file of the expectations; `nil` if options have the expectations.
    ///   - junit: the JUnit file to write; `nil` for none.
    /// - Throws: `Failure.unmetExpectation` when one was not met.
    package func run(on listening: Listening?, control: ControlTool, file: String?, junit: String?) async throws {
        let verdicts: [ExpectationVerdict?]
        var ending = Listening.Ending.done
        if let listening {
            // From the start, so that the events before the radio is ready count as well.
            if !expectations.allSatisfy(\.isOfRadio) { listening.emulator?.events.keepJournal() }
            let result = try await listening.result { radio, capabilities in
                let verdicts = try await self.verdicts(on: radio) { expectation, text, within in
                    let others = try self.excluding(capabilities.address, expectation)
                    guard let emulator = listening.emulator else {
                        return try await control.verdict(on: others, text, since: since, within: within)
                    }
                    return try await emulator.verdict(on: others, text, since: since, within: within)
                }
                if !verdicts.allSatisfy({ $0?.isFulfilled == true }) {
                    await self.reportMissing {
                        guard let emulator = listening.emulator else { return try await control.airSummary() }
                        return await emulator.airSummary()
                    }
                }
                return verdicts
            }
            ending = result.ending
            verdicts = result.value ?? []
        } else {
            verdicts = try await self.verdicts(on: nil) {
                try await control.verdict(on: $0, $1, since: since, within: $2)
            }
            if !verdicts.allSatisfy({ $0?.isFulfilled == true }) { await reportMissing(control.airSummary) }
        }
        let complete = zip(expectations, verdicts).compactMap { expectation, verdict in
            verdict.map { (expectation, $0) }
        }
        guard complete.count == expectations.count else {
            try ending.check()
            throw Failure(exitCode: 1, message: "stopped before the time limit")
        }
        for (expectation, verdict) in complete {
            Output.report(VerdictRecord(verdict, file: file, line: expectation.line), as: format)
        }
        if let junit {
            try JUnitSuite.write([JUnitSuite(complete, file: file)], to: junit)
        }
        if !complete.allSatisfy({ $0.1.isFulfilled }) { throw Failure.unmetExpectation }
    }

    /// Reports, after an expectation that was not met, which beacons of the run should be on the air and are not. Without a run
    /// on this machine there is nothing to report: the beacons may be of other programs.
    private func reportMissing(_ summary: () async throws -> AirSummary) async {
        guard let summary = try? await summary(), summary.missingCount > 0 else { return }
        Output.report(
            Notice(
                code: "beacons-missing", message: "of the run on this machine, \(summary.sentence)",
                hint: "beaconry ctl list has the state of each beacon"),
            as: format)
    }

    /// The same expectation without the events of connections from this address, if there are expectations that connect.
    private func excluding(_ address: BluetoothAddress?, _ expectation: JournalExpectation) throws -> JournalExpectation
    {
        guard let address, expectations.contains(where: \.connects) else { return expectation }
        // A second connection of a central has a number after the address.
        return try expectation.except(.object(["central": .text("\(address)*")]))
    }

    private typealias EventWait = @Sendable (JournalExpectation, String, Duration) async throws -> ExpectationVerdict

    /// The verdicts in the order of the expectations; `nil` where the radio ended before.
    private func verdicts(
        on radio: (any CentralRadio)?, _ event: @escaping EventWait
    ) async throws -> [ExpectationVerdict?] {
        try await withThrowingTaskGroup(of: [(Int, ExpectationVerdict)].self) { group in
            for (index, expectation) in expectations.enumerated() {
                guard case .event(let condition, let text) = expectation.subject else { continue }
                group.addTask { [(index, try await event(condition, text, expectation.within))] }
            }
            if let radio, needsRadio { group.addTask { try await receive(on: radio) } }
            var verdicts = [ExpectationVerdict?](repeating: nil, count: expectations.count)
            for try await part in group {
                for (index, verdict) in part { verdicts[index] = verdict }
            }
            return verdicts
        }
    }

    /// The verdicts on advertisements and on values of characteristics.
    private func receive(on radio: any CentralRadio) async throws -> [(Int, ExpectationVerdict)] {
        var pending: [Int: AdvertisementExpectation] = [:]
        for (index, expectation) in expectations.enumerated() {
            if let condition = expectation.condition {
                pending[index] = AdvertisementExpectation(condition, at: .zero)
            }
        }
        let receptions = try await radio.receptions(every: .milliseconds(20))
        return await withTaskGroup(of: (Int, ExpectationVerdict).self) { group in
            var verdicts: [(Int, ExpectationVerdict)] = []
            for await reception in receptions {
                for index in pending.keys.sorted() {
                    guard let verdict = pending[index]?.take(reception) else { continue }
                    pending[index] = nil
                    if case .value(_, let characteristic, let value) = expectations[index].subject,
                        verdict.isFulfilled, let device = verdict.nearest?.device
                    {
                        let wait = ValueWait(
                            device: device, characteristic: characteristic, value: value,
                            elapsed: verdict.elapsed, limit: expectations[index].within)
                        group.addTask { (index, await wait.verdict(on: radio)) }
                    } else {
                        verdicts.append((index, ExpectationVerdict(verdict)))
                    }
                }
                if pending.isEmpty { break }
            }
            for await verdict in group { verdicts.append(verdict) }
            return verdicts
        }
    }
}

/// The result of an expectation.
struct ExpectationVerdict: Sendable {
    let isFulfilled: Bool
    /// What happened, in one sentence without its full stop.
    let sentence: String
    /// The number of advertisements, senders or events that counted.
    let count: Int
    /// The time until the verdict.
    let elapsed: Duration
    /// The nearest sender that counted or, where none did, the nearest miss; `nil` for other expectations.
    var nearest: AdvertisementExpectation.Estimate?
    /// Events that counted or, where the expectation was not met, the nearest ones.
    var events: [JSONValue]?

    init(_ isFulfilled: Bool, _ sentence: String, count: Int, elapsed: Duration, events: [JSONValue]? = nil) {
        self.isFulfilled = isFulfilled
        self.sentence = sentence
        self.count = count
        self.elapsed = elapsed
        self.events = events
    }

    init(_ verdict: AdvertisementExpectation.Verdict) {
        self.init(verdict.isFulfilled, verdict.sentence, count: verdict.count, elapsed: verdict.elapsed)
        nearest = verdict.nearest
    }

    init(_ verdict: JournalExpectation.Verdict, _ condition: String, within limit: Duration, elapsed: Duration) {
        let found = "\(Formatting.count(verdict.count, "event")) \(condition)"
        let near = verdict.near.first.map { "; the nearest is \(JournalText.condition($0))" } ?? ""
        self.init(
            verdict.ok,
            verdict.ok
                ? "the run had \(found) within \(Formatting.seconds(elapsed))"
                : "expected \(condition) within \(Formatting.seconds(limit)), but the run had \(found)\(near)",
            count: verdict.count, elapsed: elapsed, events: verdict.ok ? verdict.events : verdict.near)
    }
}

extension Emulator {
    /// Waits for events of the run in this process.
    fileprivate nonisolated func verdict(
        on expectation: JournalExpectation, _ condition: String, since: String?, within limit: Duration
    ) async throws -> ExpectationVerdict {
        let clock = Timekeeper(Simulation.clock)
        let start = clock.now()
        let verdict = try await verify([expectation], since: since, within: limit)[0]
        return ExpectationVerdict(verdict, condition, within: limit, elapsed: clock.now() - start)
    }
}

extension ControlTool {
    /// Waits for events of a run of another process.
    fileprivate func verdict(
        on expectation: JournalExpectation, _ condition: String, since: String?, within limit: Duration
    ) async throws -> ExpectationVerdict {
        let start = ContinuousClock.now
        let verdict = try await verdicts(on: [expectation], within: limit, since: since)[0]
        return ExpectationVerdict(verdict, condition, within: limit, elapsed: ContinuousClock.now - start)
    }
}

/// The verdict of `expect`.
struct VerdictRecord: Encodable, Report {
    private let event = "verdict"
    private let time = Timestamp.now
    private let fulfilled: Bool
    private let message: String
    /// The line of the expectation; absent without a file.
    private let line: Int?
    /// The number of advertisements or events that matched; with --beacons, of different senders.
    private let count: Int
    /// In seconds.
    private let elapsed: Double
    /// The mean RSSI of the nearest sender, in dBm; absent when the radio does not know.
    private let rssi: Int?
    /// The distance of the nearest sender, in metres; absent when it cannot be estimated.
    private let distance: Double?
    /// The nearest sender; absent when there is none.
    private let nearest: Sender?
    /// The events that counted or, where the expectation was not met, the nearest ones; absent for other expectations.
    private let events: [JSONValue]?

    /// A sender, with the fields of its frame.
    private struct Sender: Encodable {
        let estimate: AdvertisementExpectation.Estimate

        private enum Key: CodingKey {
            case address, name
        }

        func encode(to encoder: any Encoder) throws {
            if let frame = estimate.frame { try DecodedFrame(frame).encode(to: encoder) }
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(estimate.device.address.description, forKey: .address)
            try container.encodeIfPresent(estimate.name, forKey: .name)
        }
    }

    let lines: [String]

    init(_ verdict: ExpectationVerdict, file: String?, line: Int?) {
        fulfilled = verdict.isFulfilled
        message = verdict.sentence
        self.line = line
        count = verdict.count
        elapsed = (verdict.elapsed / .milliseconds(1)).rounded() / 1000
        rssi = verdict.nearest?.meanRSSI.map { Int($0.rounded()) }
        distance = verdict.nearest?.distance
        nearest = verdict.nearest.map(Sender.init)
        events = verdict.events
        let place = file.map { "\(verdict.isFulfilled ? "passed" : "FAILED") \($0):\(line ?? 0): " } ?? ""
        lines = [place + SafeText.line(message)]
    }

    private enum CodingKeys: CodingKey {
        case event, time, fulfilled, message, line, count, elapsed, rssi, distance, nearest, events
    }
}

extension JUnitSuite {
    /// Expectations with their verdicts.
    fileprivate init(_ verdicts: [(Expectation, ExpectationVerdict)], file: String?) {
        self.init(
            name: file ?? "expect", file: file, time: verdicts.map(\.1.elapsed).max() ?? .zero,
            cases: verdicts.map { expectation, verdict in
                Case(
                    name: expectation.text, line: expectation.line, time: verdict.elapsed,
                    failure: verdict.isFulfilled ? nil : verdict.sentence)
            })
    }
}
