// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import Emulator
import Radio
import Receiving

/// `beaconry seek`
struct Seek: AsyncParsableCommand, ReportsErrorsAsJSON {
    /// The beacon of the game whose app hides one.
    private static let hidden = "D9EED498-BFDB-43C0-8B55-D06BB74C430B"

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

    var writesJSON: Bool { options.isJSON }

    func run() async throws {
        let regions = try selection.regions(defaults: [Self.hidden])
        let settings = try distance.settings()
        let duration = try time.value()
        let listening = try Listening(options, limits: [.duplicates])
        let isJSON = options.isJSON
        try await listening.run { radio, _ in
            var seeking = Seeking(regions, settings: settings, at: .zero)
            let screen = !isJSON && Terminal.isPossible ? LiveScreen() : nil
            defer { screen?.finish() }
            for await reception in try await radio.receptions(every: .milliseconds(50)) {
                let reports: [SeekingReport?]
                let end = duration.flatMap { $0 <= reception.time ? $0 : nil }
                if let end {
                    // What was received after the end does not count.
                    reports = [seeking.advance(to: end), seeking.finish(at: end)]
                } else {
                    reports = [seeking.take(reception)]
                }
                for report in reports.compactMap(\.self) {
                    let output = SeekingOutput(report)
                    if isJSON {
                        Output.line(JSONLine.encode(output))
                    } else if let screen {
                        screen.show(ListView.Content(title: output.line, lines: []))
                    } else {
                        Output.line(output.line)
                    }
                }
                if end != nil { break }
            }
        }.check()
    }
}
