// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

@Suite struct IoTDesignShopSettingTests {
    @Test func allSettingsAreTakenAtOnce() throws {
        let uuid = UUID128("B9407F30-F5F8-466E-AFF9-25556B57FE6D")
        let settings: [SettingValue] = [
            .uuid(uuid), .major(2), .minor(3), .measuredPower(MeasuredPower(-70)), .interval(AdvertisingInterval(1600)),
            .transmitPower(TransmitPower(-23)),
        ]
        var beacon = Bench.beacon()
        let outputs = beacon.handle(.set(settings))
        #expect(beacon.settings == settings)
        let image = try #require(outputs.flash)
        #expect(outputs == .done([.advertise(beacon.advertisement)], flash: image))
        #expect(beacon.read(Bench.transmitSettings, offset: 0) == .value([0, 0, 0x40, 0x06]))
        #expect(beacon.read(Bench.majorMinor, offset: 0) == .value([2, 0, 3, 0]))
    }

    @Test(
        arguments: [
            [.interval(AdvertisingInterval(65536))], [.interval(AdvertisingInterval(.max))],
            [.transmitPower(TransmitPower(4))], [.transmitPower(TransmitPower(-5))],
            [.major(9), .interval(AdvertisingInterval(65536))],
            [.minor(9), .transmitPower(TransmitPower(1)), .major(9)],
        ] as [[SettingValue]])
    func refusedSettingLeavesAllAsItWas(_ settings: [SettingValue]) {
        var beacon = Bench.beacon()
        let outputs = beacon.handle(.set(settings))
        #expect(outputs.effects.isEmpty)
        guard case .refused(let sentence)? = outputs.reply else {
            Issue.record("\(outputs) is no refusal")
            return
        }
        let keys = settings.map(\.key)
        #expect(keys.contains { sentence.hasPrefix("\($0): ") }, "\(sentence)")
        #expect(beacon.settings == Bench.beacon().settings)
        #expect(beacon.advertisement == Bench.beacon().advertisement)
    }

    @Test func standardPowerIsReadAsThatOfTheFactory() {
        var beacon = Bench.beacon()
        _ = beacon.handle(.set([.transmitPower(TransmitPower(-6))]))
        let outputs = beacon.handle(.set([.transmitPower(nil)]))
        #expect(outputs.reply == .done)
        #expect(beacon.advertisement.transmitPower == nil)
        #expect(beacon.read(Bench.transmitSettings, offset: 0) == .value([2, 0, 0xA0, 0]))
    }

    @Test func impossibleIntervalIsStoredHereToo() {
        var beacon = Bench.beacon()
        let outputs = beacon.handle(.set([.interval(AdvertisingInterval(0))]))
        #expect(outputs.warningCodes == ["interval-clamped"])
        #expect(beacon.read(Bench.transmitSettings, offset: 0) == .value([2, 0, 0, 0]))
    }

    @Test func noSettingsAreNoChange() {
        var beacon = Bench.beacon()
        #expect(beacon.handle(.set([] as [SettingChange])).reply == .done)
        #expect(beacon.settings == Bench.beacon().settings)
    }

    @Test(
        arguments: [
            (.uuid(IoTDesignShop.service), "uuid"), (.major(1), "major"), (.minor(1), "minor"),
            (.measuredPower(MeasuredPower(0)), "measured-power"), (.interval(AdvertisingInterval(1)), "interval"),
            (.transmitPower(nil), "tx-power"),
        ] as [(SettingValue, String)])
    func settingsHaveTheProfilesKeys(_ setting: SettingValue, key: String) {
        #expect(setting.key == key)
    }
}
