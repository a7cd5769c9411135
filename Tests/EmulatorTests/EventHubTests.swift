// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import TestTraits
import Testing

@testable import Emulator

/// Events and their readers, fast and slow.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct EventHubTests {
    private static func number(_ number: Int) -> EmulatorEvent { .reloaded(beacons: number) }

    private static func text(_ posted: PostedEvent?) -> String {
        switch posted?.event {
        case .reloaded(let number): "number \(number)"
        case .lost(let count): "lost \(count)"
        default: "none"
        }
    }

    private static func read(_ stream: AsyncStream<PostedEvent>) async -> [String] {
        var received: [String] = []
        for await posted in stream { received.append(text(posted)) }
        return received
    }

    @Test
    func readerReceivesLaterEvents() async {
        let hub = EventHub()
        hub.post(Self.number(0))
        let first = hub.listen()
        hub.post(Self.number(1))
        let second = hub.listen()
        hub.post(Self.number(2))
        hub.finish()
        #expect(await Self.read(first) == ["number 1", "number 2"])
        #expect(await Self.read(second) == ["number 2"])
    }

    /// The queue of the default capacity is bounded: a reader that is too slow loses the oldest events.
    @Test
    func slowReaderLosesTheOldestEvents() async {
        let hub = EventHub()
        let stream = hub.listen()
        for number in 0..<5000 { hub.post(Self.number(number)) }
        hub.finish()
        let received = await Self.read(stream)
        #expect(received.count == 4097)
        #expect(received.prefix(2) == ["lost 904", "number 904"])
        #expect(received.last == "number 4999")
    }

    @Test
    func slowReaderReceivesTheNumberOfLostEvents() async {
        let hub = EventHub(capacity: 3)
        let (slow, fast) = (hub.listen(), hub.listen())
        var reader = fast.makeAsyncIterator()
        for number in 0..<10 {
            hub.post(Self.number(number))
            #expect(Self.text(await reader.next()) == "number \(number)")
        }
        hub.finish()
        #expect(await reader.next() == nil)
        #expect(await Self.read(slow) == ["lost 7", "number 7", "number 8", "number 9"])
    }

    @Test
    func lostEventsAreReportedInTheirPlace() async {
        let hub = EventHub(capacity: 2)
        let stream = hub.listen()
        var reader = stream.makeAsyncIterator()
        for number in 0..<2 { hub.post(Self.number(number)) }
        #expect(Self.text(await reader.next()) == "number 0")
        for number in 2..<5 { hub.post(Self.number(number)) }
        let lost = await reader.next()
        let record = lost.map { EventRecord($0) }
        #expect(record?.event == "events-lost")
        #expect(record?.count == 2)
        #expect(record?.message == "2 events were lost, because they were read too slowly")
        #expect(Self.text(await reader.next()) == "number 3")
        #expect(Self.text(await reader.next()) == "number 4")
    }

    @Test
    func waitingReaderReceivesEventsAtOnceAndLosesNone() async {
        let hub = EventHub(capacity: 1)
        let stream = hub.listen()
        async let received = Self.read(stream)
        for number in 0..<5 {
            hub.post(Self.number(number))
            while !hub.isRead { await Task.yield() }
        }
        hub.finish()
        #expect(await received == (0..<5).map { "number \($0)" })
    }

    @Test
    func eventsOfSeveralThreadsArriveInTheOrderOfTheirNumbers() async {
        let (threads, each) = (4, 5000)
        let hub = EventHub(capacity: threads * each)
        let stream = hub.listen()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask { for number in 0..<each { hub.post(Self.number(thread * each + number)) } }
            }
        }
        hub.finish()
        var numbers: [UInt64] = []
        for await posted in stream { numbers.append(posted.sequence) }
        #expect(numbers == (1...UInt64(threads * each)).map(\.self))
    }

    @Test
    func cancelledReaderEndsAndIsRemoved() async {
        let hub = EventHub()
        let stream = hub.listen()
        let reading = Task { await Self.read(stream) }
        hub.post(Self.number(1))
        while !hub.isRead { await Task.yield() }
        reading.cancel()
        #expect(await reading.value == ["number 1"])
        #expect(hub.readerCount == 0)
        do { _ = hub.listen() }
        #expect(hub.readerCount == 0)
    }

    /// Resuming a task and cancelling it use the same lock of the runtime: none of the hub's may be held meanwhile.
    @Test(arguments: [false, true])
    func readersMayBeCancelledWhileEventsArePosted(_ isSelection: Bool) async {
        let hub = EventHub()
        for round in 0..<2000 {
            let readers = (0..<4).map { _ in
                let stream = isSelection ? hub.listen(where: { _ in true }) : hub.listen()
                return Task { await Self.read(stream) }
            }
            hub.post(Self.number(round))
            while !hub.isRead { await Task.yield() }
            async let posting: Void = Self.post(round, to: hub)
            for reader in readers { reader.cancel() }
            await posting
            for reader in readers { _ = await reader.value }
        }
        #expect(hub.readerCount == 0)
    }

    private static func post(_ round: Int, to hub: EventHub) async {
        for event in 0..<4 { hub.post(number(round + event)) }
    }

    @Test
    func readerOfAFinishedHubEnds() async {
        let hub = EventHub()
        hub.finish()
        #expect(await Self.read(hub.listen()).isEmpty)
    }
}
