// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

@Suite struct RawAdvertiserTests {
    /// A frame, flags behind it, a structure that promises more than there is, nothing, and only zeros.
    private static let payloads = [
        "0303aafe1516aafe00e8000102030405060708090a0b0c0d0e0f", "03ffffff020106", "0201061aff4c", "", "0000000000",
        "ff",
    ]

    @Test(arguments: payloads, payloads)
    func octetsAreAdvertisedAsTheyAre(_ data: String, _ scanResponse: String) throws {
        var advertiser = RawAdvertiser(
            RawAdvertiser.Configuration(
                pdu: .scannable, advertisingData: try Hexadecimal.bytes(data),
                scanResponse: try Hexadecimal.bytes(scanResponse),
                advertising: AdvertisingSettings(
                    interval: AdvertisingInterval(32), transmitPower: TransmitPower(-8),
                    address: BluetoothAddress("C0:FF:EE:00:00:02"))))
        guard case .advertise(let advertisement?) = advertiser.handle(.poweredOn).effects.first else {
            Issue.record("it does not advertise")
            return
        }
        #expect(Hexadecimal.string(advertisement.advertisingData.serialized()) == data)
        #expect(Hexadecimal.string(advertisement.scanResponse.serialized()) == scanResponse)
        #expect(advertisement.pdu == .scannable)
        #expect(advertisement.interval == AdvertisingInterval(32))
        #expect(advertisement.transmitPower == TransmitPower(-8))
        #expect(advertisement.address == BluetoothAddress("C0:FF:EE:00:00:02"))
        #expect(advertisement.problems.isEmpty)
    }

    @Test func intervalAndPowerCanBeSet() {
        var advertiser = RawAdvertiser(RawAdvertiser.Configuration(advertisingData: [2, 1, 6]))
        let settings: [SettingValue] = [.interval(AdvertisingInterval(16384)), .transmitPower(TransmitPower(4))]
        #expect(advertiser.handle(.set(settings)) == .done([.advertise(advertiser.advertisement)]))
        #expect(advertiser.settings == settings)
        #expect(advertiser.advertisement.interval == AdvertisingInterval(16384))
    }

    @Test(
        arguments: [
            (SettingValue.interval(AdvertisingInterval(31)), "interval: "),
            (.interval(AdvertisingInterval(16385)), "interval: "), (.major(1), "major: "), (.minor(1), "minor: "),
            (.uuid(IoTDesignShop.service), "uuid: "), (.measuredPower(MeasuredPower(-1)), "measured-power: "),
        ])
    func whatItHasNotIsRefused(_ setting: SettingValue, _ start: String) {
        var advertiser = RawAdvertiser(RawAdvertiser.Configuration(advertisingData: [2, 1, 6]))
        let before = advertiser.settings
        guard case .refused(let sentence)? = advertiser.handle(.set([.transmitPower(TransmitPower(1)), setting])).reply
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(sentence.hasPrefix(start))
        #expect(advertiser.settings == before)
    }

    @Test func nothingIsServed() {
        var advertiser = RawAdvertiser(RawAdvertiser.Configuration(advertisingData: []))
        #expect(advertiser.services.isEmpty)
        #expect(advertiser.read(.bit16(0x2A00), offset: 0) == .error(.readNotPermitted))
        #expect(advertiser.handle(.wrote(.bit16(0x2A00), offset: 0, value: [])) == .rejected(.writeNotPermitted))
        #expect(advertiser.handle(.connected(Bench.alice)).isEmpty)
    }
}
