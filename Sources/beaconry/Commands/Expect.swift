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
struct Expect: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Wait until beacons are received, or are not: exit code 0 or 1.",
        discussion: """
            Example: beaconry expect --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --within 5s

            Without --uuid, any iBeacon counts; with several, a beacon of any of them. One sentence reports what was \
            received or, where the expectation was not met, the nearest miss. With --json the object has count, elapsed, \
            rssi, distance and nearest, too.
            """)

    @OptionGroup var selection: BeaconSelection

    @Flag(help: "Expect beacons before the time limit (the default).")
    var present = false

    @Flag(help: "Expect no beacon until the time limit.")
    var absent = false

    @Option(help: "Count only advertisements of this proximity: immediate, near or far (default: any).")
    var proximity: String?

    @Option(help: "Number of advertisements to expect; with --absent, fewer are expected.")
    var count = "1"

    @Flag(help: "Count beacons of different numbers, not advertisements.")
    var beacons = false

    @Option(help: "Time limit, such as 5s.")
    var within: String

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var options: ListeningOptions

    private struct Record: Encodable {
        let v = 1
        let event = "verdict"
        let time = Timestamp.now
        let fulfilled: Bool
        let message: String
        /// Advertisements that counted; with --beacons, beacons.
        let count: Int
        /// In seconds.
        let elapsed: Double
        /// The nearest beacon's mean, in dBm; absent when the radio does not know.
        let rssi: Int?
        /// The nearest beacon's, in metres; absent when it cannot be estimated.
        let distance: Double?
        /// Absent when no iBeacon was received.
        let nearest: Numbers?

        struct Numbers: Encodable {
            let uuid: String
            let major: UInt16
            let minor: UInt16
        }

        init(_ verdict: BeaconExpectation.Verdict) {
            fulfilled = verdict.isFulfilled
            message = verdict.sentence
            count = verdict.count
            elapsed = (verdict.elapsed / .milliseconds(1)).rounded() / 1000
            rssi = verdict.nearest?.meanRSSI.map { Int($0.rounded()) }
            distance = verdict.nearest?.distance
            nearest = verdict.nearest.map {
                Numbers(uuid: $0.beacon.uuid.description, major: $0.beacon.major, minor: $0.beacon.minor)
            }
        }
    }

    var writesJSON: Bool { options.isJSON }

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
            Output.line(isJSON ? JSONLine.encode(Record(reached)) : reached.sentence)
            if !reached.isFulfilled { throw Failure.unmetExpectation }
            return
        }
        try ending.check()
        throw Failure(exitCode: 1, message: "stopped before its time was over")
    }

    private func condition() throws -> BeaconExpectation.Condition {
        if present, absent { throw Failure.usage("--present and --absent exclude each other; leave one out") }
        let numbers = try selection.numbers()
        guard let count = Int(count), 1...1_000_000 ~= count else {
            throw Failure.usage("--count: \"\(count)\" is not a whole number from 1 to 1000000")
        }
        let settings = try distance.settings()
        return BeaconExpectation.Condition(
            uuids: try selection.uuids(), major: numbers.major, minor: numbers.minor,
            presence: absent ? .absent : .present, proximity: try wantedProximity(), count: count,
            unit: beacons ? .beacons : .advertisements,
            within: try named("--within") { () throws(ValueFault) in try ValueText.duration(within) },
            model: settings.model, thresholds: settings.thresholds)
    }

    private func wantedProximity() throws -> Proximity? {
        guard let proximity else { return nil }
        guard let known = Proximity(rawValue: proximity) else {
            let names = Proximity.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure.usage("--proximity: \"\(proximity)\" is not one of \(names)")
        }
        return known
    }
}
