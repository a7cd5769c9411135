// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import BluetoothCore
import Radio
import Receiving

/// `beaconry seek`
struct Seek: AsyncParsableCommand {
    /// The beacon that the app Hot & Cold hides.
    private static let hidden = UUID128("D9EED498-BFDB-43C0-8B55-D06BB74C430B").map { [$0] } ?? []

    static let configuration = CommandConfiguration(
        abstract: "Play hot and cold: report the distance of the nearest beacon once a second.",
        discussion: """
            Example: beaconry seek, while elsewhere: beaconry run profiles/hot-and-cold.yaml

            Without --uuid, the beacon that Hot & Cold hides. The bar is full at 0.25 m and empty at 32 m.
            """)

    @OptionGroup var selection: BeaconSelection

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        let regions = try selection.regions(defaults: Self.hidden)
        try await SeekTool.run(
            Seeking(regions, settings: try distance.settings(), at: .zero),
            on: try options.listening(limits: [.duplicates]), for: try time.value(), as: options.format)
    }
}
