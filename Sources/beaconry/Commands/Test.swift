// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Concurrency
import Devices
import Emulator

/// `beaconry test`
struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run scenarios: beacons and receivers in virtual time, with expectations.",
        discussion: """
            Example: beaconry test scenarios/museum-walk.yaml --junit results.xml

            Exit code 1 if a change was refused or an expectation was not met, with the first failure and its moment. The \
            same scenario with the same seed does the same, whatever the machine.
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
        parsing: .unconditional, help: "Seed of the virtual air (default: that of each scenario, else 1).",
        transform: OptionValue.seed)
    var seed: UInt64?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let loaded = try ScenarioTool.load(scenarios)
        guard capture == nil || loaded.count == 1 else {
            throw Failure.usage("--capture is the file of one scenario; run the others without it")
        }
        let file = try capture.map { path throws(EmulatorError) in try CaptureFile(path) }
        let runner = ScenarioRunner(clock: Simulation.install(rate: .maximum), capture: file)
        let (seed, junit, format) = (seed, junit, output.format)
        do {
            // Not on the main actor, which is outside of the simulation.
            try await Task.detached {
                try await ScenarioTool.run(loaded, with: runner, seed: seed, junit: junit, as: format)
            }.value
        } catch {
            try await file?.finish()
            throw error
        }
        try await file?.finish()
    }
}
