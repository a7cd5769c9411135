// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore
import Radio
import Testing

@testable import BlueZRadio

@Suite(.timeLimit(.minutes(1))) struct ServedConversationTests {
    private static let characteristic = CharacteristicIdentifier(.bit16(0x2A19))

    /// The request that an event is.
    private static func request(_ event: ServedEvent?) throws -> ServedRequest {
        guard case .request(let request)? = event else { throw NoRequest(event: event) }
        return request
    }

    private struct NoRequest: Error { let event: ServedEvent? }

    @Test func eachRequestGetsItsAnswer() async throws {
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
        // Nobody waits for it any more.
        conversation.answer(one, .success([8]))
        #expect(await first.value == .success([7]))
        #expect(await second.value == .failure(.invalidOffset))
    }

    @Test func wishesAreHandedOn() async {
        let conversation = ServedConversation()
        conversation.note(Self.characteristic, isWanted: true)
        conversation.note(Self.characteristic, isWanted: false)
        conversation.end()
        var told: [ServedEvent] = []
        for await event in conversation.events { told.append(event) }
        #expect(told == [.subscribed(Self.characteristic, .notification), .subscribed(Self.characteristic, [])])
    }

    @Test func theEndAnswersWhatWaits() async throws {
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
