// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Concurrency
import TestTraits
import Testing

@Suite(.realTime, .timeLimit(.minutes(10))) struct ObservedStateTests {
    @Test func observersReceiveTheChangesInOrder() async {
        let state = ObservedState(0, capacity: 10)
        let stream = state.stream
        for number in [1, 1, 2, 3] { state.set(number) }
        state.finish()
        var received: [Int] = []
        for await number in stream { received.append(number) }
        #expect(received == [0, 1, 2, 3])
        #expect(state.value == 3)
    }

    /// Resuming a task and cancelling it use the same lock of the runtime: no lock of the state may be held by both.
    @Test func observersMayBeCancelledWhileTheStateChanges() async {
        let state = ObservedState(0)
        for round in 0..<2000 {
            let first = round * 10
            state.set(first)
            let observing = (0..<4).map { _ in
                let stream = state.stream
                return Task { for await _ in stream {} }
            }
            await Task.yield()
            async let changing: Void = Self.change(state, first + 1..<first + 5)
            for task in observing { task.cancel() }
            await changing
            for task in observing { await task.value }
        }
        #expect(state.value == 1999 * 10 + 4)
    }

    private static func change(_ state: ObservedState<Int>, _ numbers: Range<Int>) async {
        for number in numbers { state.set(number) }
    }
}
