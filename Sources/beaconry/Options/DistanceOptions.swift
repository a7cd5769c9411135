// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Profiles
import Receiving

/// The options that say how distances are estimated.
struct DistanceOptions: ParsableArguments {
    @Option(
        help: """
            Model that estimates distances: android, nexus5, log-distance, log-distance:2.5 for another exponent, or \
            the constants A,B,C of a curve.
            """)
    var model = "android"

    @Option(help: "Distances below this, in metres, are immediate.")
    var immediate = "0.5"

    @Option(help: "Distances up to this, in metres, are near.")
    var near = "4"

    /// Ranging by these.
    /// - Throws: `Failure` naming the option that cannot be so.
    func settings() throws -> Ranging.Settings {
        let model: DistanceModel
        do throws(DistanceModel.UnknownName) {
            model = try DistanceModel(self.model)
        } catch {
            throw Failure.usage("--model: \(error)")
        }
        let immediate = try named("--immediate") { () throws(ValueFault) in try ValueText.metres(self.immediate) }
        let near = try named("--near") { () throws(ValueFault) in try ValueText.metres(self.near) }
        guard let thresholds = ProximityThresholds(immediate: immediate, near: near) else {
            throw Failure.usage("--immediate and --near: write distances of 0 or more, the first one not the larger")
        }
        return Ranging.Settings(model: model, thresholds: thresholds)
    }
}
