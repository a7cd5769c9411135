// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Radio
import Testing

@testable import Emulator

/// A request of a central is answered after what the radio reported before it, and not at all before.
@Suite
struct RequestOrderTests {
    private static let bench = BeaconIdentifier("entrance")
    private static let subscribed = RadioEvent.subscribed(
        bench, central: "phone", CharacteristicIdentifier(IoTDesignShop.majorMinor), .notification)

    @Test
    func writeWaitsForTheSubscriptionBeforeIt() async throws {
        let bench = try BeaconOnABench(nil)
        await bench.beacon.powerOn()
        let events = RadioEvents()
        let directory = BeaconDirectory(events: events)
        directory.setBeacons([bench.beacon])
        events.yield(Self.subscribed)
        let order = EventLog<String>()
        let answer = directory.answer(bench.request(.write(offset: 0, value: [0, 1, 0, 2])))
        let writing = Task {
            let response = await answer.response
            order.append("write")
            return response
        }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == Self.subscribed)
        order.append("subscription")
        // The next event is requested, so the first one is handled.
        events.finish()
        #expect(await iterator.next() == nil)
        #expect(await writing.value == .success([]))
        #expect(order.entries == ["subscription", "write"])
    }

    @Test
    func readIsAnsweredAtOnceWhenAllEventsAreHandled() async throws {
        let bench = try BeaconOnABench(nil)
        let events = RadioEvents()
        let directory = BeaconDirectory(events: events)
        directory.setBeacons([bench.beacon])
        let request = bench.request(.read(offset: 0))
        func isImmediate() -> Bool { if case .now = directory.answer(request) { true } else { false } }
        #expect(isImmediate())
        events.yield(Self.subscribed)
        #expect(!isImmediate())
        var iterator = events.makeAsyncIterator()
        _ = await iterator.next()
        #expect(!isImmediate())
        events.yield(Self.subscribed)
        _ = await iterator.next()
        #expect(events.unhandled == 2)
        await events.handled(upTo: 1)
        events.finish()
        _ = await iterator.next()
        #expect(isImmediate())
    }

    /// The emulator has ended, and the radio has not yet.
    @Test
    func requestDoesNotWaitForAConsumerThatHasEnded() async throws {
        let events = RadioEvents()
        events.yield(Self.subscribed)
        let waiting = Task { await events.handled(upTo: 1) }
        let consumer = Task { for await _ in events { withUnsafeCurrentTask { $0?.cancel() } } }
        await consumer.value
        await waiting.value
        events.yield(Self.subscribed)
        #expect(events.unhandled == nil)
        await events.handled(upTo: 2)
    }
}
