// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
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
}
