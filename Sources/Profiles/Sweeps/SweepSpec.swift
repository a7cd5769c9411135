// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// Runs of a scenario in variants, with many seeds.
package struct SweepSpec: Sendable {
    /// A variant of the scenario.
    package struct Variant: Sendable {
        /// The values of its factors: `interval=100ms layout=[1, 1]`; `as-it-is` for a scenario without variants.
        package let name: String
        /// The values that replace values of the scenario.
        package let overrides: [NodeOverride]
    }

    /// The limits of the number of variants, and of all runs.
    package static let maximumVariants = 10_000, maximumRuns = 10_000_000
    /// The name of the only variant of a spec without `variants`.
    package static let plain = "as-it-is"

    /// The name.
    package let name: String
    /// The path of the scenario, relative to the folder of the spec.
    package let scenario: String
    /// Where that path is in the spec.
    package let scenarioPlace: TextPlace
    /// The seeds of the runs of each variant.
    package let seeds: SeedList
    /// The estimator of the runs; `nil` for that of each receiver.
    package let estimator: EstimatorChoice?
    /// The variants, in the order of their factors' values; the last factor changes first.
    package let variants: [Variant]
    /// For each variant, the number of the variant that it is compared with; `nil` for one that others are compared
    /// with.
    package let baselines: [Int?]
}

/// A factor of a sweep: values that are used one after the other.
struct SweepFactor {
    /// A value of all paths of the factor.
    struct Level {
        /// `100ms`, `[1, 1]`; of several paths, with slashes between their values.
        let name: String
        let overrides: [NodeOverride]
    }

    let name: String
    let levels: [Level]
    let place: TextPlace

    /// The text of a value in the name of a variant, on one line: `[1, 1]`, `{ loss: 3dB }`.
    static func text(of node: ProfileNode) -> String {
        switch node.content {
        case .scalar(let text): text
        case .sequence(let nodes): "[\(nodes.map(text).joined(separator: ", "))]"
        case .mapping(let mapping):
            "{ \(mapping.pairs.map { "\(text(of: $0.key)): \(text(of: $0.value))" }.joined(separator: ", ")) }"
        }
    }
}
