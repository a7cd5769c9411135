// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import Synchronization

/// Wakes those who wait for a property of an object of bluetoothd, when the radio receives a signal about it.
final class DeviceChanges: Sendable {
    /// The time between two checks without a signal: bluetoothd does not signal every change.
    private let period: Duration

    private struct Waiting {
        let path: ObjectPath
        let wakeUp: AsyncStream<Void>.Continuation
    }

    private let waiting = Mutex((next: UInt64(0), entries: [UInt64: Waiting]()))

    init(period: Duration = .seconds(2)) { self.period = period }

    /// Takes note of a change of an object.
    func note(_ path: ObjectPath) {
        // Outside of the lock, since the runtime calls the handler of the end of a stream under a lock of its own.
        let concerned = waiting.withLock { waiting in
            waiting.entries.values.filter { path == $0.path || path.isDescendant(of: $0.path) }
        }
        for each in concerned { each.wakeUp.yield() }
    }

    /// Waits until a check has a result. It is made at once, after each change of an object or of one below it, and once more
    /// when the time is over, unless that is zero.
    /// - Returns: the result; `nil` if there is none within the time, or if the task is cancelled.
    /// - Throws: the error of a check, which ends the wait.
    func first<Value, Failure: Error>(
        of path: ObjectPath, within time: Duration, _ check: () async throws(Failure) -> Value?
    ) async throws(Failure) -> Value? {
        let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Before the first check, so that no change is missed.
        let number = waiting.withLock { waiting in
            waiting.next += 1
            waiting.entries[waiting.next] = Waiting(path: path, wakeUp: wakeUp)
            return waiting.next
        }
        let end = ContinuousClock.now + time
        let timer = Task { [period] in
            while case let rest = end - ContinuousClock.now, rest > .zero {
                guard (try? await Task.sleep(for: min(rest, period))) != nil else { return }
                if ContinuousClock.now < end { wakeUp.yield() }
            }
            // The last check, however late this task runs.
            wakeUp.yield()
            wakeUp.finish()
        }
        defer {
            timer.cancel()
            _ = waiting.withLock { $0.entries.removeValue(forKey: number) }
        }
        if let value = try await check() { return value }
        guard time > .zero else { return nil }
        for await _ in wakeUps {
            if let value = try await check() { return value }
        }
        return nil
    }
}
