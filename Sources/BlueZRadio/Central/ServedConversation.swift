// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization

/// The requests and subscriptions of a device for attributes that this side serves, and the answers to the requests.
final class ServedConversation: Sendable {
    let events: AsyncStream<ServedEvent>
    private let event: AsyncStream<ServedEvent>.Continuation
    private let state = Mutex(State())

    private struct State {
        var number: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<AttributeResponse, Never>] = [:]
        var isOver = false
    }

    init() {
        (events, event) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
    }

    /// Reports a request, and waits for the answer.
    func ask(
        _ characteristic: CharacteristicIdentifier, _ operation: AttributeRequest.Operation
    ) async -> AttributeResponse {
        await withCheckedContinuation { continuation in
            let number: UInt64? = state.withLock { state in
                guard !state.isOver else { return nil }
                state.number += 1
                state.waiting[state.number] = continuation
                return state.number
            }
            guard let number else { return continuation.resume(returning: .failure(.unlikely)) }
            event.yield(
                .request(ServedRequest(number: number, characteristic: characteristic, operation: operation)))
        }
    }

    /// Answers a request. Without effect if it was answered, or if the conversation is over.
    func answer(_ request: ServedRequest, _ response: AttributeResponse) {
        state.withLock { $0.waiting.removeValue(forKey: request.number) }?.resume(returning: response)
    }

    /// Reports a subscription of the device or its end. bluetoothd does not distinguish notifications and
    /// indications.
    func note(_ characteristic: CharacteristicIdentifier, isSubscribed: Bool) {
        event.yield(.subscribed(characteristic, isSubscribed ? .notification : []))
    }

    /// Ends the conversation: the connection has ended. Open requests fail.
    func end() {
        let waiting = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: .failure(.unlikely)) }
        event.finish()
    }
}
