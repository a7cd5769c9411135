// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Emulator
import Profiles

/// A run of a sweep.
enum SweepRun {
    /// Runs a scenario.
    /// - Parameters:
    ///   - seed: the seed of the air.
    ///   - estimator: the estimator of the spec; `nil` for none.
    /// - Throws: `EmulatorError` or `RadioError` if the beacons cannot run, `Failure` for an estimator that there is not.
    static func perform(_ scenario: Scenario, seed: UInt64, estimator: String?) async throws -> ScenarioResult {
        if let estimator {
            throw Failure.badData(
                "this version has no estimators, such as \(estimator); leave estimator out of the spec")
        }
        return try await Simulation.run { clock in
            try await ScenarioRunner(clock: clock).run(scenario, seed: seed)
        }
    }
}
