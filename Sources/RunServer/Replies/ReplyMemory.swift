// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What replies hold for the clients that have not read them yet, of all connections of the process.
///
/// Above the limit, the replies whose clients have read nothing for the longest time are cut, so that clients that read are not
/// refused because of clients that do not.
final class ReplyMemory: Sendable {
    /// The limit of the process, in bytes.
    static let limit = 64 << 20
    /// The memory of the replies of this process.
    static let process = ReplyMemory(limit: limit)

    /// What one reply holds.
    struct Held: Sendable {
        fileprivate let number: Int
        fileprivate let memory: ReplyMemory

        /// Takes note that the client has read something.
        func advance() { memory.advance(number) }

        /// Ends the reply.
        func end() { memory.end(number) }
    }

    private struct Reply {
        let bytes: Int
        /// Larger for a reply of which something was read later.
        var progress: Int
        let cut: @Sendable () -> Void
    }

    private struct State {
        var replies: [Int: Reply] = [:]
        var bytes = 0
        /// The last number that was given to a reply or a progress.
        var last = 0

        mutating func next() -> Int {
            last += 1
            return last
        }

        mutating func remove(_ number: Int) -> Reply? {
            guard let reply = replies.removeValue(forKey: number) else { return nil }
            bytes -= reply.bytes
            return reply
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The bytes that all replies hold.
    var bytes: Int { state.withLock(\.bytes) }

    /// Begins a reply, and cuts others if all together hold more than the limit.
    /// - Parameters:
    ///   - bytes: what the reply holds until its end.
    ///   - cut: ends the connection of the reply.
    func hold(_ bytes: Int, cut: @escaping @Sendable () -> Void) -> Held {
        let (number, stalled) = state.withLock { state in
            let number = state.next()
            var stalled: [Reply] = []
            while state.bytes + bytes > limit,
                let (longest, _) = state.replies.min(by: { $0.value.progress < $1.value.progress }),
                let reply = state.remove(longest)
            {
                stalled.append(reply)
            }
            state.replies[number] = Reply(bytes: bytes, progress: number, cut: cut)
            state.bytes += bytes
            return (number, stalled)
        }
        for reply in stalled { reply.cut() }
        return Held(number: number, memory: self)
    }

    private func advance(_ number: Int) {
        state.withLock { state in
            let progress = state.next()
            state.replies[number]?.progress = progress
        }
    }

    private func end(_ number: Int) { state.withLock { _ = $0.remove(number) } }
}
