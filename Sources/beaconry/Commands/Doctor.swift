// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import BlueZRadio
import Devices
import Radio

/// `beaconry doctor`
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out why a beacon is not received.",
        discussion: """
            Example: beaconry doctor --radio bluez:hci0 --via bluez:hci1

            Checks the kernel, bluetoothd, the rights of this process and the adapter, then advertises an iBeacon with the \
            UUID E2C56DB5-DFFB-48D2-B060-D0F5A71096E0. For each problem it prints what it means and a command that fixes it. \
            Nothing is changed. Exit code 1 if there is a problem. docs/hardware-trial.md describes --trial.
            """)

    @Option(help: "Radio of the beacon, as of run (default: the first adapter of BlueZ).")
    var radio: String?

    @Option(help: "Another radio, which receives the beacon, as of scan, such as esphome:HOST (default: none).")
    var via: String?

    @Option(
        name: .customLong("for"), help: "How long each beacon is on the air, 1s to 10m (default: 10s).",
        transform: Self.duration)
    var duration = Duration.seconds(10)

    @Option(
        help: ArgumentHelp(
            """
            Advertise in all ways and write the results to this file, which can be attached to a report: it has no address of \
            another device (default: none).
            """, valueName: "file"))
    var trial: String?

    @Flag(help: "Replace the file of --trial if it exists.")
    var force = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        // For this command auto is an adapter, and its absence is what is wrong.
        let name = radio ?? EnvironmentVariable.radio.value ?? BlueZDriver.scheme
        let driver = try RadioDrivers.radio(named: name, waits: true)
        guard via == nil || via != name else {
            throw Failure.usage("--via: \(name) cannot receive what it sends; name another radio")
        }
        let receiver = try via.map { try RadioDrivers.radio(named: $0, waits: false) }
        if let trial { try Failure.unlessFree(trial, force: force) }
        try await DoctorTool(
            driver, via: receiver, for: duration, trial: trial, version: Version.text, as: output.format
        ).run()
    }

    private static func duration(_ text: String) throws -> Duration {
        try ValueText.duration(text, in: .seconds(1) ... .seconds(600), limits: "1s to 10m")
    }
}
