// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

@Suite struct ANCSAccessoryTests {
    private static func accessory() -> ANCSAccessory { ANCSAccessory(ANCSAccessory.Configuration()) }

    @Test func advertisesNameAndSolicitation() {
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

    @Test func connectionIsSecuredAsSoonAsAPhoneConnects() {
        var accessory = Self.accessory()
        _ = accessory.handle(.poweredOn)
        #expect(accessory.handle(.connected(Bench.alice)) == [.advertise(nil), .request(.secure, of: Bench.alice)])
        let outputs = accessory.handle(.responseReceived(Bench.alice, .secure, .done))
        #expect(outputs.effects.count == 2)
        #expect(accessory.handle(.responseReceived(Bench.bob, .secure, .done)).isEmpty, "another central's response")
        #expect(accessory.handle(.disconnected(Bench.alice)) == [.advertise(accessory.advertisement)])
        #expect(accessory.handle(.notificationReceived(Bench.alice, 1, [1])).isEmpty)
    }

    @Test func secondPhoneIsDisconnected() {
        var accessory = Self.accessory()
        _ = accessory.handle(.connected(Bench.alice))
        let outputs = accessory.handle(.connected(Bench.bob))
        #expect(outputs.effects.first == .disconnect(Bench.bob))
        #expect(outputs.warningCodes == ["second-central"])
        #expect(accessory.handle(.disconnected(Bench.bob)).isEmpty)
    }

    @Test func actionNeedsAPhone() {
        var accessory = Self.accessory()
        let act = DeviceCommand("act", ["action": "positive", "notification": "1"])
        #expect(accessory.handle(.perform(act)) == .refused("no phone is connected"))
        _ = accessory.handle(.connected(Bench.alice))
        let outputs = accessory.handle(.perform(act))
        #expect(outputs == .refused("the phone sends no notifications"))
    }

    @Test(arguments: [
        DeviceCommand("act"), DeviceCommand("act", ["action": "perhaps", "notification": "1"]),
        DeviceCommand("act", ["action": "negative", "notification": "-1"]), DeviceCommand("sing"),
    ])
    func unknownCommandsAndInvalidArgumentsAreRefused(_ command: DeviceCommand) {
        var accessory = Self.accessory()
        #expect(accessory.commands.map(\.name) == ["act"])
        guard case .refused? = accessory.handle(.perform(command)).reply else {
            Issue.record("\(command) was performed")
            return
        }
    }

    @Test func onlyItsOwnSettingsAreAccepted() {
        var accessory = Self.accessory()
        #expect(accessory.handle(.set([.interval(AdvertisingInterval(160))])).reply == .done)
        #expect(accessory.settings.first == .interval(AdvertisingInterval(160)))
        for setting in [SettingValue.major(1), .interval(AdvertisingInterval(1))] {
            guard case .refused? = accessory.handle(.set([setting])).reply else {
                Issue.record("\(setting) was accepted")
                continue
            }
        }
    }

    @Test func modelNumberIsItsName() {
        var accessory = Self.accessory()
        let model = BluetoothUUID.bit16(0x2A24)
        #expect(accessory.read(model, offset: 0) == .value(Array("BOB".utf8)))
        #expect(accessory.read(model, offset: 4) == .error(.invalidOffset))
        #expect(accessory.handle(.wrote(model, offset: 0, value: [])) == .rejected(.writeNotPermitted))
    }
}
