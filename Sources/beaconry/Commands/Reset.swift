// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Persistence

/// `beaconry reset`
struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Erase the saved settings and bonds of beacons, or the bonds of phones: a factory reset.",
        discussion: """
            Example: beaconry reset museum/entrance

            A beacon is named PROFILE/ID, by the names in the profile; PROFILE alone means all of its beacons. A phone \
            (beaconry phone) is named as in its profile: beaconry reset --phone iphone
            """)

    @Argument(help: "Beacons as PROFILE/ID, or PROFILE for all of a profile; with --phone, phones.")
    var devices: [String]

    @Flag(help: "Treat the names as phones, not beacons.")
    var phone = false

    @Option(help: StateOptions.folderHelp)
    var state: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let folder = Folders.stateFolder(state)
        try ResetTool(folder, arePhones: phone, format: output.format).run(devices)
    }
}
