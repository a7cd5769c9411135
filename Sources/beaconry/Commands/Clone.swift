// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Devices

/// `beaconry clone`
struct Clone: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone", abstract: "Make a profile from a recording, so that beaconry run can repeat it.",
        discussion: """
            Example: beaconry clone shop.jsonl shop.yaml && beaconry run shop.yaml

            The recording is a file of beaconry record, or a btsnoop file (btmon -w, --capture). Beacons of known formats \
            stay structured; the others become raw bytes.
            """)

    @Argument(help: "The recording.")
    var recording: String

    @Argument(help: "The profile to write.")
    var profile: String

    @Option(help: "Name of the profile (default: the file's name without .yaml).", transform: ValueText.name)
    var name: String?

    @Option(
        help: """
            Interval of all beacons, such as 100ms (default: estimated, unless the receiver left out repetitions of \
            advertisements).
            """, transform: ValueText.radiatedInterval)
    var interval: AdvertisingInterval?

    @Flag(help: "Replace an existing profile.")
    var force = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let name: String
        do throws(ValueFault) {
            if let given = self.name { name = given } else { name = try ValueText.name(CloneTool.name(of: profile)) }
        } catch {
            throw Failure.usage("--name: \(error.message)")
        }
        try Failure.unlessFree(profile, force: force)
        try CloneTool.run(recording, to: profile, name: name, interval: interval, as: output.format)
    }
}
