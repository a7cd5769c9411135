// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Profiles

/// The file of a scenario that clients are offered.
package struct ScenarioFile: Hashable, Sendable {
    /// The name of the file, without its folder.
    package let file: String
    /// Its text in YAML.
    package let text: String

    package init(file: String, text: String) {
        self.file = file
        self.text = text
    }

    /// The comment at its beginning; empty without one.
    fileprivate var summary: String {
        text.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("#") }
            .map { $0.drop { "# ".contains($0) } }.joined(separator: " ")
    }
}

/// A scenario that can be performed on a run, as JSON.
package struct FittingScenario: Codable, Hashable, Sendable {
    /// The name of its file.
    package let file: String
    /// Its name.
    package let scenario: String
    /// What happens in it; empty if it does not say so.
    package let summary: String
    /// The number of its changes.
    package let changes: Int
    /// In seconds.
    package let duration: Double

    init(_ file: ScenarioFile, _ timeline: Timeline) {
        self.file = file.file
        scenario = timeline.name
        summary = file.summary
        changes = timeline.steps.count
        duration = timeline.duration / .seconds(1)
    }
}
