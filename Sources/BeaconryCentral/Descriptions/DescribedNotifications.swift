// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The values that a device notifies of a described characteristic, in order.
///
/// It ends and throws as `Notifications` does, and throws `CentralError` `.invalidValue` at a value that is not as
/// described; the next value can still be requested.
public struct DescribedNotifications<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = CentralError

    private let characteristic: Characteristic
    private let codec: ValueCodec<Value>
    private let values: Notifications

    init(_ characteristic: Characteristic, codec: ValueCodec<Value>, _ values: Notifications) {
        self.characteristic = characteristic
        self.codec = codec
        self.values = values
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(characteristic: characteristic, codec: codec, values: values.makeAsyncIterator())
    }

    /// One consumer.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let characteristic: Characteristic
        fileprivate let codec: ValueCodec<Value>
        fileprivate var values: Notifications.Iterator

        public mutating func next() async throws(CentralError) -> Value? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CentralError) -> Value? {
            guard let octets = try await values.next(isolation: actor) else { return nil }
            return try codec.value(of: octets, characteristic)
        }
    }
}
