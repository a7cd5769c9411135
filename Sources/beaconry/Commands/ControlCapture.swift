// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Devices
import Emulator
import RunAPI

/// `beaconry ctl capture`
struct ControlCapture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Capture the HCI traffic of a part of the run.",
        discussion: """
            Example: beaconry ctl capture start
            Example: beaconry ctl capture save 1 pairing.btsnoop

            The run keeps captures in memory until they are removed. btmon and Wireshark read the file.
            """,
        subcommands: [List.self, Start.self, Stop.self, Save.self, Remove.self], defaultSubcommand: List.self)

    /// `beaconry ctl capture list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the captures.", discussion: "Example: beaconry ctl capture --json")
        @OptionGroup var options: ControlOptions
        func run() async throws { try await options.tool.perform(ListCaptures(), list: CaptureText.list) }
    }

    /// `beaconry ctl capture start`
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start a capture.", discussion: "Example: beaconry ctl capture start")
        @Option(
            help: "Limit of its size, in bytes; a capture that reaches it ends (default: 16777216).",
            transform: OptionValue.wholeNumber(in: 1024...(1 << 27)))
        var limit: Int?
        @OptionGroup var options: ControlOptions
        func run() async throws {
            let start = StartCapture { $0.limit = limit.map(CaptureLimit.init) }
            try await options.tool.perform(start) { CaptureText.list([$0]) }
        }
    }

    /// `beaconry ctl capture stop`
    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop a capture; what it has stays.",
            discussion: "Example: beaconry ctl capture stop 1")
        @Argument(help: "The number of the capture.") var id: Int
        @OptionGroup var options: ControlOptions
        func run() async throws {
            try await options.tool.perform(StopCapture { $0.capture = CaptureNumber(id) }) { CaptureText.list([$0]) }
        }
    }

    /// `beaconry ctl capture save`
    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Save a capture, which may still run, as a btsnoop file.",
            discussion: "Example: beaconry ctl capture save 1 pairing.btsnoop")
        @Argument(help: "The number of the capture.") var id: Int
        @Argument(help: "The file.", completion: .file()) var file: String
        @Flag(help: "Replace a file that exists.") var force = false
        @OptionGroup var options: ControlOptions
        func run() async throws {
            try Failure.unlessFree(file, force: force)
            try await options.tool.saveCapture(id, to: file)
        }
    }

    /// `beaconry ctl capture remove`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Stop and remove a capture.",
            discussion: "Example: beaconry ctl capture remove 1")
        @Argument(help: "The number of the capture.") var id: Int
        @OptionGroup var options: ControlOptions
        func run() async throws {
            try await options.tool.perform(RemoveCapture { $0.capture = CaptureNumber(id) }) { CaptureText.list([$0]) }
        }
    }
}
