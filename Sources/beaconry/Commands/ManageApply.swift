// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import Emulator
import Profiles

/// `beaconry manage apply`
struct ManageApply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Configure many beacons in a row, as a plan says.",
        discussion: """
            Example: beaconry manage apply plan.yaml

            A beacon that fails does not stop the others; a table says at the end what changed, what failed and why. What is \
            so already is not written, so a plan can be applied again safely. Exit code 1 when a beacon failed.
            """)

    @Argument(help: "The plan, in YAML.")
    var plan: String

    @OptionGroup var options: ManageOptions

    func run() async throws {
        let text = try ProfileFiles.text(plan, examples: "docs/receiving.md")
        let entries = try ConfigurationPlan(parsing: text, file: plan).entries
        let isJSON = options.listening.isJSON
        for entry in entries { ManageText.warn(of: entry.settings, entry.beacon, asJSON: isJSON) }
        let records = try await options.run { configurator in
            var records: [ManageRecord] = []
            for entry in entries {
                let target = BeaconConfigurator.Target(entry.beacon)
                let record: ManageRecord
                do throws(CentralError) {
                    record = ManageRecord(try await configurator.configure(target, SettingsChange(entry.settings)))
                } catch {
                    // What is wrong with the radio is wrong for all that follow.
                    if case .radio(let reason) = error.reason, reason.code != .refused { throw error }
                    if case .cancelled = error.reason { throw error }
                    record = ManageRecord(error, target)
                }
                if isJSON { Output.line(JSONLine.encode(record)) }
                records.append(record)
            }
            return records
        }
        let summary = ManageSummary(records)
        if isJSON {
            Output.line(JSONLine.encode(summary))
        } else {
            for line in ManageText.table(records) + [summary.line] { Output.line(line) }
        }
        if summary.failed > 0 { throw Failure.unmetExpectation }
    }
}
