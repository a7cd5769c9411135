// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct ScanFilterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let filter: ScanFilter
        let data: String
        var scanResponse = ""
        var rssi: Int8? = -70
        let accepted: Bool

        var testDescription: String { name }
    }

    static let iBeacon = "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5"
    static let short = BluetoothUUID.bit16(0x180F)
    static let wide = BluetoothUUID.bit32(0x1234_5678)
    static let long = BluetoothUUID.bit128(.shop)

    @Test(arguments: [
        Row(name: "everything", filter: ScanFilter(), data: "", accepted: true),
        Row(name: "everything, RSSI unknown", filter: ScanFilter(), data: iBeacon, rssi: nil, accepted: true),
        Row(
            name: "16 bits, incomplete list", filter: ScanFilter(services: [short]), data: "05020f180a18",
            accepted: true),
        Row(
            name: "16 bits, complete list", filter: ScanFilter(services: [short]), data: "05030a180f18",
            accepted: true),
        Row(name: "16 bits, data", filter: ScanFilter(services: [short]), data: "04160f1864", accepted: true),
        Row(
            name: "16 bits, as 128", filter: ScanFilter(services: [short]),
            data: "1107fb349b5f80000080001000000f180000",
            accepted: true),
        Row(name: "16 bits, as 32", filter: ScanFilter(services: [short]), data: "05050f180000", accepted: true),
        Row(
            name: "16 bits, other services", filter: ScanFilter(services: [short]), data: "05030a180e18",
            accepted: false),
        Row(
            name: "32 bits, incomplete list", filter: ScanFilter(services: [wide]), data: "050478563412", accepted: true
        ),
        Row(
            name: "32 bits, complete list", filter: ScanFilter(services: [wide]), data: "09050000000078563412",
            accepted: true),
        Row(name: "32 bits, data", filter: ScanFilter(services: [wide]), data: "0620785634127f", accepted: true),
        Row(
            name: "32 bits, truncated list", filter: ScanFilter(services: [wide]), data: "06057856341200",
            accepted: false),
        Row(
            name: "128 bits, in the scan response", filter: ScanFilter(services: [long]), data: iBeacon,
            scanResponse: "1107566114ab537964ab6248559119e57321", accepted: true),
        Row(
            name: "128 bits, in text order", filter: ScanFilter(services: [long]), data: iBeacon,
            scanResponse: "11072173e51991554862ab647953ab146156", accepted: false),
        Row(
            name: "128 bits, data", filter: ScanFilter(services: [long]),
            data: "1221566114ab537964ab6248559119e5732101", accepted: true),
        Row(
            name: "one of several", filter: ScanFilter(services: [short, wide, long]), data: "03030f18",
            accepted: true),
        Row(name: "no services", filter: ScanFilter(services: [short]), data: iBeacon, accepted: false),
        Row(name: "iBeacon", filter: ScanFilter(formats: [IBeacon.self]), data: iBeacon, accepted: true),
        Row(name: "no iBeacon", filter: ScanFilter(formats: [IBeacon.self]), data: "0201061aff4c00", accepted: false),
        Row(name: "strong enough", filter: ScanFilter(minimumRSSI: RSSI(-70)), data: "", accepted: true),
        Row(name: "too weak", filter: ScanFilter(minimumRSSI: RSSI(-70)), data: "", rssi: -71, accepted: false),
        Row(name: "unknown strength", filter: ScanFilter(minimumRSSI: RSSI(-70)), data: "", rssi: nil, accepted: false),
        Row(name: "strength 127", filter: ScanFilter(minimumRSSI: RSSI(-70)), data: "", rssi: 127, accepted: false),
        Row(name: "name", filter: ScanFilter(name: "tra"), data: "0609456e747261", accepted: true),
        Row(name: "name, other case", filter: ScanFilter(name: "ENT"), data: "0609456e747261", accepted: true),
        Row(
            name: "shortened name in the scan response", filter: ScanFilter(name: "En"), data: "",
            scanResponse: "0308456e",
            accepted: true),
        Row(name: "other name", filter: ScanFilter(name: "exit"), data: "0609456e747261", accepted: false),
        Row(name: "no name", filter: ScanFilter(name: "e"), data: iBeacon, accepted: false),
        Row(
            name: "all conditions",
            filter: ScanFilter(services: [short], formats: [IBeacon.self], minimumRSSI: RSSI(-80)),
            data: iBeacon, scanResponse: "03030f18", accepted: true),
        Row(
            name: "all conditions but one",
            filter: ScanFilter(services: [short], formats: [IBeacon.self], minimumRSSI: RSSI(-60)), data: iBeacon,
            scanResponse: "03030f18", accepted: false),
        Row(
            name: "before malformed data", filter: ScanFilter(services: [short]), data: "03030f180709",
            accepted: true),
    ])
    func filterAccepts(_ row: Row) throws {
        var table = AdvertiserTable<String>()
        let rssi = row.rssi.map { RSSI($0) }
        var advertiser = table.receive(
            try Hexadecimal.bytes(row.data), from: "a", rssi: rssi, at: .zero
        ).advertiser
        if !row.scanResponse.isEmpty {
            advertiser =
                table.receive(
                    try Hexadecimal.bytes(row.scanResponse), from: "a", isScanResponse: true, rssi: rssi, at: .zero
                ).advertiser
        }
        #expect(row.filter.accepts(advertiser) == row.accepted)
        let (data, response) = (advertiser.advertisingData, advertiser.scanResponse)
        #expect(row.filter.accepts(data, scanResponse: response, rssi: rssi) == row.accepted)
    }
}
