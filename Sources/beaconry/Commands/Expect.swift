// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Radio
import Receiving

/// `beaconry expect`
struct Expect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait until beacons are received, or are not: exit code 0 or 1.",
        discussion: """
            Example: beaconry expect --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --within 5s

            Without --uuid, any iBeacon counts; with several, a beacon of any of them. One sentence reports what was \
            received or, if the expectation was not met, the nearest miss. With --json the object has count, elapsed, \
            rssi, distance and nearest, too.
            """)

    @OptionGroup var selection: BeaconSelection

    @Flag(help: "Expect beacons before the time limit (the default).")
    var present = false

    @Flag(help: "Expect no beacon until the time limit.")
    var absent = false

    @Option(help: "Count only advertisements of this proximity (default: any).")
    var proximity: Proximity?

    @Option(
        help: "Number of advertisements to expect; with --absent, fewer are expected.",
        transform: OptionValue.wholeNumber(in: 1...1_000_000))
    var count = 1

    @Flag(help: "Count different beacons, not advertisements.")
    var beacons = false

    @Option(help: "Time limit, such as 5s.", transform: ValueText.duration)
    var within: Duration

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        if present, absent { throw Failure.usage("--present and --absent exclude each other; leave one out") }
        try selection.check()
        let settings = try distance.settings()
        let condition = BeaconExpectation.Condition(
            uuids: selection.uuid, major: selection.major, minor: selection.minor,
            presence: absent ? .absent : .present, proximity: proximity, count: count,
            unit: beacons ? .beacons : .advertisements, within: within, model: settings.model,
            thresholds: settings.thresholds)
        try await ExpectTool.run(
            condition, on: try options.listening(limits: count > 1 ? [.duplicates] : []), as: options.format)
    }
}
