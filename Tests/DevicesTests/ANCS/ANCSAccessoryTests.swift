// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import Devices
import Testing

@Suite struct ANCSAccessoryTests {
    private static func accessory() -> ANCSAccessory { ANCSAccessory(ANCSAccessory.Configuration()) }

    @Test func bookIsAdvertisedToTheOctet() {
        var accessory = Self.accessory()
        let advertisement = accessory.advertisement
        #expect(accessory.handle(.poweredOn) == [.advertise(advertisement)])
        #expect(
            Hexadecimal.string(advertisement.advertisingData.serialized())
                == "0201020409424f421115d0002d121e4b0fa4994eceb531f40579")
        #expect(advertisement.pdu == .connectableScannable)
        #expect(advertisement.problems.isEmpty)
    }

    @Test func longNameIsShortened() {
        var configuration = ANCSAccessory.Configuration()
        configuration.name = "Eight letters"
        let advertisement = ANCSAccessory(configuration).advertisement
        #expect(advertisement.advertisingData.localName == "Eight le")
        #expect(advertisement.problems.isEmpty)
    }

    @Test func phoneIsAskedAsSoonAsItConnects() {
        var accessory = Self.accessory()
        _ = accessory.handle(.poweredOn)
        #expect(accessory.handle(.connected(Bench.alice)) == [.advertise(nil), .ask(.secure, of: Bench.alice)])
        let outputs = accessory.handle(.asked(Bench.alice, .secure, .done))
        #expect(outputs.count == 2)
        #expect(accessory.handle(.asked(Bench.bob, .secure, .done)).isEmpty, "another central's answer")
        #expect(accessory.handle(.disconnected(Bench.alice)) == [.advertise(accessory.advertisement)])
        #expect(accessory.handle(.told(Bench.alice, 1, [1])).isEmpty)
    }

    @Test func secondPhoneMustGo() {
        var accessory = Self.accessory()
        _ = accessory.handle(.connected(Bench.alice))
        let outputs = accessory.handle(.connected(Bench.bob))
        #expect(outputs.first == .disconnect(Bench.bob))
        #expect(outputs.warningCodes == ["second-central"])
        #expect(accessory.handle(.disconnected(Bench.bob)).isEmpty)
    }

    @Test func actionNeedsAPhone() {
        var accessory = Self.accessory()
        #expect(accessory.handle(.perform(.act(.positive, notification: 1))) == [.refuse("no phone is connected")])
        _ = accessory.handle(.connected(Bench.alice))
        let outputs = accessory.handle(.perform(.act(.positive, notification: 1)))
        #expect(outputs == [.refuse("no phone is connected that tells its notifications")])
    }

    @Test func settingsThatItHas() {
        var accessory = Self.accessory()
        #expect(accessory.handle(.set([.interval(AdvertisingInterval(160))])).first == .acknowledge)
        #expect(accessory.settings.first == .interval(AdvertisingInterval(160)))
        for setting in [DeviceSetting.major(1), .interval(AdvertisingInterval(1))] {
            guard case .refuse = accessory.handle(.set([setting])).first else {
                Issue.record("\(setting) was taken")
                continue
            }
        }
    }

    @Test func nameIsRead() {
        var accessory = Self.accessory()
        let model = BluetoothUUID.bit16(0x2A24)
        #expect(accessory.handle(.read(model, offset: 0)) == [.respond(Array("BOB".utf8))])
        #expect(accessory.handle(.read(model, offset: 4)) == [.reject(.invalidOffset)])
        #expect(accessory.handle(.wrote(model, offset: 0, value: [])) == [.reject(.writeNotPermitted)])
    }
}
