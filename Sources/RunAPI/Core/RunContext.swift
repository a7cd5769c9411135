// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Emulator

/// The run that operations are performed on, with what is observed of it.
package struct RunContext: Sendable {
    package let emulator: Emulator
    /// The version of the program.
    let version: String
    let watch = RunWatch()
    let samples: LinkSampler
    let report: MetricsReport
    package let end = RunEnd()
    /// The scenarios that clients are offered.
    let scenarios: @Sendable () -> [ScenarioFile]

    /// The context of a run, whose events are kept in its journal from now on.
    /// - Parameters:
    ///   - version: Of the program.
    ///   - detail: Which metrics have a sample for each beacon; `nil` for all up to 1,000 beacons, and none above.
    ///   - scenarios: The scenarios that clients are offered, read anew each time.
    package init(
        _ emulator: Emulator, version: String, detail: MetricsDetail? = nil,
        scenarios: @escaping @Sendable () -> [ScenarioFile] = { [] }
    ) {
        self.scenarios = scenarios
        emulator.events.keepJournal()
        self.emulator = emulator
        self.version = version
        samples = LinkSampler(emulator)
        report = MetricsReport(version: version, detail: detail)
    }

    /// Follows the events of the run until their end; without that, metrics, receivers and histories of links are empty.
    package func follow() async {
        let (counted, sampled) = (emulator.events.listen(), emulator.events.listen())
        async let counting: Void = watch.follow(counted)
        await samples.follow(sampled)
        await counting
    }
}
