// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import Glibc
import JSON
import Profiles
import SystemPackage

/// The process that does runs of a sweep for another process.
///
/// Its standard input is a line with a `SweepPlan.Copy`, then for each run a line with the number of the variant and
/// the seed, and an empty line at the end. Its standard output is a line for each run, in the same order, or a
/// `Trouble` instead of the rest. The end of the input means that the other process has ended: then this one ends at
/// once.
package enum SweepWorker {
    /// Why a run cannot be done.
    struct Trouble: Codable {
        let error: String
        let exitCode: Int32
    }

    /// The number of scenarios that are kept for the next runs.
    private static let keptScenarios = 2

    /// Does the runs of standard input.
    /// - Parameter version: the version of the program.
    package static func run(version: String) async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        DispatchQueue(label: "input").async {
            while let line = readLine(strippingNewline: true) {
                if line.isEmpty { continuation.finish() } else { continuation.yield(line) }
            }
            _exit(0)
        }
        do {
            try await work(lines, version)
        } catch {
            guard let failure = Failure(error) else { throw error }
            let message = failure.diagnostics.first ?? failure.message
            Output.line(JSONLine.encode(Trouble(error: message, exitCode: failure.exitCode)))
        }
    }

    private static func work(_ lines: AsyncStream<String>, _ version: String) async throws {
        var plan: SweepPlan?
        var scenarios: [(variant: Int, scenario: Scenario)] = []
        for await line in lines {
            guard let known = plan else {
                guard let copy = try? JSONDecoder().decode(SweepPlan.Copy.self, from: Data(line.utf8)) else {
                    throw Failure.usage("--worker is for beaconry sweep itself; write beaconry sweep SPEC")
                }
                plan = try SweepPlan(copy, version: version)
                continue
            }
            let parts = line.split(separator: " ")
            guard parts.count == 2, let variant = Int(parts[0]), known.spec.variants.indices.contains(variant),
                let seed = UInt64(parts[1])
            else { throw Failure.badData("\"\(line)\" is not the number of a variant and a seed") }
            if !scenarios.contains(where: { $0.variant == variant }) {
                if scenarios.count == keptScenarios { scenarios.removeFirst() }
                scenarios.append((variant, try known.scenario(ofVariant: variant)))
            }
            guard let scenario = scenarios.first(where: { $0.variant == variant })?.scenario else { continue }
            let result = try await ScenarioResult.run(
                scenario, seed: seed, estimator: known.estimator, surveysAll: known.estimator != nil)
            let text = SweepLine(
                sweep: known.header.sweep, variant: known.spec.variants[variant].name, seed: seed, RunFigures(result),
                passed: result.isPassed
            ).text
            Output.line(text)
        }
    }
}
