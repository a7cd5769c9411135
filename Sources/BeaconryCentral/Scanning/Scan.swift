// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth
import Radio

/// The discoveries of a central. Each iteration is a consumer of its own; all share the scan of the radio.
///
/// The radio scans while there are consumers. The sequence ends after `ScanOptions.duration`, or
/// when the task is cancelled, and throws when the radio is lost. A consumer that falls `capacity` discoveries behind
/// loses the oldest.
public struct Scan: AsyncSequence, Sendable {
    public typealias Element = Discovery
    public typealias Failure = CentralError

    /// The number of discoveries that are buffered for a slow consumer: 4,096.
    public static let capacity = 4096

    private let central: Central
    private let options: ScanOptions

    init(by central: Central, _ options: ScanOptions) {
        self.central = central
        self.options = options
    }

    public func makeAsyncIterator() -> Iterator { Iterator(central, options) }

    /// One consumer: it begins with its first element.
    public struct Iterator: AsyncIteratorProtocol {
        private let central: Central
        private let options: ScanOptions
        private var discoveries: AsyncStream<Result<Discovery, CentralError>>.Iterator?
        private var call: PendingCall?

        fileprivate init(_ central: Central, _ options: ScanOptions) {
            self.central = central
            self.options = options
        }

        public mutating func next() async throws(CentralError) -> Discovery? {
            try await next(isolation: nil)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CentralError) -> Discovery? {
            if discoveries == nil {
                call = central.beginScan()
                discoveries = try await central.listen(options).makeAsyncIterator()
            }
            return try await discoveries?.next(isolation: actor)?.get()
        }
    }
}

/// A device that was seen by a scan.
public struct Discovery: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// The advertisement that was received.
    public let sighting: Sighting
    /// All that the device advertises, as far as it was received until now.
    public let advertisement: ReceivedAdvertisement
    /// When it was received: the time since the `Central` was created.
    public var time: Duration { advertisement.time }
}
