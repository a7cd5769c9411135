// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization

/// The consumers of each characteristic's notifications, and the subscriptions to the device.
final class Subscriptions: Sendable {
    /// An event for a consumer: a value, or the end of the values with its reason.
    enum Event: Sendable {
        case value([UInt8])
        case end(ConnectionEnd)
    }

    /// The values for a consumer, who is subscribed.
    struct Values: Sendable {
        let events: AsyncStream<Event>
        /// The subscription, among the calls that have not returned.
        let call: PendingCall
    }

    typealias Consumer = AsyncStream<Event>.Continuation

    private struct Subscription {
        var consumers: [UInt64: Consumer] = [:]
        /// Whether it is subscribed; changed in the connection's turn only.
        var isOn = false
    }

    private struct State {
        var subscriptions: [AttributeHandle: Subscription] = [:]
        var lastConsumer: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Adds a consumer of the characteristic with this value handle.
    /// - Returns: its number; `nil` if the connection has ended.
    func add(_ consumer: Consumer, of handle: AttributeHandle) -> UInt64? {
        state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastConsumer += 1
            state.subscriptions[handle, default: Subscription()].consumers[state.lastConsumer] = consumer
            return state.lastConsumer
        }
    }

    /// Removes a consumer.
    /// - Returns: whether it was the last one.
    func remove(_ consumer: UInt64, of handle: AttributeHandle) -> Bool {
        state.withLock { state in
            state.subscriptions[handle]?.consumers[consumer] = nil
            return state.subscriptions[handle]?.consumers.isEmpty ?? false
        }
    }

    /// The change that makes the subscription match the consumers: `true` to subscribe, `false` to unsubscribe, `nil` for none.
    func change(of handle: AttributeHandle) -> Bool? {
        state.withLock { state in
            guard let subscription = state.subscriptions[handle] else { return nil }
            let isWanted = !subscription.consumers.isEmpty
            return isWanted == subscription.isOn ? nil : isWanted
        }
    }

    /// Records that the device was subscribed to, or not any more.
    func set(_ isOn: Bool, for handle: AttributeHandle) {
        state.withLock { state in
            state.subscriptions[handle, default: Subscription()].isOn = isOn
            if !isOn, state.subscriptions[handle]?.consumers.isEmpty == true { state.subscriptions[handle] = nil }
        }
    }

    /// Hands a value to its consumers.
    func take(_ notification: RemoteNotification) {
        let consumers = state.withLock { $0.subscriptions[notification.handle]?.consumers.values.map(\.self) ?? [] }
        for consumer in consumers { consumer.yield(.value(notification.value)) }
    }

    /// Ends all consumers, with an error unless this side ended the connection.
    func finish(_ end: ConnectionEnd) {
        let consumers = state.withLock { state in
            defer { state = State(isFinished: true) }
            return state.subscriptions.values.flatMap(\.consumers.values)
        }
        for consumer in consumers {
            if end != .requested { consumer.yield(.end(end)) }
            consumer.finish()
        }
    }
}
