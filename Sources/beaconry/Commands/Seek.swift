// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Radio
import Receiving

/// `beaconry seek`
struct Seek: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek", abstract: "Play hot and cold: report the distance of the nearest beacon once a second.",
        discussion: """
            Example: beaconry seek, while elsewhere: beaconry run profiles/hot-and-cold.yaml

            Without --uuid, the nearest of all iBeacons that are received. The bar is full at 0.25 m and empty at 32 m.
            """)

    @OptionGroup var selection: BeaconSelection

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        try await SeekTool.run(
            Seeking(try selection.filter(), settings: try distance.settings(), at: .zero),
            on: try options.listening(limits: [.duplicates]), for: try time.value(), as: options.format)
    }
}
