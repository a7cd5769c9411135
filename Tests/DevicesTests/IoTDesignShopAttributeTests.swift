// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import TestSupport
import Testing

@Suite struct IoTDesignShopAttributeTests {
    @Test func serviceIsTheMakers() {
        #expect(Bench.beacon().services == [IoTDesignShopBeacon.service])
        let service = IoTDesignShopBeacon.service
        #expect(service.uuid.description == "2173E519-9155-4862-AB64-7953AB146156")
        #expect(
            service.characteristics.map(\.uuid.description) == [
                "2173E519-9155-4862-AB64-7953AB146157", "2173E519-9155-4862-AB64-7953AB146158",
                "2173E519-9155-4862-AB64-7953AB146159",
            ])
        #expect(service.characteristics.allSatisfy { $0.properties == [.read, .write] })
        #expect(CharacteristicProperties([.read, .write]).rawValue == 0x0A)
    }

    private static let factoryValues = [
        (Bench.uuid, "2173e51991554862ab647953ab146156"), (Bench.majorMinor, "01000100"),
        (Bench.transmitSettings, "0200a000"),
    ]

    @Test(arguments: factoryValues)
    func valueIsReadFromEveryOffset(_ characteristic: BluetoothUUID, text: String) throws {
        let value = try Hexadecimal.bytes(text)
        let beacon = Bench.beacon()
        for offset in 0...value.count {
            #expect(beacon.read(characteristic, offset: offset) == .value(Array(value[offset...])))
        }
        for offset in [value.count + 1, 512, Int.max, -1, Int.min] {
            #expect(beacon.read(characteristic, offset: offset) == .error(.invalidOffset))
        }
    }

    @Test(arguments: [
        (Bench.uuid, "e2c56db5dffb48d2b060d0f5a71096e0", "e2c56db5dffb48d2b060d0f5a71096e000010001c5"),
        (Bench.uuid, "00000000000000000000000000000000", "0000000000000000000000000000000000010001c5"),
        (Bench.majorMinor, "34127856", "2173e51991554862ab647953ab14615612345678c5"),
        (Bench.majorMinor, "ffff0000", "2173e51991554862ab647953ab146156ffff0000c5"),
        (Bench.majorMinor, "409c0000", "2173e51991554862ab647953ab1461569c400000c5"),
        (Bench.transmitSettings, "02004006", "2173e51991554862ab647953ab14615600010001c5"),
    ])
    func writeIsKeptThenAcknowledgedThenRadiated(
        _ characteristic: BluetoothUUID, text: String, frame: String
    ) throws {
        let value = try Hexadecimal.bytes(text)
        var beacon = Bench.beacon()
        let outputs = beacon.handle(.wrote(characteristic, offset: 0, value: value))
        let image = try #require(outputs.flash)
        #expect(outputs == .done([.advertise(beacon.advertisement)], flash: image))
        #expect(Hexadecimal.string(beacon.advertisement.advertisingData.serialized()) == "0201061aff4c000215" + frame)
        #expect(beacon.read(characteristic, offset: 0) == .value(value))
        for (other, present) in Self.factoryValues where other != characteristic {
            #expect(beacon.read(other, offset: 0) == .value(try Hexadecimal.bytes(present)))
        }

        var restored = Bench.beacon()
        try restored.restore(from: image)
        #expect(restored.advertisement == beacon.advertisement)
    }

    @Test(arguments: factoryValues)
    func otherLengthIsRefused(_ characteristic: BluetoothUUID, text: String) throws {
        let length = text.count / 2
        for count in [0, 1, length - 1, length + 1, 512] {
            var beacon = Bench.beacon()
            let outputs = beacon.handle(
                .wrote(characteristic, offset: 0, value: [UInt8](repeating: 7, count: count)))
            #expect(outputs == .rejected(.invalidAttributeValueLength), "\(count)")
            #expect(beacon.advertisement == Bench.beacon().advertisement)
            #expect(beacon.read(characteristic, offset: 0) == .value(try Hexadecimal.bytes(text)))
        }
        #expect(ATTError.invalidAttributeValueLength.rawValue == 0x0D)
    }

    @Test(arguments: factoryValues)
    func writeAtAnOffsetReplacesTheEnd(_ characteristic: BluetoothUUID, text: String) throws {
        let present = try Hexadecimal.bytes(text)
        for offset in 0...present.count {
            let end = [UInt8](repeating: 1, count: present.count - offset)
            var beacon = Bench.beacon()
            let outputs = beacon.handle(.wrote(characteristic, offset: offset, value: end))
            #expect(outputs.reply == .done)
            #expect(beacon.read(characteristic, offset: 0) == .value(present[..<offset] + end))
            var other = Bench.beacon()
            #expect(
                other.handle(.wrote(characteristic, offset: offset, value: end + [1]))
                    == .rejected(.invalidAttributeValueLength))
        }
        for offset in [present.count + 1, Int.max, -1] {
            var beacon = Bench.beacon()
            #expect(beacon.handle(.wrote(characteristic, offset: offset, value: [])) == .rejected(.invalidOffset))
        }
        #expect(ATTError.invalidOffset.rawValue == 0x07)
    }

    @Test(arguments: [BluetoothUUID.bit16(0x2A00), .bit128(IoTDesignShop.service)])
    func otherCharacteristicsAreRefused(_ characteristic: BluetoothUUID) {
        var beacon = Bench.beacon()
        #expect(beacon.read(characteristic, offset: 0) == .error(.readNotPermitted))
        #expect(beacon.handle(.wrote(characteristic, offset: 0, value: [1])) == .rejected(.writeNotPermitted))
        #expect(ATTError.readNotPermitted.rawValue == 0x02)
        #expect(ATTError.writeNotPermitted.rawValue == 0x03)
    }

    /// What the maker's app does: it reads every characteristic, and saves all three.
    @Test func makersAppConfiguresIt() throws {
        var beacon = Bench.beacon()
        var acknowledgements = 0
        #expect(beacon.handle(.connected(Bench.alice)) == [.advertise(nil)])
        for characteristic in IoTDesignShopBeacon.service.characteristics {
            let outputs = beacon.read(characteristic.uuid, offset: 0)
            #expect(throws: Never.self) { try outputs.value.get() }
        }
        for (characteristic, value) in [
            (Bench.uuid, "b9407f30f5f8466eaff925556b57fe6d"), (Bench.majorMinor, "02000300"),
            (Bench.transmitSettings, "01004006"),
        ] {
            let outputs = beacon.write(try Hexadecimal.bytes(value), to: characteristic)
            acknowledgements += outputs.reply == .done ? 1 : 0
            #expect(outputs.advertised == .some(nil))
        }
        #expect(acknowledgements == 3)
        #expect(beacon.handle(.disconnected(Bench.alice)) == [.advertise(beacon.advertisement)])
        #expect(
            Hexadecimal.string(beacon.advertisement.advertisingData.serialized())
                == "0201061aff4c000215b9407f30f5f8466eaff925556b57fe6d00020003c5")
        #expect(beacon.advertisement.interval == AdvertisingInterval(1600))
        #expect(beacon.advertisement.transmitPower == TransmitPower(-6))
    }
}
