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

    init(of characteristic: Characteristic, timeout: Duration) {
        self.characteristic = characteristic
        self.timeout = timeout
    }

    public func makeAsyncIterator() -> Iterator { Iterator(characteristic, timeout) }

    /// One consumer: it subscribes with its first element.
    public struct Iterator: AsyncIteratorProtocol {
        private let characteristic: Characteristic
        private let timeout: Duration
        private var values: AsyncStream<Subscriptions.Event>.Iterator?

        fileprivate init(_ characteristic: Characteristic, _ timeout: Duration) {
            self.characteristic = characteristic
            self.timeout = timeout
        }

        public mutating func next() async throws(CentralError) -> [UInt8]? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CentralError) -> [UInt8]? {
            if values == nil {
                values = try await characteristic.listen(timeout: timeout).makeAsyncIterator()
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
