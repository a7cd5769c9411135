// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
import BeaconryTools
import BluetoothCore
import Devices
import Emulator
import Glibc
import Profiles

/// `beaconry advertise`
struct Advertise: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Advertise one beacon without a profile.", subcommands: [AdvertiseIBeacon.self])
}

/// `beaconry advertise ibeacon`
struct AdvertiseIBeacon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ibeacon", abstract: "Advertise an iBeacon.",
        discussion: """
            Example: beaconry advertise ibeacon --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --minor 2
            """)

    @OptionGroup var frame: IBeaconOptions

    @Option(help: "Advertising interval: 100ms, or 160ticks.", transform: ValueText.radiatedInterval)
    var interval = AdvertisingInterval(160)

    @Option(
        parsing: .unconditional, help: "Transmit power, such as -6dBm (default: the radio's).",
        transform: ValueText.transmitPower)
    var txPower: TransmitPower?

    @Option(help: "PDU type.")
    var pdu = AdvertisingPDU.nonConnectable

    @OptionGroup var options: RunOptions

    func run() async throws {
        let device = PlainIBeacon.Configuration(
            frame: frame.beacon, flags: try frame.advertisingFlags(), pdu: pdu, interval: interval,
            transmitPower: txPower)
        let profile = Profile(
            name: "advertise", beacons: [BeaconDefinition(id: "ibeacon", device: PlainIBeacon(device))])
        let configuration = try options.configuration(state: nil, resets: false) { [profile] }
        try await Running(
            options: options, configuration: configuration,
            // The process number allows several at once.
            controlPaths: [options.control ?? Folders.controlSocket(of: "advertise-\(getpid())")]
        ).run()
    }
}
