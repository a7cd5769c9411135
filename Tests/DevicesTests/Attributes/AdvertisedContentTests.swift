// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

@Suite struct AdvertisedContentTests {
    private static let long = BluetoothUUID.bit128(IoTDesignShop.service)

    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let change: @Sendable (inout AdvertisedContent) -> Void
        let data: String
        var scanResponse = ""
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "flags", change: { _ in }, data: "020106"),
        Row(name: "nothing", change: { $0.flags = nil }, data: ""),
        Row(name: "services", change: { $0.services = [.bit16(0x180F), .bit16(0x180A)] }, data: "02010605030f180a18"),
        Row(
            name: "a long service and a name",
            change: {
                $0.services = [long]
                $0.name = "Name"
            }, data: "020106" + "1107" + Bench.serviceBytes + "05094e616d65"),
        Row(
            name: "a name for the scan response",
            change: {
                $0.services = [long]
                $0.name = "A longer name"
            }, data: "020106" + "1107" + Bench.serviceBytes, scanResponse: "0e0941206c6f6e676572206e616d65"),
        Row(
            name: "every part",
            change: {
                $0.services = [.bit16(0x180D), .bit32(0x1234_5678)]
                $0.serviceData = [AdvertisedContent.ServiceData(service: .bit16(0x180F), octets: .value(of: "level"))]
                $0.manufacturerData = AdvertisedContent.ManufacturerData(
                    company: CompanyIdentifier(0x0131), octets: .fixed([1, 2]))
                $0.appearance = 0x0341
                $0.includesTransmitPower = true
                $0.advertising.transmitPower = TransmitPower(-4)
                $0.name = "N"
            },
            data: "020106" + "03030d18" + "050578563412" + "04160f1864" + "05ff31010102" + "03194103" + "020afc",
            scanResponse: "02094e"),
        Row(
            name: "solicited services", change: { $0.solicitedServices = [.bit16(0x1805), long] },
            data: "020106" + "03140518" + "1115" + Bench.serviceBytes),
        Row(
            name: "a service of another length",
            change: {
                $0.serviceData = [
                    AdvertisedContent.ServiceData(service: .bit32(1), octets: .fixed([7])),
                    AdvertisedContent.ServiceData(service: long, octets: .fixed([8])),
                ]
            }, data: "020106" + "06200100000007", scanResponse: ""),
    ]

    @Test(arguments: rows.dropLast())
    func partsGoWhereTheyFit(_ row: Row) {
        var content = AdvertisedContent()
        row.change(&content)
        let advertisement = content.advertisement { $0 == "level" ? [0x64] : nil }
        #expect(Hexadecimal.string(advertisement.advertisingData.serialized()) == row.data)
        #expect(Hexadecimal.string(advertisement.scanResponse.serialized()) == row.scanResponse)
        #expect(advertisement.problems.isEmpty)
        #expect(advertisement.pdu == .connectableScannable)
    }

    @Test func whatFitsNowhereIsAProblem() {
        var content = AdvertisedContent()
        content.services = [Self.long, IoTDesignShop.beaconUUID]
        #expect(content.advertisement { _ in nil }.problems == [.advertisingDataTooLong(37)])
        content.services = [Self.long]
        content.pdu = .nonConnectable
        content.manufacturerData = AdvertisedContent.ManufacturerData(
            company: CompanyIdentifier(1), octets: .fixed(Array(repeating: 0, count: 20)))
        #expect(content.advertisement { _ in nil }.problems == [.advertisingDataTooLong(45)])
    }

    @Test func nameIsShortenedWhereThereIsMoreRoom() {
        var content = AdvertisedContent()
        content.name = String(repeating: "n", count: 40)
        #expect(content.advertisement { _ in nil }.scanResponse.localName?.count == 29)
        content.pdu = .nonConnectable
        #expect(content.advertisement { _ in nil }.advertisingData.localName?.count == 26)
        #expect(content.advertisement { _ in nil }.scanResponse.structures.isEmpty)
    }

    /// A value that is advertised is on the air when it changes, with and without subscriptions.
    @Test func advertisedValuesAreOnTheAirAsTheyChange() {
        var content = AdvertisedContent()
        content.serviceData = [AdvertisedContent.ServiceData(service: .bit16(0x180F), octets: .value(of: "value"))]
        let characteristic = DeclaredCharacteristic(
            name: "value", uuid: .bit16(0x2A19), properties: .read, fields: GATTPeripheralTests.counting())
        let service = DeclaredService(uuid: .bit16(0x180F), characteristics: [characteristic])
        var peripheral = GATTPeripheral(GATTPeripheral.Configuration(services: [service], content: content))
        func data(_ outputs: DeviceResponse) -> String? {
            outputs.advertised.flatMap { $0 }.map { Hexadecimal.string($0.advertisingData.serialized()) }
        }
        #expect(data(peripheral.handle(.poweredOn, at: GATTPeripheralTests.at(0))) == "02010604160f1800")
        #expect(peripheral.nextDeadline == .seconds(1))
        #expect(peripheral.handle(.timePassed, at: GATTPeripheralTests.at(900)).isEmpty)
        #expect(data(peripheral.handle(.timePassed, at: GATTPeripheralTests.at(3000))) == "02010604160f1803")
        #expect(peripheral.handle(.connected(Bench.alice), at: GATTPeripheralTests.at(3100)) == [.advertise(nil)])
        #expect(peripheral.handle(.timePassed, at: GATTPeripheralTests.at(4000)).isEmpty)
        #expect(
            data(peripheral.handle(.disconnected(Bench.alice), at: GATTPeripheralTests.at(5000))) == "02010604160f1805")
    }
}
