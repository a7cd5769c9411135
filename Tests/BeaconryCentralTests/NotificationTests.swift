// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconryCentral
import TestSupport
import TestTraits
import Testing

/// The consumers of notifications, and the subscriptions to the device.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct NotificationTests {
    @Test func deviceIsSubscribedOnceForAllConsumers() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            #expect(stage.peer.subscription(to: ScriptedPeer.value) == [])
            let speaking = Task {
                while !Task.isCancelled {
                    stage.peer.notify([7])
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
            var one: Notifications.Iterator? = value.notifications().makeAsyncIterator()
            var other: Notifications.Iterator? = value.notifications().makeAsyncIterator()
            #expect(try await one?.next() == [7])
            #expect(try await other?.next() == [7])
            #expect(stage.peer.subscription(to: ScriptedPeer.value) == .notification)
            one = nil
            _ = try await value.read()
            #expect(stage.peer.subscription(to: ScriptedPeer.value) == .notification)
            #expect(try await other?.next() == [7])
            other = nil
            try await until { stage.peer.subscription(to: ScriptedPeer.value) == [] }
            speaking.cancel()
            #expect(Self.subscriptionWrites(stage) == [[1, 0], [0, 0]])
        }
    }

    /// The values that were written to client configuration descriptors, in order.
    private static func subscriptionWrites(_ stage: Stage) -> [[UInt8]] {
        stage.peer.received.filter { $0.first == 0x12 && $0.count == 5 }.map { Array($0.suffix(2)) }
    }

    @Test func readResponseIsNotANotification() async throws {
        try await Stage.with { stage in
            stage.peer[ScriptedPeer.value] = [1]
            let value = try await stage.value()
            let values = Task {
                var values: [[UInt8]] = []
                for try await next in value.notifications() {
                    values.append(next)
                    if next == [99] { break }
                }
                return values
            }
            try await until { stage.peer.subscription(to: ScriptedPeer.value) == .notification }
            for number in 2...20 as ClosedRange<UInt8> {
                stage.peer.notify([number])
                #expect(try await value.read() == [1])
            }
            stage.peer.notify([99])
            #expect(try await values.value == (2...20).map { [$0] } + [[99]])
        }
    }

    @Test func valuesAreIndicatedIfTheyAreNotNotified() async throws {
        try await Stage.with { stage in
            let indicated = try await stage.characteristic(ScriptedPeer.indicated)
            let values = Task {
                for try await value in indicated.notifications() { return value }
                return []
            }
            try await until { stage.peer.subscription(to: ScriptedPeer.indicated) == .indication }
            stage.peer.send([[0x1D] + stage.peer.handle(of: ScriptedPeer.indicated).serialized() + [5, 6]])
            #expect(try await values.value == [5, 6])
            try await until { stage.peer.received.contains([0x1E]) }
        }
    }

    @Test func consumersGetOnlyTheirDiscoveries() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            let values = Task {
                for try await value in value.notifications() { return value }
                return []
            }
            try await until { stage.peer.subscription(to: ScriptedPeer.value) == .notification }
            stage.peer.notify([1], of: ScriptedPeer.constant)
            stage.peer.send([[0x1B, 0xFF, 0xFF, 1], [0x1B, 0x01], [0x1B], []])
            stage.peer.notify([2])
            #expect(try await values.value == [2])
        }
    }

    @Test func sequenceEndsWithTaskOrDisconnectionAndThrowsOnLoss() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            let counters = [Counter(), Counter()]
            let consumers = counters.map { counter in
                Task { for try await _ in value.notifications() { counter.add() } }
            }
            try await until {
                stage.peer.notify([1])
                return counters.allSatisfy { $0.count > 0 }
            }
            consumers[0].cancel()
            try await consumers[0].value
            await stage.peripheral.disconnect()
            try await consumers[1].value
            await expect(.disconnected(.requested)) { for try await _ in value.notifications() {} }

            let again = try await stage.value()
            let consumer = Task { for try await _ in again.notifications() {} }
            try await until { stage.peer.subscription(to: ScriptedPeer.value) == .notification }
            stage.peer.hangUp()
            let end = ConnectionEnd.lost("remote user terminated connection (0x13)")
            await expect(.disconnected(end)) { try await consumer.value }
            #expect(await stage.peripheral.state == .disconnected(end))
        }
    }

    @Test func cancelledSubscriptionIsRolledBack() async throws {
        let clock = ManualClock()
        try await Stage.with(clock: clock) { stage in
            let value = try await stage.value()
            stage.peer.follow { pdu in pdu.first == 0x12 ? .these([]) : .asUsual }
            let late = Task { for try await _ in value.notifications(timeout: .milliseconds(100)) {} }
            try await until { Self.subscriptionWrites(stage) == [[1, 0]] }
            await clock.waitForSleeper(of: .milliseconds(100))
            clock.advance(by: .milliseconds(100))
            await expect(.timedOut(after: .milliseconds(100))) { try await late.value }
            // The response to the write comes after the end of its time.
            stage.peer.send([[0x13]])
            try await until { Self.subscriptionWrites(stage) == [[1, 0], [0, 0]] }
            stage.peer.send([[0x13]])
            stage.peer.behave()
            let values = Task {
                for try await value in value.notifications() { return value }
                return []
            }
            try await until { stage.peer.subscription(to: ScriptedPeer.value) == .notification }
            stage.peer.notify([3])
            #expect(try await values.value == [3])
        }
    }

    @Test func slowConsumerLosesOnlyTheOldestValues() async throws {
        try await Stage.with { stage in
            let value = try await stage.value()
            var iterator = value.notifications().makeAsyncIterator()
            stage.peer.follow { pdu in
                let notification = [0x1B] + stage.peer.handle(of: ScriptedPeer.value).serialized() + [0]
                return pdu.first == 0x12 ? .usualAnd([notification]) : .asUsual
            }
            #expect(try await iterator.next() == [0])
            let count = Notifications.capacity + 100
            for number in 1...count {
                stage.peer.notify([UInt8(number & 0xFF), UInt8(number >> 8)])
                // The values in flight must fit into the controllers.
                if number % 50 == 0 { _ = try await value.read() }
            }
            _ = try await value.read()
            let oldest = count - Notifications.capacity + 1
            #expect(try await iterator.next() == [UInt8(oldest & 0xFF), UInt8(oldest >> 8)])
        }
    }
}
