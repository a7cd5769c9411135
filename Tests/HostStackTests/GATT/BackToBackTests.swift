// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

/// A client against a server, with all procedures.
@Suite struct BackToBackTests {
    static let mtus: [UInt16] = [23, 24, 50, 247, 517]

    private static func pair(mtu: UInt16) throws -> BearerPair {
        var pair = try BearerPair(mtu: mtu)
        #expect(try pair.run(.exchangeMTU) == .mtu(Int(mtu)))
        #expect(pair.near.bearer.mtu == Int(mtu))
        #expect(pair.far.bearer.mtu == Int(mtu))
        #expect(pair.far.bearer.server?.mtu == Int(mtu))
        return pair
    }

    @Test(arguments: mtus)
    func wholeTableIsDiscovered(_ mtu: UInt16) throws {
        var pair = try Self.pair(mtu: mtu)
        let database = try AttributeFixture.database()
        let services = try #require(try pair.run(.discoverPrimaryServices).services)
        #expect(
            services.map(\.uuid) == [.genericAccess, .genericAttribute]
                + AttributeFixture.services.dropLast().map(\.uuid))
        #expect(services.map(\.handles) == [1...5, 6...0x0D, 0x0E...0x13, 0x14...0x21, 0x22...0x30])
        for (service, declared) in zip(services.dropFirst(2), AttributeFixture.services) {
            #expect(try pair.run(.discoverPrimaryServicesByUUID(service.uuid)) == .services([service]))
            let inclusions = try #require(try pair.run(.findIncludedServices(in: service.handles)).inclusions)
            #expect(inclusions.map(\.service.uuid) == declared.includedServices)
            let characteristics = try #require(
                try pair.run(.discoverCharacteristics(in: service.handles)).characteristics)
            #expect(characteristics.map(\.uuid) == declared.characteristics.map(\.uuid))
            #expect(characteristics.map(\.properties) == declared.characteristics.map(\.properties))
            for characteristic in characteristics {
                #expect(
                    try pair.run(.discoverCharacteristics(in: service.handles, uuid: characteristic.uuid))
                        == .characteristics([characteristic]))
                guard let handles = characteristic.descriptorHandles else { continue }
                let descriptors = try #require(try pair.run(.discoverDescriptors(in: handles)).descriptors)
                #expect(descriptors.map(\.uuid) == database[handles].map(\.type))
            }
        }
        let everything = try #require(try pair.run(.discoverDescriptors(in: .all)).descriptors)
        #expect(everything.map(\.uuid) == database.attributes.map(\.type))
        #expect(pair.near.longestPDU <= Int(mtu))
        #expect(pair.far.longestPDU <= Int(mtu))
    }

    /// Values with lengths at and around all limits of the MTUs.
    @Test(arguments: mtus)
    func valuesOfAnyLengthAreWrittenAndRead(_ mtu: UInt16) throws {
        var pair = try Self.pair(mtu: mtu)
        let limits = [Int(mtu) - 5, Int(mtu) - 3, Int(mtu) - 1]
        let edges = [0, 1, 511, 512] + limits.flatMap { [$0 - 1, $0, $0 + 1, $0 * 2] }
        for length in edges where length <= 512 {
            let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
            pair.far.owner.values[AttributeFixture.textValue] = []
            #expect(try pair.run(.write(AttributeFixture.textValue, value)) == .done)
            #expect(pair.far.owner.values[AttributeFixture.textValue] == value)
            // As one write, however many parts there were.
            #expect(pair.far.owner.written.map(\.value) == [value])
            pair.far.owner.written = []
            #expect(try pair.run(.read(AttributeFixture.textValue)) == .value(value))
        }
        #expect(pair.near.longestPDU <= Int(mtu))
        #expect(pair.far.longestPDU <= Int(mtu))
    }

    @Test(arguments: mtus)
    func writesObeyTheOwner(_ mtu: UInt16) throws {
        var pair = try Self.pair(mtu: mtu)
        let identity = AttributeFixture.identityValue
        // The owner requires 16 bytes, whichever procedure writes them.
        #expect(try pair.run(.writeLong(identity, [UInt8](repeating: 1, count: 16))) == .done)
        #expect(try pair.run(.writeLong(identity, offset: 14, [2, 2])) == .done)
        #expect(try pair.run(.read(identity)) == .value([UInt8](repeating: 1, count: 14) + [2, 2]))
        #expect(throws: ATTClientError.refused(.invalidAttributeValueLength, identity)) {
            _ = try pair.run(.write(identity, [1]))
        }
        #expect(throws: ATTClientError.refused(.invalidAttributeValueLength, identity)) {
            _ = try pair.run(.write(identity, [UInt8](repeating: 1, count: 30)))
        }
        #expect(throws: ATTClientError.refused(.invalidOffset, identity)) {
            _ = try pair.run(.writeLong(identity, offset: 17, []))
        }
        #expect(
            try pair.run(
                .reliableWrite([
                    AttributeValue(handle: AttributeFixture.numbersValue, value: [9, 0, 9, 0]),
                    AttributeValue(handle: identity, value: [UInt8](repeating: 3, count: 16)),
                ])) == .done)
        #expect(pair.far.owner.written.map(\.handle).suffix(2) == [AttributeFixture.numbersValue, identity])
        #expect(try pair.run(.writeWithoutResponse(AttributeFixture.commandValue, [7])) == .done)
        #expect(pair.far.owner.values[AttributeFixture.commandValue] == [7])
    }

    @Test(arguments: mtus)
    func valuesAreReadByTypeAndTogether(_ mtu: UInt16) throws {
        var pair = try Self.pair(mtu: mtu)
        let configurations = try pair.run(.readByUUID(.clientCharacteristicConfiguration))
        let handles: [AttributeHandle] = [0x09, 0x11, 0x1B, 0x2D, 0x30]
        #expect(configurations == .values(handles.map { AttributeValue(handle: $0, value: [0, 0]) }))
        #expect(
            try pair.run(.readMultiple([AttributeFixture.batteryValue, 0x0003]))
                == .values([
                    AttributeValue(handle: AttributeFixture.batteryValue, value: [100]),
                    AttributeValue(handle: 0x0003, value: Array("Beacon".utf8)),
                ]))
        #expect(throws: ATTClientError.refused(.readNotPermitted, AttributeFixture.commandValue)) {
            _ = try pair.run(.read(AttributeFixture.commandValue))
        }
        #expect(try pair.run(.discoverPrimaryServicesByUUID(.bit16(0x1234))) == .services([]))
    }

    @Test(arguments: mtus)
    func valuesAreNotifiedAndIndicated(_ mtu: UInt16) throws {
        var pair = try Self.pair(mtu: mtu)
        let service = try #require(
            try pair.run(.discoverPrimaryServicesByUUID(AttributeFixture.service)).services?.first)
        let characteristic = try #require(
            try pair.run(.discoverCharacteristics(in: service.handles, uuid: AttributeFixture.numbers)).characteristics?
                .first)
        #expect(characteristic.value == AttributeFixture.numbersValue)
        let value = [UInt8](repeating: 6, count: 600)
        pair.notify(value, of: characteristic.value)
        #expect(try pair.run(.subscribeTo(characteristic, .notification)) == .done)
        pair.notify(value, of: characteristic.value)
        #expect(try pair.run(.subscribeTo(characteristic, .indication)) == .done)
        for _ in 0..<3 { pair.notify(value, of: characteristic.value) }
        #expect(try pair.run(.subscribe(AttributeFixture.numbersClientConfiguration, [])) == .done)
        pair.notify(value, of: characteristic.value)
        let reported = pair.near.events.filter {
            switch $0 {
            case .client(.notification), .client(.indication): true
            default: false
            }
        }
        let cut = Array(value.prefix(Int(mtu) - 3))
        let indication = ATTBearer.Output.client(.indication(characteristic.value, cut))
        #expect(reported == [.client(.notification(characteristic.value, cut)), indication, indication, indication])
        let confirmed = pair.far.events.filter {
            $0 == .server(.indicationEnded(characteristic.value, isConfirmed: true))
        }
        #expect(confirmed.count == 3)
        #expect(pair.far.bearer.nextDeadline == nil)
    }

    /// Both ends are client and server, and both send requests at once.
    @Test func bothSidesSendRequests() throws {
        let server = ATTServer(database: try AttributeFixture.database(name: "Near"))
        var pair = try BearerPair(mtu: 100, nearServer: server)
        let near = pair.near.bearer.withClient { $0.start(.read(3), as: ATTToken(1), at: .zero) }
        let far = pair.far.bearer.withClient { $0.start(.read(3), as: ATTToken(1), at: .zero) }
        pair.perform(near: near, far: far)
        #expect(pair.near.events == [.client(.completed(ATTToken(1), .success(.value(Array("Beacon".utf8)))))])
        #expect(pair.far.events == [.client(.completed(ATTToken(1), .success(.value(Array("Near".utf8)))))])
    }
}
