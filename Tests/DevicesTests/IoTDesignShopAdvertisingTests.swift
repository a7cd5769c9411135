// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import TestSupport
import Testing

@Suite struct IoTDesignShopAdvertisingTests {
    @Test func factoryValuesAreAdvertised() {
        var beacon = Bench.beacon()
        let advertisement = beacon.advertisement
        #expect(beacon.handle(.poweredOn) == [.advertise(advertisement)])
        #expect(Hexadecimal.string(advertisement.advertisingData.serialized()) == Bench.factoryData)
        #expect(Hexadecimal.string(advertisement.scanResponse.serialized()) == "1107" + Bench.serviceBytes)
        #expect(advertisement.pdu == .connectableScannable)
        #expect(advertisement.interval == AdvertisingInterval(160))
        #expect(advertisement.transmitPower == nil)
        #expect(advertisement.address == nil)
        #expect(advertisement.problems.isEmpty)
    }

    @Test(
        arguments: [
            (nil, ""), ("", ""), ("IoT Beacon", "0b09496f5420426561636f6e"),
            ("Elevenbytes", "0c09456c6576656e6279746573"),
            ("Twelve bytes", "0c085477656c76652062797465"), ("0123456789ü", "0b0830313233343536373839"),
        ] as [(String?, String)])
    func nameStandsBehindTheService(_ name: String?, bytes: String) {
        let beacon = Bench.beacon(IoTDesignShopBeacon.Configuration(name: name))
        #expect(
            Hexadecimal.string(beacon.advertisement.scanResponse.serialized())
                == "1107" + Bench.serviceBytes + bytes)
        #expect(beacon.advertisement.problems.isEmpty)
    }

    @Test func profileValuesAreAdvertised() throws {
        let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
        let settings = IoTDesignShopSettings(
            uuid: UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"), major: 1, minor: 2, powerCode: 0,
            intervalTicks: 244, measuredPower: MeasuredPower(-29))
        let beacon = Bench.beacon(
            IoTDesignShopBeacon.Configuration(advertising: AdvertisingSettings(address: address)), settings: settings)
        let advertisement = beacon.advertisement
        #expect(
            Hexadecimal.string(advertisement.advertisingData.serialized())
                == "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002e3")
        // The service never changes, whatever the frame's UUID is.
        #expect(Hexadecimal.string(advertisement.scanResponse.serialized()) == "1107" + Bench.serviceBytes)
        #expect(advertisement.interval == AdvertisingInterval(244))
        #expect(advertisement.transmitPower == TransmitPower(-23))
        #expect(advertisement.address == address)
        #expect(
            beacon.settings == [
                .uuid(settings.uuid), .major(1), .minor(2), .measuredPower(MeasuredPower(-29)),
                .interval(AdvertisingInterval(244)), .transmitPower(TransmitPower(-23)),
            ])
    }

    @Test(
        arguments: [
            (0, 32), (1, 32), (31, 32), (16385, 16384), (32000, 16384), (48000, 16384), (65535, 16384),
        ] as [(UInt16, UInt32)])
    func impossibleIntervalIsStoredAndClamped(_ ticks: UInt16, radiated: UInt32) {
        var beacon = Bench.beacon()
        let value = Bench.transmit(power: 2, ticks: ticks)
        let outputs = beacon.write(value, to: Bench.transmitSettings)
        #expect(outputs.warningCodes == ["interval-clamped"])
        #expect(outputs.advertised == .some(beacon.advertisement))
        #expect(beacon.advertisement.interval == AdvertisingInterval(radiated))
        #expect(Hexadecimal.string(beacon.advertisement.advertisingData.serialized()) == Bench.factoryData)
        #expect(beacon.read(Bench.transmitSettings, offset: 0) == .value(value))
        #expect(beacon.settings.contains(.interval(AdvertisingInterval(UInt32(ticks)))))
        #expect(outputs.flash?.values["interval-ticks"] == .integer(Int(ticks)))
        #expect(beacon.handle(.poweredOn).warningCodes == ["interval-clamped"])
    }

    @Test(arguments: [32, 33, 160, 1600, 16383, 16384] as [UInt16], IoTDesignShopBeacon.BadIntervalPolicy.allCases)
    func possibleIntervalIsRadiated(_ ticks: UInt16, policy: IoTDesignShopBeacon.BadIntervalPolicy) {
        var beacon = Bench.beacon(IoTDesignShopBeacon.Configuration(badIntervalPolicy: policy))
        let outputs = beacon.write(Bench.transmit(power: 2, ticks: ticks), to: Bench.transmitSettings)
        #expect(outputs.warningCodes.isEmpty)
        #expect(beacon.advertisement.interval == AdvertisingInterval(UInt32(ticks)))
        #expect(Hexadecimal.string(beacon.advertisement.advertisingData.serialized()) == Bench.factoryData)
    }

    @Test(arguments: [0, 31, 16385, 65535] as [UInt16])
    func failedIntervalLeavesAWayToRepair(_ ticks: UInt16) throws {
        var beacon = Bench.beacon(
            IoTDesignShopBeacon.Configuration(name: "A name longer than eleven", badIntervalPolicy: .fail))
        let outputs = beacon.write(Bench.transmit(power: 1, ticks: ticks), to: Bench.transmitSettings)
        #expect(outputs.warningCodes == ["interval-failed"])
        let repair = try #require(outputs.advertised ?? nil)
        #expect(Hexadecimal.string(repair.advertisingData.serialized()) == "0201061107" + Bench.serviceBytes)
        #expect(repair.scanResponse.structures == [.localName("A name longer than eleven", isComplete: true)])
        #expect(repair.pdu == .connectableScannable)
        #expect(repair.interval == AdvertisingInterval(1600))
        #expect(repair.transmitPower == TransmitPower(-6))
        #expect(repair.problems.isEmpty)
        #expect(
            beacon.handle(.poweredOn) == DeviceResponse([.advertise(repair)] + outputs.effects.filter { $0.isWarning }))

        let repaired = beacon.write(Bench.transmit(power: 1, ticks: 160), to: Bench.transmitSettings)
        #expect(repaired.warningCodes.isEmpty)
        #expect(Hexadecimal.string(beacon.advertisement.advertisingData.serialized()) == Bench.factoryData)
    }

    @Test(arguments: [(0, -23), (1, -6), (2, 0)] as [(UInt16, Int8)])
    func powerCodeMeansAPower(_ code: UInt16, power: Int8) {
        var beacon = Bench.beacon()
        let outputs = beacon.write(Bench.transmit(power: code, ticks: 160), to: Bench.transmitSettings)
        #expect(outputs.warningCodes.isEmpty)
        #expect(beacon.advertisement.transmitPower == TransmitPower(power))
        #expect(IoTDesignShop.TransmitSettings.powerCode(of: TransmitPower(power)) == code)
    }

    @Test(arguments: [3, 4, 255, 256, 65535] as [UInt16])
    func unknownPowerCodeKeepsTheLastValidOne(_ code: UInt16) throws {
        var beacon = Bench.beacon()
        let untouched = beacon.write(Bench.transmit(power: code, ticks: 160), to: Bench.transmitSettings)
        #expect(untouched.warningCodes == ["power-code-unknown"])
        #expect(beacon.advertisement.transmitPower == nil)

        _ = beacon.write(Bench.transmit(power: 1, ticks: 160), to: Bench.transmitSettings)
        let value = Bench.transmit(power: code, ticks: 160)
        let outputs = beacon.write(value, to: Bench.transmitSettings)
        #expect(outputs.warningCodes == ["power-code-unknown"])
        #expect(beacon.advertisement.transmitPower == TransmitPower(-6))
        #expect(beacon.read(Bench.transmitSettings, offset: 0) == .value(value))

        var restored = Bench.beacon()
        try restored.restore(from: try #require(outputs.flash))
        #expect(restored.advertisement == beacon.advertisement)
        #expect(restored.read(Bench.transmitSettings, offset: 0) == .value(value))
    }

    @Test func bothTransmitFaultsAreReported() {
        var beacon = Bench.beacon()
        let outputs = beacon.write(Bench.transmit(power: 9, ticks: 0), to: Bench.transmitSettings)
        #expect(outputs.warningCodes == ["interval-clamped", "power-code-unknown"])
    }

    @Test(arguments: [(nil, -40), (2, -40), (1, -59), (0, -82)] as [(UInt16?, Int8)])
    func measuredPowerFollowsTheRadiatedPower(_ code: UInt16?, measured: Int8) {
        let map = [TransmitPower(0): MeasuredPower(-40), TransmitPower(-23): MeasuredPower(-82)]
        let beacon = Bench.beacon(
            IoTDesignShopBeacon.Configuration(measuredPowers: map), settings: IoTDesignShopSettings(powerCode: code))
        #expect(
            beacon.advertisement.advertisingData.serialized().last == UInt8(bitPattern: measured))
        // What is stored is not touched by the map.
        #expect(beacon.settings.contains(.measuredPower(MeasuredPower(-59))))
    }
}

extension DeviceEffect {
    fileprivate var isWarning: Bool { if case .warn = self { true } else { false } }
}
