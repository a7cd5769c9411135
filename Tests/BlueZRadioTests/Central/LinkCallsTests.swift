// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Radio
import Synchronization
import TestTraits
import Testing

@testable import BlueZRadio

@Suite(.realTime, .timeLimit(.minutes(10))) struct LinkCallsTests {
    @Test func callReturnsItsReply() async throws {
        let calls = LinkCalls()
        #expect(try await calls.run { .success([.int16(1)]) } == .success([.int16(1)]))
        #expect(try await calls.run { .failure(.timeout("late")) } == .failure(.timeout("late")))
        #expect(calls.end == nil)
    }

    @Test func endFailsPendingCalls() async {
        let calls = LinkCalls()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let wasCancelled = Mutex(false)
        let waiting = Task { () async -> Result<LinkCalls.Answer, RemoteError> in
            await Self.outcome { () async throws(RemoteError) in
                try await calls.run {
                    start.yield()
                    // Until the call is cancelled.
                    while !Task.isCancelled { await Task.yield() }
                    wasCancelled.withLock { $0 = true }
                    start.yield()
                    return .success([])
                }
            }
        }
        let end = Task { await calls.waitForEnd() }
        var turns = started.makeAsyncIterator()
        await turns.next()
        calls.end("the device is gone")
        #expect(await waiting.value == .failure(.disconnected("the device is gone")))
        #expect(await end.value == "the device is gone")
        await turns.next()
        #expect(wasCancelled.withLock { $0 })
    }

    @Test func callAfterTheEndFails() async {
        let calls = LinkCalls()
        calls.end("first")
        calls.end("second")
        let outcome = await Self.outcome { () async throws(RemoteError) in
            try await calls.run {
                Issue.record("it was called")
                return .success([])
            }
        }
        #expect(outcome == .failure(.disconnected("first")))
        #expect(await calls.waitForEnd() == "first")
        #expect(calls.end == "first")
    }

    @Test func cancellingTaskCancelsCall() async {
        let calls = LinkCalls()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task { () async -> Result<LinkCalls.Answer, RemoteError> in
            await Self.outcome { () async throws(RemoteError) in
                try await calls.run {
                    start.yield()
                    while !Task.isCancelled { await Task.yield() }
                    return .failure(.cancelled())
                }
            }
        }
        var turns = started.makeAsyncIterator()
        await turns.next()
        waiting.cancel()
        #expect(await waiting.value == .success(.failure(.cancelled())))
    }

    private static func outcome(
        _ body: () async throws(RemoteError) -> LinkCalls.Answer
    ) async -> Result<LinkCalls.Answer, RemoteError> {
        do throws(RemoteError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
