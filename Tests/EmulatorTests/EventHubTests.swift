// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Emulator

/// Events and their listeners, fast and slow.
@Suite(.timeLimit(.minutes(1)))
struct EventHubTests {
    private static func number(_ number: Int) -> EventRecord {
        var record = EventRecord("number")
        record.beacons = number
        return record
    }

    private static func read(_ stream: AsyncStream<EventRecord>) async -> [String] {
        var told: [String] = []
        for await record in stream { told.append("\(record.event) \(record.beacons ?? record.count ?? -1)") }
        return told
    }

    @Test
    func slowListenerIsToldHowManyEventsItLost() async {
        let hub = EventHub(capacity: 3)
        let (slow, fast) = (hub.listen(), hub.listen())
        var reader = fast.makeAsyncIterator()
        for number in 0..<10 {
            hub.post(Self.number(number))
            #expect(await reader.next()?.beacons == number)
        }
        hub.finish()
        #expect(await reader.next() == nil)
        #expect(await Self.read(slow) == ["events-lost 7", "number 7", "number 8", "number 9"])
    }

    @Test
    func gapIsToldInItsPlace() async {
        let hub = EventHub(capacity: 2)
        let stream = hub.listen()
        var reader = stream.makeAsyncIterator()
        for number in 0..<2 { hub.post(Self.number(number)) }
        #expect(await reader.next()?.beacons == 0)
        for number in 2..<5 { hub.post(Self.number(number)) }
        let lost = await reader.next()
        #expect(lost?.event == "events-lost")
        #expect(lost?.count == 2)
        #expect(lost?.message == "2 events were lost, because they were read too slowly")
        #expect(await reader.next()?.beacons == 3)
        #expect(await reader.next()?.beacons == 4)
    }

    @Test
    func waitingListenerReceivesAtOnceAndLosesNothing() async {
        let hub = EventHub(capacity: 1)
        let stream = hub.listen()
        async let told = Self.read(stream)
        for number in 0..<5 {
            hub.post(Self.number(number))
            while !hub.isRead { await Task.yield() }
        }
        hub.finish()
        #expect(await told == (0..<5).map { "number \($0)" })
    }

    @Test
    func cancelledListenerEndsAndIsForgotten() async {
        let hub = EventHub()
        let stream = hub.listen()
        let reading = Task { await Self.read(stream) }
        hub.post(Self.number(1))
        while !hub.isRead { await Task.yield() }
        reading.cancel()
        #expect(await reading.value == ["number 1"])
        #expect(hub.listenerCount == 0)
        do { _ = hub.listen() }
        #expect(hub.listenerCount == 0)
    }

    @Test
    func listenerOfAFinishedHubEnds() async {
        let hub = EventHub()
        hub.finish()
        #expect(await Self.read(hub.listen()).isEmpty)
    }
}
