// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Emulator
import Profiles

/// `beaconry test`
struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Run scenarios: beacons and receivers in virtual time, with expectations.",
        discussion: """
            Example: beaconry test scenarios/museum-walk.yaml --junit results.xml

            Exit code 1 if a change was refused or an expectation was not met; every failure is printed with its moment. The \
            same scenario with the same seed does the same, whatever the machine. With --seeds, each scenario is run with \
            each seed, and an expectation passes if its pass rate is at least its key require (default: 100%).
            """)

    @Argument(help: "Scenarios, in YAML.", completion: .file())
    var scenarios: [String]

    @Option(help: "JUnit file of the results (default: none).", completion: .file()) var junit: String?

    @Option(
        help: """
            Btsnoop file of the HCI traffic of one scenario, for btmon and Wireshark (default: none).
            """,
        completion: .file())
    var capture: String?

    @Option(
        parsing: .unconditional, help: "Seed of the virtual air (default: the seed of each scenario, else 1).",
        transform: OptionValue.seed)
    var seed: UInt64?

    @Option(
        help: """
            Seeds with each of which the scenarios are run, such as 1..50 or 1,5,9: pass rates are printed (default: one \
            run of each scenario).
            """,
        transform: SeedList.init)
    var seeds: SeedList?

    @Option(
        help: """
            What estimates the places of receivers, for room-error and median-error: a name, or exec:COMMAND (default: \
            estimator of each receiver, else strongest).
            """,
        transform: EstimatorChoice.init)
    var estimator: EstimatorChoice?

    @Flag(help: "Run the scenarios again whenever one of their files changes, until Ctrl-C.")
    var watch = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        if seeds != nil, seed != nil {
            throw Failure.usage("--seed and --seeds exclude each other; leave one out")
        }
        if seeds != nil, capture != nil {
            throw Failure.usage("--capture is the file of one run; write --seed N instead of --seeds")
        }
        if watch {
            if capture != nil { throw Failure.usage("--capture and --watch exclude each other; leave one out") }
            let files = WatchedFiles()
            return await ScenarioTool.watch(files, as: output.format) { try await runOnce(noting: files) }
        }
        try await runOnce(noting: nil)
    }

    private func runOnce(noting files: WatchedFiles?) async throws {
        let tool = try ScenarioTool(scenarios, junit: junit, estimator: estimator, as: output.format, noting: files)
        if let seeds { return try await tool.run(seeds: seeds) }
        guard capture == nil || tool.count == 1 else {
            throw Failure.usage("--capture is the file of one scenario; run the others without it")
        }
        let file = try capture.map { path throws(EmulatorError) in try CaptureFile(path) }
        do {
            try await tool.run(seed: seed, capture: file)
        } catch {
            try await file?.finish()
            throw error
        }
        try await file?.finish()
    }
}
