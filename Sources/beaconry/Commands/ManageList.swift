// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryCentral
import BluetoothCore
import Emulator
import Profiles
import Radio
import Receiving

/// `beaconry manage list`
struct ManageList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the configurable beacons that are heard.",
        discussion: "Example: beaconry manage list --duration 3s")

    @Option(help: "How long to listen.")
    var duration = "5s"

    @OptionGroup var options: ListeningOptions

    func run() async throws {
        let duration = try named("--duration") { () throws(ValueFault) in try ValueText.duration(self.duration) }
        let isJSON = options.isJSON
        try await Listening(options, duration: duration).run { radio, _ in
            var table = AdvertiserTable<RemoteAddress>()
            let filter = ScanFilter(services: [IoTDesignShopService.uuid])
            for await case .received(let sighting, let time) in try await radio.receptions(every: .seconds(1)) {
                let isScanResponse = sighting.pdu == .scanResponse || sighting.pdu == .extendedScanResponse
                _ = table.receive(
                    sighting.data, from: sighting.device, isScanResponse: isScanResponse, rssi: sighting.rssi, at: time)
            }
            let beacons = table.advertisers.filter { filter.accepts($0) }
            for beacon in beacons {
                let record = ListedBeacon(beacon)
                Output.line(isJSON ? JSONLine.encode(record) : record.line)
            }
            if beacons.isEmpty { Output.note("no configurable beacon was heard") }
        }.check()
    }
}

/// A configurable beacon that was heard.
private struct ListedBeacon: Encodable {
    let v = 1
    let event = "beacon"
    let address: String
    let addressType: String
    let name: String?
    /// In dBm; absent when the radio does not know.
    let rssi: Int8?
    let uuid: String?
    let major: UInt16?
    let minor: UInt16?
    let measuredPower: Int8?

    init(_ advertiser: Advertiser<RemoteAddress>) {
        address = advertiser.source.address.description
        addressType = advertiser.source.isRandom ? "random" : "public"
        name = advertiser.localName
        rssi = advertiser.lastRSSI?.decibelMilliwatts
        let frame = (advertiser.advertisingData.iBeacons + advertiser.scanResponse.iBeacons).first
        uuid = frame?.uuid.description
        major = frame?.major
        minor = frame?.minor
        measuredPower = frame?.measuredPower.decibelMilliwatts
    }

    /// In words, as the beacons' own app names them.
    var line: String {
        let cells: [String?] = [
            "IoT DS Beacon (\(address))", name.map(ScanRecord.printable), rssi.map { "\($0) dBm" }, uuid,
            major.map { "major \($0)" }, minor.map { "minor \($0)" },
        ]
        return cells.compactMap(\.self).joined(separator: "  ")
    }
}
