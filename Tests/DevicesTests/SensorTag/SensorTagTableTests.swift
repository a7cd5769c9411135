// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

/// The attribute table of each firmware, with the handles that clients expect.
@Suite struct SensorTagTableTests {
    /// The handles of services and values: counted, with a client configuration for each value that can be notified.
    private static func valueHandles(_ configuration: SensorTag.Configuration) -> [BluetoothUUID: Int] {
        var handle = 0
        var handles: [BluetoothUUID: Int] = [:]
        for service in SensorTag(configuration).services {
            handle += 1
            handles[service.uuid] = handle
            for characteristic in service.characteristics {
                handle += 2
                handles[characteristic.uuid] = handle
                let declares = characteristic.descriptors.contains { $0.uuid == .clientCharacteristicConfiguration }
                let notifies = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
                handle += characteristic.descriptors.count + (notifies && !declares ? 1 : 0)
            }
        }
        return handles
    }

    private static let classic: [(UInt16, Int)] = [
        (0xAA00, 0x23), (0xAA01, 0x25), (0xAA02, 0x29), (0xAA10, 0x2B), (0xAA11, 0x2D), (0xAA12, 0x31), (0xAA13, 0x34),
        (0xAA20, 0x36), (0xAA21, 0x38), (0xAA22, 0x3C), (0xAA30, 0x3E), (0xAA31, 0x40), (0xAA32, 0x44), (0xAA33, 0x47),
        (0xAA40, 0x49), (0xAA41, 0x4B), (0xAA42, 0x4F), (0xAA43, 0x52), (0xAA50, 0x55), (0xAA51, 0x57), (0xAA52, 0x5B),
        (0xAA60, 0x62), (0xAA61, 0x64), (0xAA62, 0x67),
    ]

    @Test func version13EndsWithTheTestService() {
        let handles = Self.valueHandles(SensorTag.Configuration(firmware: .version13))
        for (number, handle) in Self.classic { #expect(handles[SensorTagWire.uuid(number)] == handle) }
        #expect(handles[SensorTagWire.keys] == 0x5F)
        #expect(handles[SensorTagWire.connectionService] == nil)
        #expect(handles[SensorTagWire.imageService] == nil)
        #expect(handles.values.max() == 0x67)
    }

    @Test func version14AddsTwoServices() {
        let handles = Self.valueHandles(SensorTag.Configuration(firmware: .version14))
        for (number, handle) in Self.classic { #expect(handles[SensorTagWire.uuid(number)] == handle) }
        for (number, handle) in [(0xCCC0, 0x69), (0xCCC1, 0x6B), (0xCCC2, 0x6F), (0xCCC3, 0x72)] as [(UInt16, Int)] {
            #expect(handles[SensorTagWire.uuid(number)] == handle)
        }
        for (number, handle) in [(0xFFC0, 0x74), (0xFFC1, 0x76), (0xFFC2, 0x7A)] as [(UInt16, Int)] {
            #expect(handles[SensorTagWire.uuid(number)] == handle)
        }
    }

    /// Each added period moves the handles after it; the barometer's period precedes the calibration.
    @Test func version15HasAPeriodForEachSensor() {
        let handles = Self.valueHandles(SensorTag.Configuration(firmware: .version15))
        let known: [(UInt16, Int)] = [
            (0xAA01, 0x25), (0xAA11, 0x30), (0xAA21, 0x3B), (0xAA31, 0x46), (0xAA41, 0x51), (0xAA43, 0x5B),
            (0xAA51, 0x60),
        ]
        for (number, handle) in known { #expect(handles[SensorTagWire.uuid(number)] == handle) }
        for number in [0xAA03, 0xAA13, 0xAA23, 0xAA33, 0xAA44, 0xAA53] as [UInt16] {
            #expect(handles[SensorTagWire.uuid(number)] != nil)
        }
    }

    @Test(arguments: SensorTagFirmware.allCases)
    func imageServiceIsIndependentOfTheFirmware(_ firmware: SensorTagFirmware) {
        for hasImageService in [true, false] {
            let handles = Self.valueHandles(
                SensorTag.Configuration(firmware: firmware, hasImageService: hasImageService))
            #expect((handles[SensorTagWire.imageService] != nil) == hasImageService)
        }
    }

    @Test func keysCannotBeRead() {
        #expect(SensorTagBench().read(SensorTagWire.keys) == .error(.readNotPermitted))
    }

    @Test(
        arguments: [
            (0x2A00, "544920424c452053656e736f7220546167"), (0x2A01, "0000"), (0x2A02, "00"),
            (0x2A04, "5000a0000000e803"),
            (0x2A23, "ff306400004c99b4"), (0x2A24, "4e2e412e00"), (0x2A25, "4e2e412e00"),
            (0x2A26, "312e3420284a756c20313220323031332900"), (0x2A27, "4e2e412e00"), (0x2A28, "4e2e412e00"),
            (0x2A29, "546578617320496e737472756d656e747300"), (0x2A2A, "fe006578706572696d656e74616c"),
            (0x2A50, "010d0000001001"),
        ] as [(UInt16, String)])
    func deviceInformationEqualsTheHardware(_ number: UInt16, text: String) {
        let address = BluetoothAddress("B4:99:4C:64:30:FF")
        let bench = SensorTagBench(
            SensorTag.Configuration(firmware: .version14, advertising: AdvertisingSettings(address: address)))
        #expect(bench.value(of: .bit16(number)).map(Hexadecimal.string) == text)
    }

    @Test func systemIdentifierContainsTheAddress() {
        let bench = SensorTagBench(
            SensorTag.Configuration(advertising: AdvertisingSettings(address: BluetoothAddress("C0:FF:EE:00:01:02"))))
        #expect(bench.value(of: .bit16(0x2A23)) == [0x02, 0x01, 0x00, 0, 0, 0xEE, 0xFF, 0xC0])
    }

    @Test(arguments: zip(SensorTagFirmware.allCases, ["1.3 (", "1.4 (Jul 12 2013)", "1.5 (Oct 23 2013)"]))
    func firmwareRevisionNamesTheVersion(_ firmware: SensorTagFirmware, text: String) throws {
        let bench = SensorTagBench(SensorTag.Configuration(firmware: firmware))
        let value = try #require(bench.value(of: .bit16(0x2A26)))
        #expect(value.starts(with: Array(text.utf8)) && value.last == 0)
    }

    @Test func longValuesAreReadInParts() {
        let bench = SensorTagBench()
        #expect(bench.read(.bit16(0x2A29), offset: 6) == .value(Array("Instruments\0".utf8)))
        #expect(bench.read(.bit16(0x2A29), offset: 18) == .value([]))
        #expect(bench.read(.bit16(0x2A29), offset: 19) == .error(.invalidOffset))
        #expect(bench.read(SensorTagSensor.barometer.data, offset: 1) == .error(.attributeNotLong))
        #expect(bench.read(SensorTagWire.calibration, offset: 16) == .error(.attributeNotLong))
    }
}
