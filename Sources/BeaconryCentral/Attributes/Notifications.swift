// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The values that a device notifies or indicates of a characteristic, in order.
///
/// It ends when the connection is ended by `Peripheral.disconnect()` or the task is cancelled, and throws when the
/// connection is lost. A consumer that falls `capacity` values behind loses the oldest.
public struct Notifications: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = CentralError

    /// The number of values that are buffered for a slow consumer: 1,024.
    public static let capacity = 1024

    private let characteristic: Characteristic
    private let timeout: Duration
    /// What was subscribed to already; `nil` if each consumer subscribes with its first element.
    private let subscribed: Subscriptions.Values?

    init(of characteristic: Characteristic, timeout: Duration, _ subscribed: Subscriptions.Values? = nil) {
        self.characteristic = characteristic
        self.timeout = timeout
        self.subscribed = subscribed
    }

    public func makeAsyncIterator() -> Iterator { Iterator(characteristic, timeout, subscribed) }

    /// One consumer: it subscribes with its first element, unless `Characteristic.subscribe` has.
    public struct Iterator: AsyncIteratorProtocol {
        private let characteristic: Characteristic
        private let timeout: Duration
        private var values: AsyncStream<Subscriptions.Event>.Iterator?
        private var call: PendingCall?

        fileprivate init(_ characteristic: Characteristic, _ timeout: Duration, _ subscribed: Subscriptions.Values?) {
            self.characteristic = characteristic
            self.timeout = timeout
            values = subscribed?.events.makeAsyncIterator()
            call = subscribed?.call
        }

        public mutating func next() async throws(CentralError) -> [UInt8]? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CentralError) -> [UInt8]? {
            if values == nil {
                let subscribed = try await characteristic.listen(timeout: timeout)
                (values, call) = (subscribed.events.makeAsyncIterator(), subscribed.call)
            }
            switch await values?.next(isolation: actor) {
            case .value(let value): return value
            case .end(let end):
                throw CentralError(.disconnected(end), operation: characteristic.clause("be notified of"))
            case nil: return nil
            }
        }
    }
}
