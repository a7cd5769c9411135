// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import Emulator
import Profiles
import Radio
import Receiving

/// `beaconry expect`
struct Expect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait for a beacon to be heard, or not to be: exit code 0 if so, 1 if not.",
        discussion: """
            Example: beaconry expect --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --within 5s

            One sentence says what was heard, and of a miss how near it was.
            """)

    @OptionGroup var selection: BeaconSelection

    @Flag(help: "It is to be heard before the time is over (the default).")
    var present = false

    @Flag(help: "It is not to be heard until the time is over.")
    var absent = false

    @Option(help: "How near an advertisement must be to count: immediate, near or far.")
    var proximity: String?

    @Option(help: "How many advertisements must be heard; --absent is fewer.")
    var count = "1"

    @Flag(help: "Count beacons of different numbers, not advertisements.")
    var beacons = false

    @Option(help: "How much time there is, such as 5s.")
    var within: String

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var options: ListeningOptions

    private struct Record: Encodable {
        let v = 1
        let event = "verdict"
        let time = Timestamp.now
        let fulfilled: Bool
        let message: String
    }

    func run() async throws {
        let condition = try condition()
        let isJSON = options.isJSON
        let listening = try Listening(options, limits: condition.count > 1 ? [.duplicates] : [])
        let (verdicts, verdict) = AsyncStream.makeStream(of: BeaconExpectation.Verdict.self)
        let ending = try await listening.run { radio, _ in
            var expectation = BeaconExpectation(condition, at: .zero)
            for await reception in try await radio.receptions(every: .milliseconds(20)) {
                guard let reached = expectation.take(reception) else { continue }
                verdict.yield(reached)
                break
            }
        }
        verdict.finish()
        for await reached in verdicts {
            let record = Record(fulfilled: reached.isFulfilled, message: reached.sentence)
            Output.line(isJSON ? JSONLine.encode(record) : reached.sentence)
            if !reached.isFulfilled { throw Failure.unmetExpectation }
            return
        }
        try ending.check()
        throw Failure(exitCode: 1, message: "stopped before its time was over")
    }

    private func condition() throws -> BeaconExpectation.Condition {
        if present, absent { throw Failure.usage("--present and --absent exclude each other; leave one out") }
        let regions = try selection.regions(defaults: [])
        guard regions.count == 1 else { throw Failure.usage("--uuid: one is expected here, not \(regions.count)") }
        guard let count = Int(count), 1...1_000_000 ~= count else {
            throw Failure.badData("--count: \"\(count)\" is not a whole number from 1 to 1000000")
        }
        let settings = try distance.settings()
        return BeaconExpectation.Condition(
            region: regions[0], presence: absent ? .absent : .present, proximity: try wantedProximity(), count: count,
            unit: beacons ? .beacons : .advertisements,
            within: try named("--within") { () throws(ValueFault) in try ValueText.duration(within) },
            model: settings.model, thresholds: settings.thresholds)
    }

    private func wantedProximity() throws -> Proximity? {
        guard let proximity else { return nil }
        guard let known = Proximity(rawValue: proximity) else {
            let names = Proximity.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure.badData("--proximity: \"\(proximity)\" is not one of \(names)")
        }
        return known
    }
}
