// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Receiving

/// The options of the estimation of distances.
struct DistanceOptions: ParsableArguments {
    @Option(
        help: """
            Model that estimates distances: altbeacon (the curve of the Android Beacon Library), android (its former \
            curve), log-distance, log-distance:2.5 for another exponent, or the constants A,B,C of a curve (default: \
            altbeacon).
            """,
        transform: { try DistanceModel($0) })
    var model: DistanceModel?

    @Option(help: "Distances below this, in metres, are immediate.", transform: ValueText.metres)
    var immediate = 0.5

    @Option(help: "Distances up to this, in metres, are near.", transform: ValueText.metres)
    var near = 4.0

    /// The settings of ranging.
    func settings() throws -> Ranging.Settings {
        guard let thresholds = ProximityThresholds(immediate: immediate, near: near) else {
            throw Failure.usage("--immediate and --near: write distances of 0 or more, --immediate not above --near")
        }
        return Ranging.Settings(model: model ?? .altBeacon, thresholds: thresholds)
    }
}
