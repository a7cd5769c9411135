// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import TestSupport
import Testing

@testable import ESPHomeProxy

/// Messages and their frames, against those of aioesphomeapi 46.23.0 (`make_plain_text_packets`).
@Suite struct MessageTests {
    private static let device: UInt64 = 0xC0FF_EE00_0001

    private static func channel() throws -> MessageChannel {
        MessageChannel(key: nil, name: "kitchen", address: try #require(BluetoothAddress("06:BE:AC:01:02:03")))
    }

    @Test(
        arguments: [
            (
                "0013010a0d61696f657370686f6d656170691001180a",
                ClientMessage.hello(info: "aioesphomeapi", major: 1, minor: 10)
            ),
            ("000003", .authentication),
            ("000e4408818080f0fe9f30100518012001", .device(device, .connect, isRandom: true)),
            ("000a4408818080f0fe9f301001", .device(device, .disconnect, isRandom: false)),
            ("0002420801", .subscribeAdvertisements),
            ("00114b08818080f0fe9f30101218012203010203", .write(device, handle: 18, [1, 2, 3], withResponse: true)),
            ("000e4d08818080f0fe9f3010131a020100", .writeDescriptor(device, handle: 19, [1, 0])),
            ("000c4e08818080f0fe9f3010121801", .notify(device, handle: 18, isOn: true)),
            (
                "000f910108818080f0fe9f301006180c289003",
                .connectionParameters(
                    device,
                    ClientMessage.ParameterRequest(minimumInterval: 6, maximumInterval: 12, latency: 0, timeout: 400))
            ),
            ("00027f0801", .scannerMode(isActive: true)),
            ("000b4908818080f0fe9f3010ac02", .read(device, handle: 300)),
            ("000009", .deviceInfo), ("00009501", .capabilities), ("000057", .unsubscribeAdvertisements),
            ("000005", .disconnect), ("000006", .disconnected), ("000007", .ping), ("000008", .pong),
        ])
    func clientMessagesAreRead(_ frame: String, _ message: ClientMessage) throws {
        var channel = try Self.channel()
        channel.append(try Hexadecimal.bytes(frame))
        guard case .message(let type, let body)? = channel.next() else {
            Issue.record("there is no message")
            return
        }
        #expect(try ClientMessage(type: type, body: body) == message)
        #expect(channel.next() == nil)
        // What is written is the same, except that connecting is always by address.
        let written = channel.frame(type: message.type, body: message.body)
        #expect(Hexadecimal.string(try #require(written)).lowercased() == frame)
    }

    @Test func otherMessagesAreIgnored() throws {
        #expect(try ClientMessage(type: 20, body: []) == .ignored(type: 20))
        #expect(try ClientMessage(type: 9999, body: [0x08, 0x01]) == .ignored(type: 9999))
        // A request of clients before 2022.
        #expect(try ClientMessage(type: 68, body: [0x08, 0x01]) == .ignored(type: 68))
    }

    @Test func fieldsOfAnotherTypeAreZero() throws {
        // Field 1 as bytes, field 2 with 32 bits, field 3 with 64 bits.
        let body: [UInt8] = [0x0A, 0x01, 0x61, 0x15, 1, 2, 3, 4, 0x19, 1, 2, 3, 4, 5, 6, 7, 8]
        #expect(try ClientMessage(type: 78, body: body) == .notify(0, handle: 0, isOn: false))
    }

    @Test(arguments: [
        "08",  // no value
        "0880",  // no end
        "0a05616263",  // shorter than its length
        "0b",  // a group
        "0001",  // field 0
        "08ffffffffffffffffffff01",  // eleven bytes
        "0affffffffffffffffff01",  // a length beyond 63 bits
    ])
    func malformedBodiesAreRefused(_ body: String) throws {
        #expect(throws: WireError.self) { try ClientMessage(type: 1, body: Hexadecimal.bytes(body)) }
    }

    private static let identity = ProxyIdentity(
        name: "Kitchen", address: BluetoothAddress("06:BE:AC:01:02:03") ?? .zero, isEncrypted: true)
    private static let battery = DiscoveredService(
        RemoteService(uuid: .bit16(0x180F), handles: AttributeHandle(16)...AttributeHandle(20)),
        [
            DiscoveredService.Characteristic(
                RemoteCharacteristic(
                    uuid: .bit16(0x2A19), properties: [.read, .notify], declaration: AttributeHandle(17),
                    value: AttributeHandle(18), end: AttributeHandle(20)),
                [RemoteDescriptor(uuid: .bit16(0x2902), handle: AttributeHandle(19))])
        ])
    private static let bare = DiscoveredService(battery.service, [])
    private static let configuration = DiscoveredService(
        RemoteService(
            uuid: BluetoothUUID("2173e519-9155-4862-ab64-7953ab146156"),
            handles: AttributeHandle(1)...AttributeHandle(3)), [])
    private static let entries = [
        Sighting(
            device: RemoteAddress(BluetoothAddress(number: device) ?? .zero, isRandom: true),
            pdu: .connectableScannable, data: [2, 1, 6], rssi: RSSI(-59)),
        Sighting(
            device: RemoteAddress(BluetoothAddress(number: 0x0011_2233_4455) ?? .zero, isRandom: false),
            pdu: .scanResponse, data: [], rssi: RSSI(-127)),
    ].compactMap(AdvertisementBatch.Entry.init)

    private static let answers: [(String, ServerMessage)] = [
        ("0017020801100c1a08426561636f6e727922076b69746368656e", .hello(ProxyGreeting(identity))),
        ("000004", .authenticated(true)), ("0002040801", .authenticated(false)),
        (
            "007f0a12076b69746368656e1a1130363a42453a41433a30313a30323a30332209323032352e31322e30320f426c7565746f6f74"
                + "682070726f78794218626561636f6e72792e626c7565746f6f74682d70726f78796208426561636f6e72796a074b697463"
                + "68656e78ff0192011130363a42453a41433a30313a30323a3033980101", .deviceInfo(identity)
        ),
        ("001f5d0a1108818080f0fe9f301075180122030201060a0a08d588cd91920210fd01", .advertisements(entries)),
        ("00047e08021001", .scannerState(.running, isActive: true, isActiveByDefault: false)),
        (
            "001451080110031a0e818080f0fe9f30e6aa919aa3a404",
            .connectionsFree(free: 1, limit: 3, allocated: [device, 0x1122_3344_5566])
        ),
        ("000d4508818080f0fe9f301001188504", .connection(device, isConnected: true, mtu: 517)),
        ("000a4508818080f0fe9f302008", .connection(device, isConnected: false, error: 8)),
        (
            "001f4708818080f0fe9f30121510101a0e1012181222051013188252289954208f30",
            .service(device, battery, usesShortUUIDs: true)
        ),
        (
            "00214708818080f0fe9f3012170a13e290d58a99a3f9b921d6c2d1d8baaa9eb2ab011001",
            .service(device, configuration, usesShortUUIDs: true)
        ),
        (
            "001f4708818080f0fe9f3012150a1180a08080f08106fbe9ecfc8590808080011010",
            .service(device, bare, usesShortUUIDs: false)
        ),
        ("000d4a08818080f0fe9f3010121a0164", .value(device, handle: 18, [0x64])),
        ("000d4f08818080f0fe9f3010121a0163", .notification(device, handle: 18, [0x63])),
        ("000c5208818080f0fe9f3010121803", .gattError(device, handle: 18, 3)),
        ("00155208818080f0fe9f30101218ffffffffffffffffff01", .gattError(device, handle: 18, -1)),
        ("000a5308818080f0fe9f301012", .written(device, handle: 18)),
        ("000a5408818080f0fe9f301012", .notifying(device, handle: 18)),
        ("000a5508818080f0fe9f301805", .paired(device, isPaired: false, error: 5)),
        ("000a5608818080f0fe9f301001", .unpaired(device, isSuccessful: true, error: 0)),
        ("000a5808818080f0fe9f301001", .cacheCleared(device)),
        ("000b920108818080f0fe9f30108202", .parametersSet(device, error: 258)),
        (
            "001896010a1608ff01121130363a42453a41433a30313a30323a3033",
            .capabilities(identity.features, identity.address)
        ),
    ]

    @Test(arguments: answers.indices)
    func serverMessagesAreWritten(_ index: Int) throws {
        let (frame, message) = Self.answers[index]
        var channel = try Self.channel()
        let bytes = channel.frame(type: message.type, body: message.body)
        #expect(Hexadecimal.string(try #require(bytes)).lowercased() == frame)
    }

    /// The messages that our client uses are read as they were written; those about connections are left out.
    @Test(arguments: answers.indices)
    func serverMessagesAreRead(_ index: Int) throws {
        let message = Self.answers[index].1
        let read = try ServerMessage(type: message.type, body: message.body)
        if case .ignored(let type) = read {
            #expect(type == message.type && !Self.usedTypes.contains(type))
        } else {
            #expect(read == message && Self.usedTypes.contains(message.type))
        }
    }

    private static let usedTypes: Set<UInt16> = [2, 4, 10, 93, 126, 150]

    @Test(
        arguments: [
            (5, .disconnect), (6, .disconnected), (7, .ping), (8, .pong), (9999, .ignored(type: 9999)),
        ] as [(UInt16, ServerMessage)])
    func emptyMessagesAreRead(_ type: UInt16, _ message: ServerMessage) throws {
        #expect(try ServerMessage(type: type, body: []) == message)
        #expect(message.type == type && message.body.isEmpty)
    }

    @Test func advertisementsBecomeSightings() {
        let sightings = Self.entries.map(\.sighting)
        #expect(sightings.map(\.device.description) == ["C0:FF:EE:00:00:01 (random)", "00:11:22:33:44:55 (public)"])
        #expect(sightings.map(\.data) == [[2, 1, 6], []] && sightings.map(\.rssi) == [RSSI(-59), RSSI(-127)])
        #expect(sightings.allSatisfy { $0.pdu == nil })
    }

    @Test(arguments: [
        "0a0808ffffffffffff7f",  // an address of 49 bits
        "0a03108002",  // an RSSI of 128
        "0a0508",  // shorter than its length
        "0a0108",  // an entry without the value of a field
    ])
    func impossibleAdvertisementsAreRefused(_ body: String) throws {
        let bytes = try Hexadecimal.bytes(body)
        #expect(throws: WireError.self) { try ServerMessage(type: 93, body: bytes) }
    }

    @Test(arguments: [
        ("Kitchen", "kitchen"), ("living room", "living-room"), ("Küche 2", "k-che-2"), ("", "beaconry"),
        (String(repeating: "a", count: 40), String(repeating: "a", count: 31)),
    ])
    func nameOfTheNodeIsAHostName(_ name: String, _ node: String) {
        #expect(ProxyIdentity(name: name, address: .zero, isEncrypted: false).name == node)
    }

    @Test func extendedAdvertisementsAreNotCarried() throws {
        let device = RemoteAddress(.zero, isRandom: false)
        #expect(AdvertisementBatch.Entry(Sighting(device: device, pdu: .extended, data: [1], rssi: nil)) == nil)
        let long = [UInt8](repeating: 0, count: 63)
        #expect(AdvertisementBatch.Entry(Sighting(device: device, pdu: nil, data: long, rssi: nil)) == nil)
        let fitting = Array(long.dropLast())
        #expect(AdvertisementBatch.Entry(Sighting(device: device, pdu: nil, data: fitting, rssi: nil)) != nil)
    }

    @Test func batchIsFullAtSixteen() throws {
        var batch = AdvertisementBatch()
        let entry = try #require(Self.entries.first)
        let areFull = (0..<16).map { _ in batch.append(entry) }
        #expect(areFull == [Bool](repeating: false, count: 15) + [true])
        let entries = batch.take()
        #expect(entries.count == 16)
        #expect(batch.isEmpty)
    }
}
