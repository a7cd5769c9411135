// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import TestTraits
import Testing

/// Devices that are described instead of programmed: UUIDs from a base, typed values, and two clients made of them.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct DescriptionTests {
    @Test(arguments: [
        (0 as UInt64, "2173E519-9155-4862-AB64-7953AB146156"), (3, "2173E519-9155-4862-AB64-7953AB146159"),
        (0xAA, "2173E519-9155-4862-AB64-7953AB146200"), (.max, "2173E519-9155-4863-AB64-7953AB146155"),
    ])
    func uuidsAreCounted(offset: UInt64, expected: String) {
        let base: BaseUUID = "2173E519-9155-4862-AB64-7953AB146156"
        #expect(base.adding(offset).description == expected)
    }

    @Test func baseUUIDsWrapAround() {
        let last: BaseUUID = "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"
        #expect(last.adding(1).description == "00000000-0000-0000-0000-000000000000")
    }

    @Test func numbersAreInserted() {
        let sensorTag: BaseUUID = "F0000000-0451-4000-B000-000000000000"
        #expect(sensorTag.inserting(0xAA01).description == "F000AA01-0451-4000-B000-000000000000")
        let bluetooth: BaseUUID = "00000000-0000-1000-8000-00805F9B34FB"
        #expect(bluetooth.inserting(0x180F) == .bit16(0x180F))
    }

    /// Expects a codec to accept and produce exactly these bytes.
    private static func check<Value: Equatable>(
        _ codec: ValueCodec<Value>, _ value: Value, _ octets: [UInt8], refused: [[UInt8]]
    ) throws {
        #expect(codec.encode(value) == octets)
        #expect(try codec.decode(octets) == value)
        for other in refused { #expect(throws: WireError.self) { _ = try codec.decode(other) } }
    }

    @Test func codecsParseAndSerialize() throws {
        try Self.check(.uint8, 0xFF, [0xFF], refused: [[], [1, 2]])
        try Self.check(.percentage, 100, [100], refused: [[], [101], [1, 2]])
        try Self.check(.uint16, 0x1234, [0x34, 0x12], refused: [[], [1], [1, 2, 3]])
        try Self.check(ValueCodec<Int32>.littleEndian, -2, [0xFE, 0xFF, 0xFF, 0xFF], refused: [[], [1, 2, 3]])
        try Self.check(.text, "Grüße", Array("Grüße".utf8), refused: [[0xFF], [0xC3]])
        #expect(try ValueCodec.text.decode([0x41, 0x42, 0, 0]) == "AB")
        #expect(try ValueCodec.text.decode([0, 0]) == "" && ValueCodec.text.decode([]) == "")
        try Self.check(.octets, [1, 2, 3], [1, 2, 3], refused: [])
        let uuid = UUID128("2173E519-9155-4862-AB64-7953AB146156")
        try Self.check(
            .uuidInTextOrder, uuid, uuid.octets, refused: [[], Array(uuid.octets.dropLast()), uuid.octets + [0]])
        try Self.check(
            ValueCodec<IoTDesignShopService.TransmitSettings>.wire,
            IoTDesignShopService.TransmitSettings(powerCode: 2, interval: AdvertisingInterval(160)), [2, 0, 0xA0, 0],
            refused: [[], [2], [2, 0, 0xA0], [2, 0, 0xA0, 0, 0]])
    }

    // MARK: - The clients

    private static let beaconServices = [
        GATTService(
            uuid: IoTDesignShopService.uuid,
            characteristics: [0x57, 0x58, 0x59].compactMap { last in
                UUID128("2173E519-9155-4862-AB64-7953AB1461\(String(last, radix: 16))").map {
                    GATTCharacteristic(uuid: .bit128($0), properties: [.read, .write])
                }
            })
    ]

    private static func settings(_ major: UInt16, interval: UInt32 = 160) throws -> IoTDesignShopClient.Settings {
        IoTDesignShopClient.Settings(
            uuid: UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"),
            numbers: IoTDesignShopService.MajorMinor(major: major, minor: 40_000),
            transmit: IoTDesignShopService.TransmitSettings(powerCode: 1, interval: AdvertisingInterval(interval)))
    }

    /// A beacon on the air, with its factory settings.
    private static func withBeacon(
        _ body: (Stage, _ characteristics: [BluetoothUUID]) async throws -> Void
    ) async throws {
        let uuids = beaconServices[0].characteristics.map(\.uuid)
        try await Stage.with(services: beaconServices) { stage in
            stage.peer[uuids[0]] = UUID128("2173E519-9155-4862-AB64-7953AB146156").octets
            stage.peer[uuids[1]] = [1, 0, 1, 0]
            stage.peer[uuids[2]] = [2, 0, 0xA0, 0]
            try await body(stage, uuids)
        }
    }

    @Test func beaconIsConfigured() async throws {
        try await Self.withBeacon { stage, uuids in
            let client = try await IoTDesignShopClient(stage.peripheral)
            let before = try await client.read()
            #expect(before.numbers == IoTDesignShopService.MajorMinor(major: 1, minor: 1))
            #expect(before.transmit.transmitPower == TransmitPower(0))
            #expect(before.transmit.interval.duration == .milliseconds(100))
            let wanted = try Self.settings(0x1234, interval: 48_000)
            #expect(try await client.write(wanted) == before)
            #expect(try await client.read() == wanted)
            #expect(stage.peer[uuids[0]] == wanted.uuid.octets)
            #expect(stage.peer[uuids[1]] == [0x34, 0x12, 0x40, 0x9C])
            #expect(stage.peer[uuids[2]] == [1, 0, 0x80, 0xBB])
            let writes = stage.peer.received.count { $0.first == 0x12 }
            #expect(writes == 3)
            try await client.write(wanted)
            #expect(stage.peer.received.count { $0.first == 0x12 } == writes)
            await client.close()
            #expect(!client.peripheral.isConnected)
        }
    }

    @Test func differingValueAfterAWriteIsDetected() async throws {
        try await Self.withBeacon { stage, uuids in
            let client = try await IoTDesignShopClient(stage.peripheral)
            stage.peer.follow { pdu in pdu.first == 0x12 ? .these([[0x13]]) : .asUsual }
            var wanted = try await client.read()
            wanted.numbers.major = 2
            await expect(.notAsWritten("02000100 was written and 01000100 is read back")) {
                try await client.write(wanted)
            }
            stage.peer.behave()
            try await client.write(wanted)
            #expect(stage.peer[uuids[1]] == [2, 0, 1, 0])
        }
    }

    @Test func malformedValueIsRefused() async throws {
        try await Self.withBeacon { stage, uuids in
            let client = try await IoTDesignShopClient(stage.peripheral)
            stage.peer[uuids[2]] = [2, 0, 0xA0]
            await expect(
                .invalidValue("its value 0200a0 is not as described (byte 2: 2 more bytes expected, 1 left)")
            ) {
                _ = try await client.read()
            }
        }
    }

    @Test func deviceOfAnotherKindIsDisconnected() async throws {
        try await Stage.with { stage in
            await expect(.notFound("service 180F")) { _ = try await BatteryClient(stage.peripheral) }
            #expect(await stage.peripheral.state == .disconnected(.requested))
        }
    }

    @Test func batteryIsWatched() async throws {
        let services = [
            GATTService(
                uuid: BatteryService.uuid,
                characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .notify])]),
            GATTService(
                uuid: DeviceInformationService.uuid,
                characteristics: [GATTCharacteristic(uuid: .bit16(0x2A29), properties: [.read])]),
        ]
        try await Stage.with(services: services) { stage in
            stage.peer[.bit16(0x2A19)] = [80]
            stage.peer[.bit16(0x2A29)] = Array("Bluegiga\0".utf8)
            let client = try await BatteryClient(stage.peripheral)
            #expect(try await client.level() == 80)
            #expect(try await client.manufacturer() == "Bluegiga")
            var levels = try client.levels().makeAsyncIterator()
            let handle = stage.peer.handle(of: .bit16(0x2A19)).serialized()
            stage.peer.follow { pdu in
                pdu.first == 0x12 ? .usualAnd([79, 200, 78].map { [0x1B] + handle + [$0] }) : .asUsual
            }
            #expect(try await levels.next() == 79)
            await #expect(throws: CentralError.self) { _ = try await levels.next() }
            #expect(try await levels.next() == 78)
            let information = try await client.peripheral.discover(DeviceInformationService.self)
            #expect(throws: CentralError.self) { _ = try information.characteristic(\.serialNumber) }
        }
    }
}
