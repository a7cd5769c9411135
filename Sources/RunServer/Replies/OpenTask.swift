// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// A task that is cancelled when its connection ends. A finished task is released, because a connection may last longer than
/// many of them.
final class OpenTask: Sendable {
    private let task: Mutex<Task<Void, any Error>?>

    init(_ task: Task<Void, any Error>) { self.task = Mutex(task) }

    func cancel() { task.withLock { $0?.cancel() } }

    /// Writes what clients ignore, twice, to a client that has closed its side of the connection: if it has closed the other one,
    /// too, the second write fails, and the connection ends.
    func verify(by pulse: String, on channel: any Channel) {
        guard task.withLock({ $0 != nil }) else { return }
        channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(string: pulse)), promise: nil)
        channel.eventLoop.scheduleTask(in: .milliseconds(100)) { [self] in
            guard task.withLock({ $0 != nil }) else { return }
            channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(string: pulse)), promise: nil)
        }
    }

    func release() { task.withLock { $0 = nil } }
}
