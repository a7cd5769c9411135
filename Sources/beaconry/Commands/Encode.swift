// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryTools

/// `beaconry encode`
struct Encode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode", abstract: "Print advertising data as hexadecimal digits; no radio needed.",
        discussion: """
            Example: beaconry encode eddystone-url --url https://example.com/a

            beaconry encode FORMAT --help lists the keys of a format. Without a format, the frame is an iBeacon.
            """,
        subcommands: BeaconFormats.transmittable.map { command(for: $0) },
        defaultSubcommand: EncodeFrame<IBeacon>.self)

    private static func command<Frame: TransmittableBeacon>(for _: Frame.Type) -> any ParsableCommand.Type {
        EncodeFrame<Frame>.self
    }
}

/// `beaconry encode FORMAT`
struct EncodeFrame<Frame: TransmittableBeacon>: ParsableCommand, OptionsOnlyCommand {
    static var configuration: CommandConfiguration {
        FrameOptions<Frame>.configuration(
            of: "encode", abstract: "Print a frame of the format \(Frame.formatName) as hexadecimal digits.")
    }

    @OptionGroup var frame: FrameOptions<Frame>

    @OptionGroup var output: OutputOptions

    func run() throws { Output.report(try frame.payload(), as: output.format) }
}
