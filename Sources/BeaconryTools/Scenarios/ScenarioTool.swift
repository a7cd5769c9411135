// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices
package import Profiles

/// `test`: runs scenarios one after the other.
package enum ScenarioTool {
    /// Reads scenarios.
    /// - Throws: `ProfileFaults` with the faults of all files.
    package static func load(_ paths: [String]) throws(ProfileFaults) -> [Scenario] {
        var scenarios: [Scenario] = []
        var faults: [ProfileFault] = []
        for path in paths {
            do throws(ProfileFaults) {
                let text = try ProfileFiles.text(path, examples: "scenarios/")
                scenarios.append(
                    try Scenario(parsing: text, file: path, sources: ProfileFiles.sources(beside: path)) {
                        profile throws(ProfileFaults) -> Profile in
                        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
                        let full = profile.hasPrefix("/") ? profile : folder + profile
                        return try Profile(
                            parsing: try ProfileFiles.text(full), file: full,
                            sources: ProfileFiles.sources(beside: full))
                    })
            } catch {
                faults += error.faults
            }
        }
        guard faults.isEmpty else { throw ProfileFaults(faults) }
        return scenarios
    }

    /// Runs scenarios, and reports each when it has ended.
    /// - Parameters:
    ///   - seed: the seed of the air; `nil` for those of the scenarios.
    ///   - junit: the JUnit file to write; `nil` for none.
    /// - Throws: `Failure.unmetExpectation` if one of them failed.
    package static func run(
        _ scenarios: [Scenario], with runner: ScenarioRunner, seed: UInt64?, junit: String?, as format: OutputFormat
    ) async throws {
        var results: [ScenarioResult] = []
        for scenario in scenarios {
            let result = try await runner.run(scenario, seed: seed)
            Output.report(ScenarioReport(result, seed: seed ?? scenario.seed), as: format)
            results.append(result)
        }
        if let junit { try JUnitSuite.write(results.map(JUnitSuite.init), to: junit) }
        guard results.allSatisfy(\.isPassed) else { throw Failure.unmetExpectation }
    }
}
