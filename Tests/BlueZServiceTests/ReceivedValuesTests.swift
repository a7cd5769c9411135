// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import TestTraits
import Testing

@testable import BlueZService

@Suite(.realTime, .timeLimit(.minutes(10)))
@ServiceActor
struct ReceivedValuesTests {
    @Test func replyWaitsForTheValuesBeforeIt() async {
        let values = ReceivedValues()
        var events: [String] = []
        let waiting = Task {
            await values.wait(for: 2)
            events.append("reply")
        }
        await Task.yield()
        for number in 1...2 {
            events.append("value \(number)")
            values.take()
        }
        await waiting.value
        #expect(events == ["value 1", "value 2", "reply"])
        // All are passed on: nothing to wait for.
        await values.wait(for: 2)
    }

    @Test func endOfTheLinkEndsTheWaiting() async {
        let values = ReceivedValues()
        let waiting = Task { await values.wait(for: 3) }
        await Task.yield()
        values.end()
        await waiting.value
        await values.wait(for: 9)
        values.take()
    }
}
