// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Profiles
import Radio
import Receiving

/// `beaconry range`
struct Range: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "range", abstract: "Report the distance of each beacon once a second.",
        discussion: """
            Example: beaconry range --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1

            Without --uuid, every iBeacon that is received. Acc is the estimated distance in metres, -1.00 if it is \
            unknown. A beacon that is not received for 5 s is removed. With --duration, the last report comes at its end.
            """)

    @OptionGroup var selection: BeaconSelection

    @OptionGroup var distance: DistanceOptions

    @Option(
        help: "Scan and report as the app of a phone (docs/phones.md): \(PhoneModel.names.joined(separator: ", ")).",
        transform: ValueText.phone)
    var phone: PhoneModel?

    @OptionGroup var time: DurationOption

    @Option(help: "File for a chart of the RSSI, as beaconry plot draws it (default: none).")
    var plot: String?

    @Flag(help: "Replace an existing file of --plot.")
    var force = false

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        if let phone {
            guard distance.model == nil, plot == nil else {
                throw Failure.usage("--phone has a model of its own, and no chart; leave --model and --plot out")
            }
            let listening = try options.listening(as: phone)
            return try await RangeTool.run(
                as: listening.receiver ?? ("receiver", ListenerSettings(phone: phone)), try selection.filter(),
                on: listening.withoutPhone, for: try time.value(), as: options.format)
        }
        if let plot { try Failure.unlessFree(plot, force: force) }
        let listening = try options.listening(limits: [.duplicates])
        // The app of the phone of --receiver; with a model or a chart the phone scans only.
        if let receiver = listening.receiver, distance.model == nil, plot == nil {
            return try await RangeTool.run(
                as: receiver, try selection.filter(), on: listening.withoutPhone, for: try time.value(),
                as: options.format)
        }
        try await RangeTool.run(
            Ranging(try selection.filter(), settings: try distance.settings(), at: .zero), on: listening,
            for: try time.value(), plot: plot, as: options.format)
    }
}
