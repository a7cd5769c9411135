// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import Emulator
import Radio
import Receiving

/// `beaconry seek`
struct Seek: AsyncParsableCommand {
    /// The beacon of the game whose app hides one.
    private static let hidden = "D9EED498-BFDB-43C0-8B55-D06BB74C430B"

    static let configuration = CommandConfiguration(
        abstract: "Play hot and cold: tell once a second how near the nearest beacon is.",
        discussion: """
            Example: beaconry seek, while elsewhere: beaconry run profiles/hot-and-cold.yaml

            Without --uuid, the beacon that Hot & Cold hides. The bar is full at 0.25 m and empty at 32 m.
            """)

    @OptionGroup var selection: BeaconSelection

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        let regions = try selection.regions(defaults: [Self.hidden])
        let settings = try distance.settings()
        let listening = try Listening(options, duration: try time.value(), limits: [.duplicates])
        let isJSON = options.isJSON
        try await listening.run { radio, _ in
            var seeking = Seeking(regions, settings: settings, at: .zero)
            var area = TerminalArea()
            for await reception in try await radio.receptions(every: .milliseconds(50)) {
                guard let report = seeking.take(reception) else { continue }
                let output = SeekingOutput(report)
                if isJSON {
                    Output.line(JSONLine.encode(output))
                } else if TerminalArea.isPossible {
                    area.show([output.line])
                } else {
                    Output.line(output.line)
                }
            }
        }.check()
    }
}
