// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Radio
import TestSupport
import Testing

@testable import BlueZRadio

@Suite struct ScanObserverTests {
    private static let address = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero
    private static let device = RemoteAddress(address, isRandom: true)

    private static func packet(_ event: some HCIEvent, index: UInt16 = 0) -> MonitorPacket {
        MonitorPacket(kind: MonitorPacket.event, index: index, data: HCIEventPacket(event).serialized())
    }

    private static func legacy(
        _ type: AdvertisingReportType, _ data: [UInt8] = [2, 1, 6], addressType: AddressType = .random,
        rssi: RSSI = RSSI(-60)
    ) -> LEAdvertisingReport.Report {
        LEAdvertisingReport.Report(
            eventType: type, addressType: addressType, address: address, data: data, rssi: rssi)
    }

    private static func extended(
        _ type: ExtendedAdvertisingEventType, _ data: [UInt8] = [2, 1, 6]
    ) -> LEExtendedAdvertisingReport.Report {
        LEExtendedAdvertisingReport.Report(
            eventType: type, addressType: .random, address: address, rssi: RSSI(-60), data: data)
    }

    @Test(arguments: [
        (AdvertisingReportType.connectableUndirected, Sighting.PDU.connectableScannable),
        (.connectableDirected, .directed), (.scannableUndirected, .scannable),
        (.nonConnectableUndirected, .nonConnectable), (.scanResponse, .scanResponse),
    ])
    func legacyReportIsSighting(_ type: AdvertisingReportType, pdu: Sighting.PDU) {
        var observer = ScanObserver(index: 0)
        let sightings = observer.sightings(in: Self.packet(LEAdvertisingReport(reports: [Self.legacy(type)])))
        #expect(sightings == [Sighting(device: Self.device, pdu: pdu, data: [2, 1, 6], rssi: RSSI(-60))])
    }

    private static let extendedTypes: [(ExtendedAdvertisingEventType, Sighting.PDU)] = [
        (.legacyConnectable, .connectableScannable), (.legacyDirected, .directed), (.legacyScannable, .scannable),
        (.legacy, .nonConnectable), ([.legacy, .connectable, .scannable, .scanResponse], .scanResponse),
        (.connectable, .extended), ([], .extended), ([.scannable, .scanResponse], .extendedScanResponse),
    ]

    @Test(arguments: extendedTypes)
    func extendedReportIsSighting(_ type: ExtendedAdvertisingEventType, pdu: Sighting.PDU) {
        var observer = ScanObserver(index: 0)
        let sightings = observer.sightings(in: Self.packet(LEExtendedAdvertisingReport(reports: [Self.extended(type)])))
        #expect(sightings == [Sighting(device: Self.device, pdu: pdu, data: [2, 1, 6], rssi: RSSI(-60))])
    }

    @Test func fragmentsBecomeOneSighting() {
        var observer = ScanObserver(index: 0)
        let first = Self.packet(LEExtendedAdvertisingReport(reports: [Self.extended([.incomplete], [4, 9, 65])]))
        let last = Self.packet(LEExtendedAdvertisingReport(reports: [Self.extended([], [66, 67])]))
        #expect(observer.sightings(in: first).isEmpty)
        #expect(observer.sightings(in: last).map(\.data) == [[4, 9, 65, 66, 67]])
    }

    @Test func eachReportOfAnEventIsSighting() {
        var observer = ScanObserver(index: 3)
        let reports = [
            Self.legacy(.connectableUndirected, [], addressType: .public, rssi: .unavailable),
            Self.legacy(.scanResponse, [1, 2, 3]), Self.legacy(.scanResponse, [1, 2, 3]),
        ]
        let sightings = observer.sightings(in: Self.packet(LEAdvertisingReport(reports: reports), index: 3))
        #expect(sightings.map(\.data) == [[], [1, 2, 3], [1, 2, 3]])
        #expect(sightings.map(\.rssi) == [nil, RSSI(-60), RSSI(-60)])
        #expect(sightings.map(\.device.isRandom) == [false, true, true])
    }

    @Test func otherControllersAndPacketsAreIgnored() {
        var observer = ScanObserver(index: 1)
        let event = LEAdvertisingReport(reports: [Self.legacy(.connectableUndirected)])
        let data = HCIEventPacket(event).serialized()
        #expect(observer.sightings(in: Self.packet(event, index: 0)).isEmpty)
        #expect(observer.sightings(in: MonitorPacket(kind: MonitorPacket.command, index: 1, data: data)).isEmpty)
        #expect(observer.sightings(in: Self.packet(LEScanTimeout(), index: 1)).isEmpty)
        #expect(observer.sightings(in: Self.packet(event, index: 1)).count == 1)
    }

    @Test func damagedEventsAreIgnored() {
        let whole = HCIEventPacket(LEAdvertisingReport(reports: [Self.legacy(.scanResponse)])).serialized()
        for count in 0..<whole.count {
            var observer = ScanObserver(index: 0)
            let cut = MonitorPacket(kind: MonitorPacket.event, index: 0, data: Array(whole[..<count]))
            #expect(observer.sightings(in: cut).isEmpty)
        }
        var generator = SplitMix64(seed: 4)
        var observer = ScanObserver(index: 0)
        for _ in 0..<20_000 {
            let rubbish =
                [0x3E, UInt8.random(in: 0...80, using: &generator), [2, 13].randomElement(using: &generator) ?? 2]
                + generator.bytes(80)
            _ = observer.sightings(in: MonitorPacket(kind: MonitorPacket.event, index: 0, data: rubbish))
        }
    }
}
