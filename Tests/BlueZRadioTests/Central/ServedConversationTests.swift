// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import TestTraits
import Testing

@testable import BlueZRadio

@Suite(.realTime, .timeLimit(.minutes(10))) struct ServedConversationTests {
    private static let characteristic = CharacteristicIdentifier(.bit16(0x2A19))

    /// The request of an event.
    private static func request(_ event: ServedEvent?) throws -> ServedRequest {
        guard case .request(let request)? = event else { throw NoRequest(event: event) }
        return request
    }

    private struct NoRequest: Error { let event: ServedEvent? }

    @Test func answerReachesItsRequest() async throws {
        let conversation = ServedConversation()
        var events = conversation.events.makeAsyncIterator()
        let first = Task { await conversation.ask(Self.characteristic, .read(offset: 0)) }
        let one = try Self.request(await events.next())
        let second = Task { await conversation.ask(Self.characteristic, .write(offset: 0, value: [1])) }
        let other = try Self.request(await events.next())
        #expect(one.number != other.number)
        #expect(other.characteristic == Self.characteristic && other.operation == .write(offset: 0, value: [1]))
        conversation.answer(other, .failure(.invalidOffset))
        conversation.answer(one, .success([7]))
        // A second answer has no effect.
        conversation.answer(one, .success([8]))
        #expect(await first.value == .success([7]))
        #expect(await second.value == .failure(.invalidOffset))
    }

    @Test func subscriptionsAreReported() async {
        let conversation = ServedConversation()
        conversation.note(Self.characteristic, isSubscribed: true)
        conversation.note(Self.characteristic, isSubscribed: false)
        conversation.end()
        var events: [ServedEvent] = []
        for await event in conversation.events { events.append(event) }
        #expect(events == [.subscribed(Self.characteristic, .notification), .subscribed(Self.characteristic, [])])
    }

    @Test func endFailsOpenRequests() async throws {
        let conversation = ServedConversation()
        var events = conversation.events.makeAsyncIterator()
        let waiting = Task { await conversation.ask(Self.characteristic, .read(offset: 0)) }
        _ = try Self.request(await events.next())
        conversation.end()
        #expect(await waiting.value == .failure(.unlikely))
        #expect(await conversation.ask(Self.characteristic, .read(offset: 0)) == .failure(.unlikely))
        #expect(await events.next() == nil)
    }
}
