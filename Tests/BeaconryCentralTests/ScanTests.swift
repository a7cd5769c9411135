// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import Bluetooth
import TestSupport
import TestTraits
import Testing

/// One scan for all consumers, the discoveries of each consumer, and the devices that the central stores.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct ScanTests {
    private static func sighting(
        _ number: Int, _ structures: [AdvertisingStructure] = [], pdu: Sighting.PDU? = .connectableScannable,
        rssi: Int8 = -60
    ) -> Sighting {
        let octets = [0xC0, 0, 0] + [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        return Sighting(
            device: RemoteAddress(BluetoothAddress(octets: octets) ?? .zero, isRandom: true), pdu: pdu,
            data: AdvertisingData(structures).serialized(), rssi: RSSI(rssi))
    }

    private static func open(_ radio: MuteRadio, knownPeripherals: Int = 1024) async throws -> Central {
        let central = Central(radio: radio, knownPeripherals: knownPeripherals)
        try await central.open()
        return central
    }

    /// The next discovery of a scan that begins before any reception.
    private static func first(
        _ central: Central, _ radio: MuteRadio, _ options: ScanOptions, _ sightings: [Sighting]
    ) async throws -> Discovery? {
        async let found = firstOf(central.scan(options))
        try await until { radio.isScanning }
        for sighting in sightings { radio.receive(sighting) }
        return try await found
    }

    private static func firstOf(_ scan: Scan) async throws -> Discovery? {
        for try await discovery in scan { return discovery }
        return nil
    }

    @Test func radioScansOnceForAllConsumers() async throws {
        let radio = MuteRadio()
        let central = try await Self.open(radio)
        var one: Scan.Iterator? = central.scan(ScanOptions(isActive: false)).makeAsyncIterator()
        var other: Scan.Iterator? = central.scan(ScanOptions(isActive: false)).makeAsyncIterator()
        #expect(radio.scans.isEmpty)
        let speaking = Task {
            while !Task.isCancelled {
                if radio.isScanning { radio.receive(Self.sighting(1)) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        defer { speaking.cancel() }
        let seen = try await one?.next()?.sighting.device
        #expect(try await other?.next()?.sighting.device == seen)
        #expect(radio.scans == [ScanParameters(isActive: false)])
        one = nil
        _ = try await other?.next()
        #expect(radio.isScanning && radio.stops == 0)
        other = nil
        try await until { !radio.isScanning }
        #expect(radio.stops == 1)
        await central.close()
    }

    @Test func oneActiveConsumerMakesTheScanActive() async throws {
        let radio = MuteRadio()
        let central = try await Self.open(radio)
        let passive = Task { try await Self.firstOf(central.scan(ScanOptions(isActive: false, where: { _ in false }))) }
        try await until { radio.scans.count == 1 }
        let active = Task { try await Self.firstOf(central.scan(ScanOptions(where: { _ in false }))) }
        try await until { radio.scans.count == 2 }
        active.cancel()
        #expect(try await active.value == nil)
        try await until { radio.scans.count == 3 }
        passive.cancel()
        #expect(try await passive.value == nil)
        try await until { !radio.isScanning }
        #expect(radio.scans.map(\.isActive) == [false, true, false])
        await central.close()
    }

    @Test(arguments: [
        (ScanOptions(), 1), (ScanOptions(services: [.bit16(0x180F)]), 3),
        (ScanOptions(services: [.bit16(0x1111), .bit16(0x180D)]), 2), (ScanOptions(minimumRSSI: RSSI(-50)), 4),
        (ScanOptions(where: { $0.advertisement.localName == "thermometer" }), 2),
        (ScanOptions(where: { $0.advertisement.iBeacon != nil }), 5),
        (ScanOptions(services: [.bit32(0x1234_5678)]), 6),
    ])
    func scanOptionsFilterDevices(options: ScanOptions, expected: Int) async throws {
        let radio = MuteRadio()
        let central = try await Self.open(radio)
        let uuid = UUID128("2173E519-9155-4862-AB64-7953AB146156")
        let beacon = IBeacon(uuid: uuid, major: 1, minor: 2, measuredPower: MeasuredPower(-59))
        let found = try await Self.first(
            central, radio, options,
            [
                Self.sighting(1, rssi: -70),
                Self.sighting(
                    2, [.serviceUUIDs16([0x180D], isComplete: true), .localName("thermometer", isComplete: true)],
                    rssi: -70),
                Self.sighting(3, rssi: -70),
                Self.sighting(3, [.serviceUUIDs16([0x180F], isComplete: true)], pdu: .scanResponse, rssi: -70),
                Self.sighting(4, rssi: -50),
                Self.sighting(5, [.flags(.beacon), beacon.structure], pdu: .nonConnectable, rssi: -70),
                Self.sighting(6, [.unknown(type: 5, data: [0x78, 0x56, 0x34, 0x12])], rssi: -70),
            ])
        #expect(found?.sighting.device == Self.sighting(expected).device)
        await central.close()
    }

    @Test func withoutRepetitionsOnlyNewDataIsReported() async throws {
        let radio = MuteRadio()
        let central = try await Self.open(radio)
        let name = AdvertisingStructure.localName("a", isComplete: true)
        let seen = Task {
            var names: [String?] = []
            for try await discovery in central.scan(ScanOptions(includesRepetitions: false)) {
                names.append(discovery.advertisement.localName)
                if names.last == "z" { break }
            }
            return names
        }
        try await until { radio.isScanning }
        for _ in 0..<3 { radio.receive(Self.sighting(1)) }
        for _ in 0..<3 { radio.receive(Self.sighting(1, [name], pdu: .scanResponse)) }
        for _ in 0..<3 { radio.receive(Self.sighting(1, rssi: -20)) }
        radio.receive(Self.sighting(2, [.localName("z", isComplete: true)]))
        #expect(try await seen.value == [nil, "a", "z"])
        // A new consumer has not received any data yet.
        let again = try await Self.first(
            central, radio, ScanOptions(includesRepetitions: false), [Self.sighting(1)])
        #expect(again?.advertisement.localName == "a")
        await central.close()
    }

    @Test func scanEndsAfterItsDuration() async throws {
        let clock = ManualClock()
        let radio = MuteRadio()
        let central = Central(radio: radio, clock: clock)
        try await central.open()
        let scan = Task { try await Self.firstOf(central.scan(ScanOptions(duration: .seconds(7)))) }
        await clock.waitForSleeper(of: .seconds(7))
        clock.advance(by: .seconds(7))
        #expect(try await scan.value == nil)
        let search = Task { try await central.find(timeout: .seconds(3)) }
        await clock.waitForSleeper(of: .seconds(3))
        clock.advance(by: .seconds(3))
        await expect(.timedOut(after: .seconds(3))) { _ = try await search.value }
        try await until { !radio.isScanning }
        await central.close()
    }

    @Test func scanThrowsWhenTheRadioIsLostAndTheNextOneWorks() async throws {
        let radio = MuteRadio()
        let central = try await Self.open(radio)
        var states = await central.states.makeAsyncIterator()
        #expect(await states.next() == .ready)
        let scan = Task { try await Self.firstOf(central.scan()) }
        try await until { radio.isScanning }
        let error = RadioError(.noAdapter, "it is unplugged", hint: "plug it in")
        radio.set(.unavailable(error))
        await expect(.radio(error)) { _ = try await scan.value }
        #expect(await states.next() == .unavailable(error))
        #expect(await central.state == .unavailable(error))
        await expect(.radio(error)) { _ = try await Self.firstOf(central.scan()) }
        let waiting = Task { try await central.waitUntilReady() }
        radio.set(.ready)
        try await waiting.value
        #expect(try await Self.first(central, radio, ScanOptions(), [Self.sighting(9)]) != nil)
        await central.close()
        while let state = await states.next() { if case .ready = state { continue } }
        await #expect(throws: CentralError.self) { _ = try await Self.firstOf(central.scan()) }
    }

    @Test func devicesAreRememberedUpToALimit() async throws {
        let radio = MuteRadio()
        let central = try await Self.open(radio, knownPeripherals: 100)
        let held = await central.peripheral(at: Self.sighting(0).device)
        let listening = Task {
            for try await discovery in central.scan() where discovery.sighting.device == Self.sighting(2000).device {
                return
            }
        }
        try await until { radio.isScanning }
        for number in 1...2000 { radio.receive(Self.sighting(number)) }
        try await listening.value
        // Discoveries in a consumer's queue are in use, and may exceed the limit; no discovery is in a queue now.
        let last = await central.peripheral(at: Self.sighting(3000).device)
        let known = await central.knownPeripherals
        #expect((75...100).contains(known.count))
        #expect(known.last === last)
        #expect(known.contains { $0.address == Self.sighting(2000).device })
        #expect(await central.peripheral(at: held.address) === held)
        #expect(await central.peripheral(at: last.address) === last)
        await central.forget(last.address)
        #expect(await !central.knownPeripherals.contains { $0 === last })
        await central.close()
    }
}
