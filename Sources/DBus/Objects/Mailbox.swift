// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Runs asynchronous handlers of one export one after another, in the order of the calls.
///
/// The order matters: bluetoothd writes a long value in several calls.
final class Mailbox: Sendable {
    /// The maximum number of waiting calls; further calls get an error.
    static let capacity = 1024

    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation
    private let task: Task<Void, Never>

    init() {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (@Sendable () async -> Void).self, bufferingPolicy: .bufferingOldest(Self.capacity))
        self.continuation = continuation
        task = Task.detached {
            for await serve in stream { await serve() }
        }
    }

    deinit {
        continuation.finish()
    }

    /// Appends a call.
    /// - Returns: `false` if the queue is full.
    func put(_ serve: @escaping @Sendable () async -> Void) -> Bool {
        if case .enqueued = continuation.yield(serve) { true } else { false }
    }

    /// Ends the queue after the waiting calls.
    func finish() {
        continuation.finish()
    }

    /// Ends the queue, and cancels the running handler.
    func close() {
        continuation.finish()
        task.cancel()
    }
}
