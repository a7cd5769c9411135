// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Profiles
import Radio
import Receiving

/// `beaconry calibrate`
struct Calibrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Measure the measured power of a beacon: its RSSI at 1 m.",
        discussion: """
            Example: beaconry calibrate --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --write profiles/airlocate.yaml

            Hold the receiver 1 m away from the beacon for 20 s. Without --uuid, it may have any UUID. Exactly one beacon with these numbers may be on: exit \
            code 1 if there is none or more than one, or if the command is cancelled.
            """)

    @OptionGroup var selection: BeaconSelection

    @Option(help: "Time to listen.", transform: ValueText.duration)
    var duration = Duration.seconds(20)

    @Option(help: "Profile whose beacons with the same numbers get the measured power.")
    var write: String?

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        let filter = try selection.filter()
        if selection.uuid.count > 1 {
            throw Failure.usage("--uuid: one is expected here, not \(selection.uuid.count)")
        }
        if let write { _ = try ProfileFiles.load([write]) }
        try await CalibrateTool.run(
            Calibration(filter, duration: duration), on: try options.listening(limits: [.duplicates]),
            writing: write, as: options.format)
    }
}
