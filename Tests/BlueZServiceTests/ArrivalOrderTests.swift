// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio
import Synchronization
import TestTraits
import Testing

@testable import BlueZService

@Suite(.realTime, .timeLimit(.minutes(10)))
@ServiceActor
struct ArrivalOrderTests {
    /// What arrives while a request is in progress: `v` is a value, `r` is the response.
    @Test(arguments: ["r", "vr", "rv", "vvr", "rvv", "vrv", "vvrvv"], [true, false])
    func valuesAndResultArePassedOnAsTheyArrived(arrivals: String, isResultFirst: Bool) async {
        let link = ScriptedArrivals()
        let order = link.order
        var events = ""
        let result = Task {
            await order.perform { await link.response() }
            events += "r"
        }
        await link.waitForRequest()
        for arrival in arrivals { arrival == "v" ? link.addValue() : link.addResponse() }
        // Either task may be the first to run.
        if isResultFirst {
            link.resume()
            for _ in 0..<3 { await Task.yield() }
        }
        let values = Task {
            for arrival in arrivals where arrival == "v" {
                await order.waitForTurnOfValue()
                events += "v"
                order.passedValue()
            }
        }
        for _ in 0..<3 { await Task.yield() }
        link.resume()
        await result.value
        await values.value
        #expect(events == arrivals)
    }

    @Test func valuesWithoutARequestDoNotWait() async {
        let link = ScriptedArrivals()
        let order = link.order
        link.addResponse()
        link.addValue()
        await order.waitForTurnOfValue()
        order.passedValue()
        // All are passed on: nothing to wait for.
        link.addResponse()
        await order.perform {}
    }

    @Test func endOfTheLinkEndsTheWaiting() async {
        let link = ScriptedArrivals()
        let order = link.order
        let result = Task { await order.perform { await link.response() } }
        await link.waitForRequest()
        link.addValue()
        link.addResponse()
        link.resume()
        await Task.yield()
        order.end()
        await result.value
        await order.waitForTurnOfValue()
        order.passedValue()
    }
}

/// What arrives over a link, and a request whose task resumes when the test says so.
private final class ScriptedArrivals: Sendable {
    private let arrivals = Mutex(LinkArrivals())
    private let requests = AsyncStream<Void>.makeStream()
    private let responses = AsyncStream<Void>.makeStream()

    @ServiceActor var order: ArrivalOrder { ArrivalOrder { self.arrivals.withLock { $0 } } }

    func addValue() { arrivals.withLock { $0.addValue() } }

    func addResponse() { arrivals.withLock { $0.addResponse() } }

    func waitForRequest() async {
        for await _ in requests.stream { return }
    }

    func response() async {
        requests.continuation.yield()
        for await _ in responses.stream { return }
    }

    func resume() { responses.continuation.yield() }
}
