// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing
import VirtualRadio

/// Peripherals skip connection events (Core 5.4, Vol 6, Part B, 4.5.1).
@Suite struct PeripheralLatencyTests {
    /// 30 ms.
    private static let interval: AirTime = 30_000

    /// The time at which data of a side arrives, which is its next connection event.
    private func arrival(_ bench: inout Bench, of pair: Bench.Pair, fromCentral: Bool) throws -> AirTime {
        let (sender, handle) =
            fromCentral ? (pair.central, pair.centralHandle) : (pair.peripheral, pair.peripheralHandle)
        let receiver = fromCentral ? pair.peripheral : pair.central
        bench.sendData([1], handle, sender)
        #expect(bench.takeData(receiver).isEmpty)
        bench.air.advance(to: try #require(bench.air.nextDeadline))
        #expect(bench.takeData(receiver).count == 1)
        return bench.air.now
    }

    @Test func dataOfTheCentralWaitsForThePeripheral() throws {
        var bench = Bench()
        let pair = try bench.connect(latency: 4, timeout: 500)
        let first = try arrival(&bench, of: pair, fromCentral: true)
        #expect(try arrival(&bench, of: pair, fromCentral: true) - first == 5 * Self.interval)
        // Also after a time without data.
        bench.run(milliseconds: 10_007)
        let later = try arrival(&bench, of: pair, fromCentral: true)
        #expect((later - first) % (5 * Self.interval) == 0)
    }

    @Test func dataOfThePeripheralDoesNotWait() throws {
        var bench = Bench()
        let pair = try bench.connect(latency: 4, timeout: 500)
        let first = try arrival(&bench, of: pair, fromCentral: true)
        let second = try arrival(&bench, of: pair, fromCentral: false)
        #expect(second - first == Self.interval)
        // In the next event the peripheral gets the acknowledgment; then it skips four.
        #expect(try arrival(&bench, of: pair, fromCentral: true) - second == Self.interval)
        bench.run(milliseconds: 10)
        #expect(try arrival(&bench, of: pair, fromCentral: true) - second == 6 * Self.interval)
    }

    @Test func latencyDoesNotApplyWithImmediateTiming() throws {
        var bench = Bench(AirConfiguration(seed: 1, timing: .immediate))
        let pair = try bench.connect(latency: 4, timeout: 500)
        for _ in 0..<3 {
            bench.sendData([1], pair.centralHandle, pair.central)
            #expect(bench.takeData(pair.peripheral).count == 1)
        }
    }

    /// Each packet arrives in the event in which a step by step simulation of all events has it.
    @Test(arguments: UInt64(0)..<20) func arrivalsAreThoseOfAllEvents(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let latency = Int64.random(in: 0...9, using: &generator)
        var bench = Bench(AirConfiguration(seed: seed))
        let pair = try bench.connect(latency: UInt16(latency), timeout: 3200)
        var attended = try arrival(&bench, of: pair, fromCentral: true) + (latency + 1) * Self.interval
        var event = bench.air.now
        var waiting = 0
        for _ in 0..<200 {
            // Data before the next event.
            event += Self.interval
            bench.air.advance(to: event - Int64.random(in: 2...25_000, using: &generator))
            let chance = Int.random(in: 0..<10, using: &generator)
            if [0, 1, 3].contains(chance), waiting < 6 {
                for _ in 0...Int.random(in: 0...2, using: &generator) {
                    bench.sendData([1], pair.centralHandle, pair.central)
                    waiting += 1
                }
            }
            let sends = [2, 3].contains(chance)
            if sends { bench.sendData([2], pair.peripheralHandle, pair.peripheral) }
            let attends = sends || event == attended
            // The exchanges of an event take less than 5 ms.
            bench.air.advance(to: event + 4_900)
            #expect(bench.takeData(pair.central).count == (sends ? 1 : 0))
            #expect(bench.takeData(pair.peripheral).count == (attends ? waiting : 0))
            guard attends else { continue }
            // The data of the peripheral is in the first exchange, and acknowledged in the second one.
            attended = event + (sends && waiting <= 1 ? 1 : latency + 1) * Self.interval
            waiting = 0
        }
    }

    @Test func supervisionCountsFromTheLastAttendedEvent() throws {
        var bench = Bench()
        let pair = try bench.connect(latency: 4, timeout: 100)
        let first = try arrival(&bench, of: pair, fromCentral: true)
        // 130 ms after an event that the peripheral has attended.
        bench.air.advance(to: first + 15 * Self.interval + 130_000)
        bench.air.removeController(pair.peripheral)
        bench.air.advance(to: first + 15 * Self.interval + 999_999 + 10_000)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.central).isEmpty)
        // To a whole interval.
        bench.air.advance(to: first + 15 * Self.interval + 1_000_000 + 10_000)
        #expect(
            bench.takeEvents(DisconnectionComplete.self, pair.central).map(\.reason) == [.connectionTimeout])
    }

    @Test func newParametersApplySixEventsAfterThePeripheralHasThem() throws {
        for byCentral in [true, false] {
            var bench = Bench()
            let pair = try bench.connect(latency: 4, timeout: 500)
            let first = try arrival(&bench, of: pair, fromCentral: true)
            let (host, handle) =
                byCentral ? (pair.central, pair.centralHandle) : (pair.peripheral, pair.peripheralHandle)
            // The central's host does not accept requests unless it enables the event.
            if !byCentral { bench.prepare(pair.central, masked: [0x0A]) }
            bench.expectSuccess(
                LEConnectionUpdate(
                    connectionHandle: handle, minimumConnectionInterval: ConnectionInterval(80),
                    maximumConnectionInterval: ConnectionInterval(80), maximumLatency: 2,
                    supervisionTimeout: SupervisionTimeout(500)), host)
            if !byCentral {
                bench.air.advance(to: first + Self.interval)
                #expect(bench.takeEvents(LERemoteConnectionParameterRequest.self, pair.central).count == 1)
                bench.expectSuccess(
                    LERemoteConnectionParameterRequestReply(
                        connectionHandle: pair.centralHandle, minimumConnectionInterval: ConnectionInterval(80),
                        maximumConnectionInterval: ConnectionInterval(80), maximumLatency: 2,
                        supervisionTimeout: SupervisionTimeout(500)), pair.central)
            }
            let instant = first + (byCentral ? 5 + 6 : 1 + 1 + 6) * Self.interval
            bench.air.advance(to: instant - 1)
            #expect(bench.takeEvents(LEConnectionUpdateComplete.self, host).isEmpty)
            bench.air.advance(to: instant)
            #expect(bench.takeEvents(LEConnectionUpdateComplete.self, host).count == 1)
            bench.run(milliseconds: 1)
            // From the instant on, the new latency.
            #expect(try arrival(&bench, of: pair, fromCentral: true) == instant + 3 * 100_000)
        }
    }

    @Test(arguments: [true, false]) func disconnectionOfTheCentralWaits(byCentral: Bool) throws {
        var bench = Bench()
        let pair = try bench.connect(latency: 4, timeout: 500)
        let first = try arrival(&bench, of: pair, fromCentral: true)
        let (host, handle) =
            byCentral ? (pair.central, pair.centralHandle) : (pair.peripheral, pair.peripheralHandle)
        bench.expectSuccess(Disconnect(connectionHandle: handle), host)
        let end = first + (byCentral ? 5 : 1) * Self.interval
        bench.air.advance(to: end - 1)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.central).isEmpty)
        bench.air.advance(to: end)
        for end in [pair.central, pair.peripheral] {
            #expect(bench.takeEvents(DisconnectionComplete.self, end).count == 1)
        }
    }

    @Test(arguments: [true, false]) func proceduresOfTheCentralWait(byCentral: Bool) throws {
        let makeCommands: [(ConnectionHandle) -> any HCICommand] = [
            { LEReadRemoteFeatures(connectionHandle: $0) }, { ReadRemoteVersionInformation(connectionHandle: $0) },
            { LESetPHY(connectionHandle: $0, transmitPHYs: .twoMegabit, receivePHYs: .twoMegabit) },
            { LESetDataLength(connectionHandle: $0, transmitOctets: 100, transmitTime: Microseconds(2120)) },
        ]
        for makeCommand in makeCommands {
            var bench = Bench()
            let pair = try bench.connect(latency: 4, timeout: 500)
            let first = try arrival(&bench, of: pair, fromCentral: true)
            let (host, handle) =
                byCentral ? (pair.central, pair.centralHandle) : (pair.peripheral, pair.peripheralHandle)
            _ = bench.takePackets(host)
            bench.expectSuccess(makeCommand(handle), host)
            #expect(bench.air.nextDeadline == first + (byCentral ? 5 : 1) * Self.interval)
            bench.air.advance(to: try #require(bench.air.nextDeadline))
            #expect(bench.takePackets(host).count == 1)
        }
    }

    @Test func encryptionStartsInConsecutiveEvents() throws {
        var bench = Bench()
        let pair = try bench.connect(latency: 4, timeout: 500)
        let first = try arrival(&bench, of: pair, fromCentral: true)
        let key = Octets<16>.zero
        bench.expectSuccess(
            LEEnableEncryption(
                connectionHandle: pair.centralHandle, randomNumber: 0, encryptedDiversifier: 0, longTermKey: key),
            pair.central)
        bench.air.advance(to: first + 5 * Self.interval)
        #expect(bench.takeEvents(LELongTermKeyRequest.self, pair.peripheral).count == 1)
        bench.expectSuccess(
            LELongTermKeyRequestReply(connectionHandle: pair.peripheralHandle, longTermKey: key), pair.peripheral)
        bench.air.advance(to: first + 8 * Self.interval - 1)
        #expect(bench.takeEvents(EncryptionChange.self, pair.central).isEmpty)
        bench.air.advance(to: first + 8 * Self.interval)
        #expect(bench.takeEvents(EncryptionChange.self, pair.central).count == 1)
    }
}
