// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// The changes of a scenario, for a run with beacons of its own.
package struct Timeline: Sendable {
    /// The keys that only `beaconry test` uses.
    private static let keysOfTests = [
        "profile", "beacons", "receivers", "regions", "physics", "walls", "floors", "rooms", "map", "power-on", "seed",
        "expect",
        "defaults",
    ]

    /// The scenario's name.
    package let name: String
    /// The time from the first to the last change, or the `duration` of the file.
    package let duration: Duration
    /// The changes in the order of time; of equal times, in the order of the file.
    package let steps: [ScenarioStep]
    /// The keys of the file that have no effect on a run.
    package let ignoredKeys: [String]

    /// Reads the timeline of a scenario.
    /// - Parameters:
    ///   - text: the YAML or JSON.
    ///   - file: the path of its file, or a name of the text, for messages.
    ///   - beacons: the names of the run's beacons.
    ///   - receivers: the names of its hosts and receivers.
    /// - Throws: `ProfileFaults` with all faults, each with line and column.
    package init(
        parsing text: String, file: String, beacons: [String], receivers: [String]
    ) throws(ProfileFaults) {
        let root = try ProfileExpansion.root(
            of: YAMLText(text, file: file), in: file, ProfileSources(), kind: .scenario, example: "scenarios/")
        var reader = ProfileReader(root, file: file, path: "")
        guard root.mapping != nil else { throw ProfileFaults(reader.faults) }
        let name = reader.required("scenario", ValueText.name)
        let limit = reader.value("duration") { text throws(ValueFault) in
            try ValueText.duration(text, in: .milliseconds(1)...ScenarioScope.longest, limits: "1ms to 1000h")
        }
        ignoredKeys = Self.keysOfTests.filter { reader.has($0) }
        for key in ignoredKeys { _ = reader.node(key) }
        let scope = ScenarioScope(
            beacons: beacons, receivers: receivers, regions: [], limit: limit, isComplete: true)
        if !reader.has("timeline") { reader.add("\"timeline\" is missing", field: nil, at: reader.place) }
        let steps = TimelineParser(scope: scope).steps(from: &reader)
        for step in steps {
            guard case .onConnection = step.action else { continue }
            reader.add(
                "\"\(step.text)\" is for the receivers of beaconry test; connect with a host instead",
                field: "timeline",
                at: TextPlace(line: step.line, column: 1))
        }
        let faults = reader.finish()
        guard faults.isEmpty, let name else { throw ProfileFaults(Profile.distinct(faults)) }
        self.name = name
        self.steps = steps
        duration = limit ?? steps.last?.time ?? .zero
    }
}
