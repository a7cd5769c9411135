// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing

@testable import HostStack

/// A central that has attributes, and a peripheral that uses them on the same link.
@Suite struct CentralDatabaseTests {
    private static let battery = GATTService(
        uuid: .bit16(0x180F), characteristics: [GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .notify])])

    private struct Stage {
        var bench = AirBench()
        let peripheral: Int
        let central: Int
        /// The connection at the peripheral.
        var link: ConnectionIdentifier
        /// The connection at the central.
        var back: ConnectionIdentifier

        init(isLegacy: Bool = false, services: [GATTService]?) throws {
            peripheral = bench.add(1, isLegacy: isLegacy)
            central = bench.add(2, isLegacy: isLegacy)
            let database = try services.map {
                try AttributeDatabase(services: $0, genericAccess: GenericAccess(name: "phone"))
            }
            bench.stations[central].values = [.bit16(0x2A19): [77]]
            bench.perform(peripheral) {
                $0.setAdvertising(
                    .beacon(.connectableScannable, milliseconds: 100), for: .number(0), address: .random(.random(1)))
            }
            bench.perform(central) {
                $0.setCentralDatabase(database)
                $0.connect(to: .random(1), type: .random)
            }
            link = try bench.advance(until: peripheral) { if case .connected(let link) = $0 { link.id } else { nil } }
            back = try bench.advance(until: central) { if case .connected(let link) = $0 { link.id } else { nil } }
        }

        /// Runs a procedure on the central's attributes.
        mutating func run(_ procedure: GATTProcedure) throws -> Result<GATTResult, ATTClientError> {
            var token: ATTToken?
            bench.perform(peripheral) { [link] in token = $0.start(procedure, on: link) }
            return try bench.advance(until: peripheral) { [link] event in
                if case .completed(link, let completed, let result) = event, completed == token { result } else { nil }
            }
        }

        /// The characteristics of a service of the central.
        mutating func characteristics(of service: BluetoothUUID) throws -> [RemoteCharacteristic] {
            guard case .services(let found) = try run(.discoverPrimaryServicesByUUID(service)).get() else { return [] }
            guard let first = found.first else { return [] }
            let procedure = GATTProcedure.discoverCharacteristics(in: first.handles)
            guard case .characteristics(let characteristics) = try run(procedure).get() else { return [] }
            return characteristics
        }
    }

    @Test(arguments: [false, true]) func `a peripheral uses the central's attributes`(isLegacy: Bool) throws {
        var stage = try Stage(isLegacy: isLegacy, services: [Self.battery])
        let level = try #require(try stage.characteristics(of: .bit16(0x180F)).first)
        #expect(try stage.run(.read(level.value)) == .success(.value([77])))
        #expect(try stage.run(.subscribeTo(level, .notification)) == .success(.done))
        let back = stage.back
        stage.bench.perform(stage.central) { $0.notify([76], of: level.value, to: back) }
        let received = try stage.bench.advance(until: stage.peripheral) { event -> [UInt8]? in
            if case .notification(_, level.value, let value) = event { value } else { nil }
        }
        #expect(received == [76])
    }

    @Test func `a central without attributes refuses requests`() throws {
        var stage = try Stage(services: nil)
        #expect(try stage.run(.discoverPrimaryServices) == .failure(.refused(.requestNotSupported, .none)))
    }

    @Test func `a peripheral gets an indication of changed services`() throws {
        var stage = try Stage(services: [Self.battery])
        let changed = try #require(
            try stage.characteristics(of: .genericAttribute).first { $0.uuid == .serviceChanged })
        #expect(try stage.run(.subscribeTo(changed, .indication)) == .success(.done))
        let level = try #require(try stage.characteristics(of: .bit16(0x180F)).first)
        #expect(try stage.run(.subscribeTo(level, .notification)) == .success(.done))
        let empty = try AttributeDatabase(services: [], genericAccess: GenericAccess(name: "phone"))
        stage.bench.perform(stage.central) { $0.setCentralDatabase(empty) }
        let range = try stage.bench.advance(until: stage.peripheral) { event -> [UInt8]? in
            if case .indication(_, changed.value, let value) = event { value } else { nil }
        }
        #expect(range == [1, 0, 0xFF, 0xFF])
        #expect(try stage.characteristics(of: .bit16(0x180F)).isEmpty)
        let back = stage.back
        var isNotified = true
        stage.bench.perform(stage.central) { isNotified = $0.notify([1], of: level.value, to: back) }
        #expect(!isNotified, "the subscription ended with the characteristic")
    }
}
