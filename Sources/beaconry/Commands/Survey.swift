// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices
import Profiles
import Receiving

/// `beaconry survey`
struct Survey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "survey", abstract: "Measure how well receivers are located: rooms and errors, beside the truth.",
        discussion: """
            Example: beaconry survey profiles/house.yaml --estimator least-squares --plot house.svg

            Of a scenario, its receivers are located as they move; of a profile, those with a path, and else a person with \
            a receiver in the hand, at each place of a grid in each room, with four headings. Everything happens in \
            virtual time: the same file with the same seed gives the same figures.

            Estimators: \(PlaceEstimator.Kind.allCases.map { "\($0.rawValue) (\($0.meaning))" }.joined(separator: ", ")), \
            or exec: and a command of your own (docs/surveys.md).
            """)

    @Argument(help: "A scenario or a profile, in YAML.", completion: .file())
    var file: String

    @Option(
        help: """
            What estimates places: \(PlaceEstimator.Kind.allCases.map(\.rawValue).joined(separator: ", ")), or exec:COMMAND \
            (default: strongest).
            """,
        completion: .list(PlaceEstimator.Kind.allCases.map(\.rawValue)), transform: EstimatorChoice.init)
    var estimator: EstimatorChoice?

    @Option(
        help: "Seeds with each of which it is run, such as 1..20 (default: the seed of the scenario, else 1).",
        transform: SeedList.init)
    var seeds: SeedList?

    @Option(
        help: "The phone that receives (default: that of each receiver, and exact on a grid).",
        completion: .list(PhoneModel.names), transform: ValueText.phone)
    var phone: PhoneModel?

    @Option(
        help: "Time from one estimate to the next (default: 1s).",
        transform: { text in
            try ValueText.duration(text, in: .milliseconds(100)...Duration.seconds(3600), limits: "100ms to 1h")
        })
    var every: Duration?

    @Option(
        help: "Distance between the places of a grid (default: 0.5m).",
        transform: { text in
            try ValueText.quantity(text, .number(0.1...100, unit: "m"), "a distance")
        })
    var grid: Double?

    @Option(
        help: "Time at each place of a grid; estimates count after the first 6 s (default: 10s).",
        transform: { text in try ValueText.duration(text, in: .seconds(7)...Duration.seconds(3600), limits: "7s to 1h")
        })
    var dwell: Duration?

    @Option(
        help: "Time of a profile's walk (default: one round of the longest path).",
        transform: { text in
            try ValueText.duration(text, in: .seconds(1)...Duration.seconds(3_600_000), limits: "1s to 1000h")
        })
    var duration: Duration?

    @Flag(help: "Without the estimates that leave each beacon out.")
    var noOutages = false

    @Option(
        help: """
            Output of an earlier survey with --json and the same seeds; exit code 1 if a figure is worse, by the 95 % \
            interval of the difference (default: none).
            """,
        completion: .file())
    var baseline: String?

    @Option(help: "File for a drawing of the errors, as SVG (default: none).", completion: .file())
    var plot: String?

    @Flag(help: "Replace an existing drawing.")
    var force = false

    @Flag(help: "Print the tables in Markdown.")
    var markdown = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        if markdown, output.json { throw Failure.usage("--markdown and --json exclude each other; leave one out") }
        if let plot { try Failure.unlessFree(plot, force: force) }
        var settings = SurveyTool.Settings(
            estimator ?? .ours(.strongest), version: Version.number, period: every ?? .seconds(1), phone: phone,
            grid: grid, dwell: dwell, duration: duration)
        settings.seeds = seeds
        settings.leavesOut = !noOutages
        settings.baseline = baseline
        settings.plot = plot
        try await SurveyTool(file, settings).run(as: markdown ? .markdown : .report(output.format))
    }
}
