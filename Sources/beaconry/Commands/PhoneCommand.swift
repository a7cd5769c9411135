// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulator
import Profiles
import Radio

/// `beaconry phone`
struct PhoneCommand: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        commandName: "phone", abstract: "Act as a phone that sends notifications (ANCS) to an accessory.",
        discussion: """
            Example: beaconry phone profiles/phones/iphone.yaml --duration 1m --json

            It looks for an accessory that solicits Apple's notification service, connects to it and serves: notifications \
            come and go as the profile says. The virtual air is the one that beaconry run serves.

            Bonds are saved until beaconry reset --phone or --factory-reset.
            """)

    @Argument(help: "The phone's profile, in YAML.")
    var profile: String

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    @OptionGroup var state: StateOptions

    var writesJSON: Bool { options.isJSON }

    func run() async throws {
        let folder = try state.folder()
        let text = try ProfileFiles.text(profile, examples: "profiles/phones/")
        let phone = Phone(try PhoneProfile(parsing: text, file: profile))
        let isJSON = options.isJSON
        let events = phone.events.listen()
        let printing = Task {
            for await posted in events {
                Output.line(isJSON ? JSONLine.encode(posted) : EventText.line(posted.event))
            }
        }
        let listening = try Listening(
            options, duration: try time.value(), limits: [.exactData],
            maximumTransmissionUnit: phone.maximumTransmissionUnit, prepare: { await phone.introduce(to: $0) })
        do {
            if let folder { try await phone.openBonds(in: folder, resets: state.resets) }
            let ending = try await listening.run { radio, _ in try await phone.run(on: radio) }
            await printing.value
            try ending.check()
        } catch {
            // Where the phone never ran, nothing ends its events.
            printing.cancel()
            throw error
        }
    }
}
