// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import Emulator
import Radio
import Receiving

/// `beaconry range`
struct Range: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        abstract: "Report the distance of each beacon once a second.",
        discussion: """
            Example: beaconry range --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1

            Without --uuid, the beacons of Apple's AirLocate. Acc is the estimated distance in metres, -1.00 when it is \
            unknown. A beacon that is not received for 5 s is removed. With --duration, the last report comes at its end.
            """)

    @OptionGroup var selection: BeaconSelection

    @OptionGroup var distance: DistanceOptions

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    var writesJSON: Bool { options.isJSON }

    func run() async throws {
        let regions = try selection.regions(defaults: BeaconSelection.airLocate)
        let settings = try distance.settings()
        let duration = try time.value()
        let listening = try Listening(options, limits: [.duplicates])
        let isJSON = options.isJSON
        try await listening.run { radio, _ in
            var ranging = Ranging(regions, settings: settings, at: .zero)
            let screen = !isJSON && Terminal.isPossible ? LiveScreen() : nil
            defer { screen?.finish() }
            for await reception in try await radio.receptions(every: .milliseconds(50)) {
                let reports: [RangingReport?]
                let end = duration.flatMap { $0 <= reception.time ? $0 : nil }
                if let end {
                    // What was received after the end does not count.
                    reports = [ranging.advance(to: end), ranging.finish(at: end)]
                } else {
                    reports = [ranging.take(reception)]
                }
                for report in reports.compactMap(\.self) {
                    let output = RangingOutput(report)
                    if isJSON {
                        Output.line(JSONLine.encode(output))
                    } else if let screen {
                        screen.show(output.content)
                    } else {
                        for line in output.lines { Output.line(line) }
                    }
                }
                if end != nil { break }
            }
        }.check()
    }
}
