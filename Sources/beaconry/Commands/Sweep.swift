// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Profiles

/// `beaconry sweep`
struct Sweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep", abstract: "Run a scenario in variants with many seeds, and compare the variants.",
        discussion: """
            Example: beaconry sweep rooms-sweep.yaml --output rooms.jsonl

            Each run is one line of the output: a second call continues, and beaconry merge has the report of several \
            outputs. The report is the same whatever the number of processes is. docs/sweeps.md has the keys of SPEC.
            """)

    @Argument(help: "Spec of the sweep, in YAML.", completion: .file())
    var spec: String?

    @Option(
        help: "File of the results, one JSON object a line, which is continued (default: none).", completion: .file())
    var output: String?

    @Option(
        help: """
            What estimates the places of receivers: a name, or exec:COMMAND (default: estimator of the spec, else of each \
            receiver).
            """,
        transform: EstimatorChoice.init)
    var estimator: EstimatorChoice?

    @Option(help: "Number of processes (default: the number of processors).", transform: OptionValue.jobs)
    var jobs: Int?

    @Option(
        help: "Part of the runs, such as 1/4 for the first of four (default: all runs).", transform: SweepShard.init)
    var shard: SweepShard?

    @Flag(help: "Print the report in Markdown.") var markdown = false

    @Flag(help: .hidden) var worker = false
    @Flag(help: .hidden) var plan = false

    @OptionGroup var options: OutputOptions

    func run() async throws {
        if worker { return try await SweepWorker.run(version: Version.text) }
        guard let spec else { throw Failure.usage("the spec of the sweep is missing; write beaconry sweep SPEC") }
        if markdown, options.format == .json {
            throw Failure.usage("--json and --markdown exclude each other; leave one out")
        }
        let tool = try SweepTool(spec, output: output, estimator: estimator, version: Version.text)
        if plan { return try tool.printPlan(shard ?? .whole) }
        let form: SweepForm = markdown ? .markdown : options.format == .json ? .json : .text
        try await tool.run(jobs: jobs, shard ?? .whole, as: form)
    }
}

/// `beaconry merge`
struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Print the report of a sweep whose results are in several files.",
        discussion: """
            Example: beaconry merge part-1.jsonl part-2.jsonl

            A run that is in several files is counted once. Files of different sweeps, or of different versions of the \
            program, are not merged. Missing runs are listed.
            """)

    @Argument(help: "Outputs of beaconry sweep.", completion: .file())
    var files: [String]

    @Option(help: "File of all results, in the order of the runs (default: none).", completion: .file())
    var output: String?

    @Flag(help: "Replace the file of --output.") var force = false

    @Flag(help: "Print the report in Markdown.") var markdown = false

    @OptionGroup var options: OutputOptions

    func run() throws {
        if markdown, options.format == .json {
            throw Failure.usage("--json and --markdown exclude each other; leave one out")
        }
        let form: SweepForm = markdown ? .markdown : options.format == .json ? .json : .text
        try MergeTool.run(files, output: output, replaces: force, as: form)
    }
}
