// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import ArgumentParser
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
struct AdvertiseIBeacon: AsyncParsableCommand, ReportsErrorsAsJSON {
    static let configuration = CommandConfiguration(
        commandName: "ibeacon", abstract: "Advertise an iBeacon.",
        discussion: """
            Example: beaconry advertise ibeacon --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1 --minor 2
            """)

    @OptionGroup var frame: IBeaconOptions

    @Option(help: "Advertising interval: 100ms, or 160ticks.")
    var interval = "100ms"

    @Option(parsing: .unconditional, help: "Transmit power, such as -6dBm (default: the radio's).")
    var txPower: String?

    @Option(help: "PDU type: ADV_NONCONN_IND, ADV_SCAN_IND or ADV_IND.")
    var pdu = AdvertisingPDU.nonConnectable.rawValue

    @OptionGroup var options: RunOptions

    var writesJSON: Bool { options.writesJSON }

    func run() async throws {
        guard let pdu = AdvertisingPDU(rawValue: pdu) else {
            throw Failure.usage(
                "--pdu: there is no PDU type \"\(pdu)\"; write ADV_NONCONN_IND, ADV_SCAN_IND or ADV_IND")
        }
        let device = PlainIBeacon.Configuration(
            frame: try frame.beacon(), flags: try frame.advertisingFlags(), pdu: pdu,
            interval: try named("--interval") { () throws(ValueFault) in try ValueText.radiatedInterval(interval) },
            transmitPower: try txPower.map { text in
                try named("--tx-power") { () throws(ValueFault) in try ValueText.transmitPower(text) }
            })
        let profile = Profile(
            name: "advertise", beacons: [BeaconDefinition(id: "ibeacon", device: .plainIBeacon(device))])
        let configuration = try options.configuration(state: nil, resets: false) { [profile] }
        try await Running(
            options: options, configuration: configuration,
            // Several may run at once.
            controlPaths: [options.control ?? Folders.controlSocket(of: "advertise-\(getpid())")]
        ).run()
    }
}
