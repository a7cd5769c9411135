// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Method calls that wait for the handler of one export, which takes them one after another.
///
/// BlueZ writes a long value in several calls: their order is the order of the value.
final class Mailbox: Sendable {
    /// How many calls may wait; a peer that sends more gets errors.
    static let capacity = 1024

    private let continuation: AsyncStream<MethodCall>.Continuation
    private let task: Task<Void, Never>

    init(serve: @escaping @Sendable (MethodCall) async -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MethodCall.self, bufferingPolicy: .bufferingOldest(Self.capacity))
        self.continuation = continuation
        task = Task.detached {
            for await call in stream { await serve(call) }
        }
    }

    /// Puts a call at the end of the line; `false` if the line is full.
    func put(_ call: MethodCall) -> Bool {
        if case .enqueued = continuation.yield(call) { true } else { false }
    }

    /// Lets the calls that wait still through, and takes no more.
    func finish() {
        continuation.finish()
    }

    /// Ends it, with the handler at work cancelled.
    func close() {
        continuation.finish()
        task.cancel()
    }
}
