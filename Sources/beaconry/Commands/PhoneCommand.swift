// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Emulator
import Profiles
import Radio

/// `beaconry phone`
struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone", abstract: "Act as a phone that sends notifications (ANCS) to an accessory.",
        discussion: """
            Example: beaconry phone profiles/phones/iphone.yaml --duration 1m --json

            It searches for an accessory that solicits Apple's notification service, connects to it and serves the \
            notifications of the profile. The virtual air is the one that beaconry run serves.

            Bonds are saved until beaconry reset --phone or --factory-reset.
            """)

    @Argument(help: "The phone's profile, in YAML.")
    var profile: String

    @OptionGroup var time: DurationOption

    @OptionGroup var options: ListeningOptions

    @OptionGroup var state: StateOptions

    func run() async throws {
        // Beacons of this process do not save their bonds either.
        let folder = options.air.isGiven ? nil : try state.folder()
        let text = try ProfileFiles.text(profile, examples: "profiles/phones/")
        let phoneProfile = try PhoneProfile(parsing: text, file: profile)
        // Before the phone is made, because it may begin virtual time.
        let radio = try options.listening(
            duration: try time.value(), limits: [.exactData],
            maximumTransmissionUnit: phoneProfile.maximumTransmissionUnit)
        let phone = Phone(phoneProfile)
        let listening = radio.preparing { await phone.introduce(to: $0) }
        let format = options.format
        let events = phone.events.listen()
        let reporting = Task {
            for await posted in events {
                Output.report(RecordReport(posted, lines: [posted.event.sentence]), as: format)
            }
        }
        do {
            if let folder { try await phone.openBonds(in: folder, resets: state.resets) }
            let ending = try await listening.run { radio, _ in try await phone.run(on: radio) }
            await reporting.value
            try ending.check()
        } catch {
            // The events end only if the phone ran.
            reporting.cancel()
            throw error
        }
    }
}
