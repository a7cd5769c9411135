// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Concurrency
import HCIRadio
import Radio
import Receiving
import TestSupport
import TestTraits
import Testing

@testable import BeaconryTools

@Suite(.realTime, .timeLimit(.minutes(10)))
struct ReceptionsTests {
    @Test func streamYieldsSightingsAndTheTimeAndEnds() async {
        let clock = ManualClock()
        let (sightings, input) = AsyncStream.makeStream(of: Sighting.self)
        var receptions = Reception.stream(of: sightings, every: .seconds(1), clock: clock).makeAsyncIterator()
        await clock.waitForSleeper(of: .seconds(1))
        clock.advance(by: .milliseconds(400))
        let sighting = Sighting(
            device: RemoteAddress(.zero, isRandom: true), pdu: .nonConnectable, data: [2, 1, 6], rssi: RSSI(-59))
        input.yield(sighting)
        #expect(await receptions.next() == .received(sighting, at: .milliseconds(400)))
        clock.advance(by: .milliseconds(600))
        #expect(await receptions.next() == .passed(.seconds(1)))
        await clock.waitForSleeper(of: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await receptions.next() == .passed(.seconds(2)))
        input.finish()
        #expect(await receptions.next() == nil)
    }

    /// A radio as receiver with a beacon of 100 ms.
    private static func radioWithBeacon() async throws -> VirtualAirRadio {
        let radio = VirtualAirRadio(VirtualAirOptions(seed: 1, servers: []))
        let advertisement = Advertisement(pdu: .nonConnectable, advertisingData: [], interval: AdvertisingInterval(160))
        let beacon = HostedBeacon(identifier: BeaconIdentifier("door"), services: [], advertisement: advertisement)
        _ = try await radio.open([beacon], waits: false) { _ in .failure(.unlikely) }
        _ = try await radio.openCentral(waits: false)
        await radio.advertise(advertisement, for: beacon.identifier)
        return radio
    }

    @Test func batchesHaveTheSightingsOfAPeriodBeforeItsEnd() async throws {
        try await Simulation.run { _ in
            let radio = try await Self.radioWithBeacon()
            var batches: [[Reception]] = []
            for await batch in try await radio.receptionsByPeriod(every: .milliseconds(250)) {
                batches.append(batch)
                if batches.count == 20 { break }
            }
            for (number, batch) in batches.enumerated() {
                #expect(batch.map(\.time) == batch.map(\.time).sorted())
                #expect(batch.last == .passed(.milliseconds(250) * (number + 1)))
                // 100 ms, and a delay of up to 10 ms.
                #expect(2...4 ~= batch.count)
            }
            await radio.close()
        }
    }

    @Test func shorterPeriodEndsWithTheListening() async throws {
        try await Simulation.run { _ in
            let radio = try await Self.radioWithBeacon()
            var ends: [Duration] = []
            let end = Duration.milliseconds(1600)
            for await batch in try await radio.receptionsByPeriod(every: .milliseconds(500), until: end) {
                ends.append(try #require(batch.last?.time))
                if ends.last == end { break }
            }
            #expect(ends == [.milliseconds(500), .milliseconds(1000), .milliseconds(1500), end])
            await radio.close()
        }
    }
}
