// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryTools
import Devices
import Emulator
import Glibc
import Profiles

/// `beaconry advertise`
struct Advertise: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise", abstract: "Advertise one beacon without a profile.",
        discussion: """
            Example: beaconry advertise eddystone-url --url https://example.com/a --telemetry

            beaconry advertise FORMAT --help lists the keys of a format. Without a format, the beacon is an iBeacon.
            """,
        subcommands: BeaconFormats.transmittable.map { command(for: $0) },
        defaultSubcommand: AdvertiseFrame<IBeacon>.self)

    private static func command<Frame: TransmittableBeacon>(for _: Frame.Type) -> any ParsableCommand.Type {
        AdvertiseFrame<Frame>.self
    }
}

/// `beaconry advertise FORMAT`
struct AdvertiseFrame<Frame: TransmittableBeacon>: AsyncParsableCommand, OptionsOnlyCommand {
    static var configuration: CommandConfiguration {
        FrameOptions<Frame>.configuration(
            of: "advertise", abstract: "Advertise a frame of the format \(Frame.formatName).")
    }

    @OptionGroup var frame: FrameOptions<Frame>

    @OptionGroup(visibility: BeaconTelemetry.isPossible(with: Frame.formatName) ? .default : .hidden)
    var telemetry: TelemetryOptions

    @OptionGroup var advertising: DeclaredOptions<AdvertisingKeys>

    @Option(help: "Name in the scan response (default: none).", transform: ValueText.localName)
    var name: String?

    @Option(help: "PDU type (default: ADV_NONCONN_IND, or ADV_SCAN_IND with a name).")
    var pdu: AdvertisingPDU?

    @OptionGroup var options: RunOptions

    func run() async throws {
        let beacon = try AdvertisedBeacon(
            frame.payload(), pdu: pdu, AdvertisingSettings(advertising.texts), name: name,
            telemetry: telemetry.content)
        let configuration = try options.configuration(profiles: [beacon.profile], state: nil, resets: false) {
            [beacon.profile]
        }
        try await Running(
            options: options, configuration: configuration,
            // The process number allows several at once.
            control: options.control.map(ControlPlace.init) ?? .path(Folders.controlSocket(of: "advertise-\(getpid())"))
        ).run()
    }
}

/// The options of Eddystone-TLM frames between the frames of a beacon.
struct TelemetryOptions: ParsableArguments {
    @Flag(help: "Make every 10th advertisement an Eddystone-TLM frame.")
    var telemetry = false

    @Option(
        help: "Make every Nth advertisement an Eddystone-TLM frame, 2 to 1000; implies --telemetry (default: 10).",
        transform: BeaconTelemetry.round)
    var telemetryEvery: Int?

    @Option(
        parsing: .unconditional,
        help: "Battery voltage in these frames, 0 to 65535 mV; implies --telemetry (default: no battery).",
        transform: BeaconTelemetry.millivolts)
    var telemetryBattery: Double?

    @Option(
        parsing: .unconditional,
        help: "Temperature in these frames, -127 to 127 °C; implies --telemetry (default: no thermometer).",
        transform: BeaconTelemetry.celsius)
    var telemetryTemperature: Double?

    /// The telemetry; `nil` for none.
    var content: BeaconTelemetry? {
        guard telemetry || telemetryEvery != nil || telemetryBattery != nil || telemetryTemperature != nil else {
            return nil
        }
        return BeaconTelemetry(
            every: telemetryEvery ?? BeaconTelemetry.defaultRound, battery: telemetryBattery.map { .fixed($0) },
            temperature: telemetryTemperature.map { .fixed($0) })
    }
}
