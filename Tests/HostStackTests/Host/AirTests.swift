// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing
import VirtualRadio

@testable import HostStack

@Suite struct AirTests {
    private let battery = GATTService(
        uuid: .bit16(0x180F),
        characteristics: [
            GATTCharacteristic(uuid: .bit16(0x2A19), properties: [.read, .notify]),
            GATTCharacteristic(uuid: .bit16(0xFFF1), properties: [.read, .write]),
        ])

    /// Two stations: the first advertises, the second scans and connects.
    private func bench(isLegacy: Bool) throws -> (AirBench, beacon: Int, central: Int) {
        var bench = AirBench()
        let beacon = bench.add(1, isLegacy: isLegacy)
        let central = bench.add(2, isLegacy: isLegacy)
        let database = try AttributeDatabase(services: [battery], genericAccess: GenericAccess(name: "beacon"))
        bench.stations[beacon].values = [.bit16(0x2A19): [77]]
        bench.perform(beacon) {
            $0.setDatabase(database, for: .number(0))
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 100), for: .number(0), address: .random(.random(1)))
        }
        return (bench, beacon, central)
    }

    @Test(arguments: [false, true], [false, true])
    func `a connected set advertises only with whileConnected`(isLegacy: Bool, whileConnected: Bool) throws {
        var (bench, beacon, central) = try bench(isLegacy: isLegacy)
        bench.perform(beacon) {
            $0.setAdvertising(
                .beacon(.connectableScannable, milliseconds: 100), for: .number(0), address: .random(.random(1)),
                whileConnected: whileConnected)
        }
        bench.perform(central) { $0.connect(to: .random(1), type: .random) }
        _ = try bench.advance(until: central) { if case .connected(let link) = $0 { link } else { nil } }
        bench.advance(by: .milliseconds(200))
        bench.stations[central].events = []
        bench.perform(central) { $0.startScanning() }
        bench.advance(by: .seconds(1))
        let reports = bench.stations[central].events.count { if case .scanReport = $0.event { true } else { false } }
        #expect(whileConnected ? reports > 5 : reports == 0)
    }

    @Test(arguments: [false, true])
    func `a set advertises, is read and written, and is disconnected`(isLegacy: Bool) throws {
        var (bench, beacon, central) = try bench(isLegacy: isLegacy)

        bench.perform(central) { $0.startScanning() }
        let received = try bench.advance(until: central) { event in
            if case .scanReport(let report, _) = event, report.kind == .connectableScannable { report } else { nil }
        }
        #expect(received.address == .random(1) && received.addressType == .random)
        #expect(received.data == Advertisement.beacon(milliseconds: 100).advertisingData.serialized())
        let response = try bench.advance(until: central) { event in
            if case .scanReport(let report, _) = event, report.kind == .scanResponse { report } else { nil }
        }
        #expect(response.address == .random(1))

        bench.perform(central) {
            $0.stopScanning()
            $0.connect(to: received.address, type: received.addressType)
        }
        let link = try bench.advance(until: central) { if case .connected(let link) = $0 { link } else { nil } }
        let peer = try bench.advance(until: beacon) { if case .connected(let link) = $0 { link } else { nil } }
        #expect(link.role == .central && link.peerAddress == .random(1))
        #expect(peer.role == .peripheral && peer.advertisingSet == .number(0))
        #expect(bench.stations[beacon].events.contains { $0.event == .advertisingStopped(.number(0), .connected) })

        func run(_ procedure: GATTProcedure) throws -> GATTResult {
            var token: ATTToken?
            bench.perform(central) { token = $0.start(procedure, on: link.id) }
            let result = try bench.advance(until: central) { event -> Result<GATTResult, ATTClientError>? in
                if case .completed(link.id, let completed, let result) = event, completed == token {
                    result
                } else {
                    nil
                }
            }
            return try result.get()
        }
        #expect(try run(.exchangeMTU) == .mtu(517))
        guard case .services(let services) = try run(.discoverPrimaryServices) else {
            throw Unexpected(what: "no services")
        }
        let service = try #require(services.first { $0.uuid == battery.uuid })
        guard case .characteristics(let found) = try run(.discoverCharacteristics(in: service.handles)) else {
            throw Unexpected(what: "no characteristics")
        }
        #expect(found.map(\.uuid) == battery.characteristics.map(\.uuid))
        #expect(try run(.read(found[0].value)) == .value([77]))
        let long = [UInt8](repeating: 5, count: 300)
        #expect(try run(.write(found[1].value, long)) == .done)
        #expect(bench.stations[beacon].values[.bit16(0xFFF1)] == long)
        #expect(try run(.read(found[1].value)) == .value(long))

        #expect(try run(.subscribeTo(found[0], .notification)) == .done)
        bench.perform(beacon) { $0.notify([76], of: found[0].value, to: peer.id) }
        let notified = try bench.advance(until: central) { event -> [UInt8]? in
            if case .notification(link.id, found[0].value, let value) = event { value } else { nil }
        }
        #expect(notified == [76])

        bench.stations[beacon].events = []
        bench.stations[central].events = []
        bench.perform(central) { $0.disconnect(link.id) }
        let gone = try bench.advance(until: central) { if case .disconnected(let link, _) = $0 { link } else { nil } }
        #expect(gone.id == link.id)
        _ = try bench.advance(until: beacon) { if case .disconnected(let link, _) = $0 { link } else { nil } }
        let again = try bench.advance(until: beacon) { event -> EffectiveAdvertising? in
            if case .advertising(.number(0), let effective) = event { effective } else { nil }
        }
        #expect(again.interval == AdvertisingInterval(160))
        bench.perform(central) { $0.startScanning(ScanParameters(isActive: false)) }
        _ = try bench.advance(until: central) { if case .scanReport(let report, _) = $0 { report } else { nil } }
    }

    struct Unexpected: Error { let what: String }

    @Test(arguments: [false, true])
    func `a central out of range times out, and the set advertises again`(isLegacy: Bool) throws {
        var (bench, beacon, central) = try bench(isLegacy: isLegacy)
        bench.perform(central) { $0.connect(to: .random(1), type: .random) }
        _ = try bench.advance(until: beacon) { if case .connected(let link) = $0 { link } else { nil } }
        bench.advance(by: .seconds(1))
        bench.stations[beacon].events = []
        bench.air.removeController(bench.stations[central].controller)
        bench.stations[central].host = LEHost()
        let reason = try bench.advance(until: beacon) {
            if case .disconnected(_, let reason) = $0 { reason } else { nil }
        }
        #expect(reason == .connectionTimeout)
        _ = try bench.advance(until: beacon) { if case .advertising(_, let effective) = $0 { effective } else { nil } }
    }

    @Test func `a peripheral's request changes the connection parameters`() throws {
        var (bench, beacon, central) = try bench(isLegacy: false)
        bench.perform(central) { $0.connect(to: .random(1), type: .random) }
        let peer = try bench.advance(until: beacon) { if case .connected(let link) = $0 { link } else { nil } }
        let requested = ConnectionParameters(interval: ConnectionInterval(160)...ConnectionInterval(160))
        bench.perform(beacon) { $0.updateConnection(peer.id, to: requested) }
        for station in [beacon, central] {
            let updated = try bench.advance(until: station) { event -> LEConnection? in
                if case .connectionUpdated(let link) = event { link } else { nil }
            }
            #expect(updated.interval == ConnectionInterval(160))
        }
    }

    @Test func `sets that take turns are received at their reported intervals`() throws {
        var bench = AirBench()
        let beacons = bench.add(1, isLegacy: true)
        let scanner = bench.add(2)
        bench.perform(scanner) { $0.startScanning(ScanParameters(isActive: false)) }
        bench.perform(beacons) {
            for number in UInt8(0)..<6 {
                $0.setAdvertising(
                    .beacon(.connectableScannable, milliseconds: number < 3 ? 100 : 300, name: "beacon \(number)"),
                    for: .number(number), address: .random(.random(number)))
            }
        }
        bench.advance(by: .seconds(2))
        let start = bench.time
        bench.advance(by: .seconds(60))
        for number in UInt8(0)..<6 {
            let report = try #require(
                bench.stations[beacons].events.last { entry in
                    if case .advertising(.number(number), _) = entry.event { true } else { false }
                })
            guard case .advertising(_, let effective) = report.event else { continue }
            #expect(effective.turns == 6)
            let received = bench.reports(scanner, of: .random(number)).filter { $0.time >= start }
            let mean = (bench.time - start) / .milliseconds(1) / Double(received.count)
            let expected = effective.interval.duration / .milliseconds(1) + 5
            #expect(abs(mean - expected) < expected * 0.05, "\(mean) instead of \(expected) ms")
            let name = AdvertisingData([.localName("beacon \(number)", isComplete: true)])
            #expect(received.allSatisfy { $0.report.data == name.serialized() })
        }
    }

    @Test func `each set of an extended controller has its exact interval`() throws {
        var bench = AirBench()
        let beacons = bench.add(1)
        let scanner = bench.add(2)
        bench.perform(scanner) { $0.startScanning(ScanParameters(isActive: false)) }
        let milliseconds = [20, 100, 152, 1285]
        bench.perform(beacons) {
            for (number, interval) in milliseconds.enumerated() {
                $0.setAdvertising(
                    .beacon(milliseconds: interval), for: .number(UInt8(number)),
                    address: .random(.random(UInt8(number))))
            }
        }
        bench.advance(by: .seconds(60))
        for (number, interval) in milliseconds.enumerated() {
            let received = bench.reports(scanner, of: .random(UInt8(number)))
            let mean = 60_000 / Double(received.count)
            #expect(abs(mean - Double(interval) - 5) < Double(interval) * 0.05, "\(interval): \(mean)")
        }
    }
}
