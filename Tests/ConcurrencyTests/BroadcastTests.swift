// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import Testing

@Suite struct BroadcastTests {
    @Test func readersGetTheElementsFromTheirStartOn() async {
        let broadcast = Broadcast<Int>()
        broadcast.send(1)
        let first = broadcast.stream()
        broadcast.send(2)
        let second = broadcast.stream(after: [10, 11])
        broadcast.send(3)
        broadcast.finish()
        #expect(await first.reduce(into: []) { $0.append(Self.text($1)) } == ["2", "3"])
        #expect(await second.reduce(into: []) { $0.append(Self.text($1)) } == ["10", "11", "3"])
    }

    @Test func readerThatFallsBehindGetsTheNumberOfLostElements() async {
        let broadcast = Broadcast<Int>(capacity: 4)
        let (slow, quick) = (broadcast.stream(), broadcast.stream())
        var iterator = quick.makeAsyncIterator()
        for number in 1...20 {
            broadcast.send(number)
            guard case .element(number)? = await iterator.next() else {
                Issue.record("the reader that keeps up lost \(number)")
                return
            }
        }
        for number in 21...1000 { broadcast.send(number) }
        broadcast.finish()
        let received = await slow.reduce(into: []) { $0.append(Self.text($1)) }
        guard let lost = received.first.flatMap({ Int($0.dropFirst(5)) }) else {
            Issue.record("nothing was lost: \(received)")
            return
        }
        #expect(received.first == "lost \(lost)")
        #expect(received.dropFirst().map { $0 } == ((lost + 1)...1000).map { "\($0)" })
        // It may be as far behind as the capacity.
        #expect(received.count - 1 >= 4)
    }

    @Test func readerThatEndsIsRemoved() async {
        let broadcast = Broadcast<Int>()
        #expect(!broadcast.hasReaders)
        let task = Task { for await _ in broadcast.stream() {} }
        while !broadcast.hasReaders { await Task.yield() }
        task.cancel()
        await task.value
        while broadcast.hasReaders { await Task.yield() }
        broadcast.send(1)
        let later = broadcast.stream()
        broadcast.send(2)
        broadcast.finish()
        #expect(await later.reduce(into: []) { $0.append(Self.text($1)) } == ["2"])
    }

    @Test func sendersAndReadersOnAllThreadsLoseNothing() async {
        let broadcast = Broadcast<Int>(capacity: 100_000)
        let sums = await withTaskGroup(of: Int.self) { group in
            let streams = (0..<8).map { _ in broadcast.stream() }
            for stream in streams {
                group.addTask { await stream.reduce(0) { $0 + (Int(Self.text($1)) ?? 0) } }
            }
            await withTaskGroup(of: Void.self) { senders in
                for sender in 0..<4 {
                    senders.addTask { for number in 0..<1000 { broadcast.send(sender * 1000 + number) } }
                }
            }
            broadcast.finish()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == Array(repeating: 3999 * 4000 / 2, count: 8))
    }

    private static func text(_ item: Broadcast<Int>.Item) -> String {
        switch item {
        case .element(let number): "\(number)"
        case .lost(let count): "lost \(count)"
        }
    }
}
