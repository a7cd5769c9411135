// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

@Suite struct PlainIBeaconTests {
    private static let frame = IBeacon(
        uuid: IoTDesignShop.service, major: 1, minor: 1, measuredPower: MeasuredPower(-59))

    private static func beacon(_ change: (inout PlainIBeacon.Configuration) -> Void = { _ in }) -> PlainIBeacon {
        var configuration = PlainIBeacon.Configuration(frame: frame)
        change(&configuration)
        return PlainIBeacon(configuration)
    }

    @Test func frameAloneIsAdvertised() throws {
        var beacon = Self.beacon()
        let advertisement = try #require(beacon.firstAdvertisement)
        #expect(beacon.handle(.poweredOn) == [.advertise(advertisement)])
        #expect(Hexadecimal.string(advertisement.advertisingData.serialized()) == Bench.factoryData)
        #expect(advertisement.scanResponse.serialized().isEmpty)
        #expect(advertisement.pdu == .nonConnectable)
        #expect(advertisement.interval == AdvertisingInterval(160))
        #expect(advertisement.transmitPower == nil)
        #expect(advertisement.address == nil)
        #expect(beacon.services.isEmpty)
        #expect(!PlainIBeacon.hasFlash)
    }

    @Test func configurationIsAdvertised() throws {
        let address = try #require(BluetoothAddress("C0:FF:EE:00:00:02"))
        let beacon = Self.beacon {
            $0.flags = nil
            $0.pdu = .scannable
            $0.advertising = AdvertisingSettings(
                interval: AdvertisingInterval(1600), transmitPower: TransmitPower(4), address: address)
            $0.services = [IoTDesignShop.service]
            $0.name = "Twelve bytes"
        }
        let advertisement = try #require(beacon.firstAdvertisement)
        #expect(
            Hexadecimal.string(advertisement.advertisingData.serialized()) == String(Bench.factoryData.dropFirst(6)))
        #expect(
            Hexadecimal.string(advertisement.scanResponse.serialized())
                == "1107" + Bench.serviceBytes + "0c085477656c76652062797465")
        #expect(advertisement.pdu == .scannable)
        #expect(advertisement.interval == AdvertisingInterval(1600))
        #expect(advertisement.transmitPower == TransmitPower(4))
        #expect(advertisement.address == address)
        #expect(advertisement.problems.isEmpty)
    }

    @Test func nonConnectableHasNoScanResponse() throws {
        let beacon = Self.beacon {
            $0.services = [IoTDesignShop.service]
            $0.name = "Name"
        }
        let advertisement = try #require(beacon.firstAdvertisement)
        #expect(advertisement.scanResponse.structures.isEmpty)
        #expect(advertisement.problems.isEmpty)
    }

    @Test func settingsAreTaken() throws {
        let settings: [SettingValue] = [
            .uuid(UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")), .major(1), .minor(2),
            .measuredPower(MeasuredPower(-29)), .interval(AdvertisingInterval(32)), .transmitPower(TransmitPower(-7)),
        ]
        var beacon = Self.beacon()
        let advertisement = try #require(beacon.handle(.set(settings)).advertised ?? nil)
        #expect(beacon.settings == settings)
        #expect(
            Hexadecimal.string(advertisement.advertisingData.serialized())
                == "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002e3")
        #expect(advertisement.interval == AdvertisingInterval(32))
        #expect(advertisement.transmitPower == TransmitPower(-7))
        #expect(beacon.handle(.set([.major(1)])) == .done(), "the same value is no other advertisement")
    }

    @Test(arguments: [0, 31, 16385, UInt32.max])
    func impossibleIntervalIsRefused(_ ticks: UInt32) {
        var beacon = Self.beacon()
        let outputs = beacon.handle(.set([.major(9), .interval(AdvertisingInterval(ticks))]))
        guard outputs.effects.isEmpty, case .refused(let sentence)? = outputs.reply else {
            Issue.record("\(outputs) is no refusal")
            return
        }
        #expect(sentence.hasPrefix("interval: "))
        #expect(beacon.settings == Self.beacon().settings)
    }

    @Test func nothingIsServed() {
        var beacon = Self.beacon()
        #expect(beacon.read(.bit16(0x2A00), offset: 0) == .error(.readNotPermitted))
        #expect(beacon.handle(.wrote(.bit16(0x2A00), offset: 0, value: [])) == .rejected(.writeNotPermitted))
        #expect(beacon.handle(.connected(Bench.alice)).isEmpty)
        #expect(beacon.handle(.disconnected(Bench.alice)).isEmpty)
    }

    @Test func flashIsIgnored() throws {
        var beacon = Self.beacon()
        try beacon.restore(from: FlashImage(["major": .integer(9)]))
        #expect(beacon.settings == Self.beacon().settings)
    }
}
