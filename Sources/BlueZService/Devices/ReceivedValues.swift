// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio

/// The values that a device has sent over one link, counted as they are passed to the objects.
///
/// A device may notify before it responds to a request, and bluetoothd signals the value before it replies then. Values and
/// responses come to the service as tasks of their own, so a reply waits for the values that were received before it.
@ServiceActor
final class ReceivedValues {
    private var count = 0
    private var isEnded = false
    private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Notes that a value was passed on.
    func take() {
        count += 1
        resume { $0 <= self.count }
    }

    /// Returns when this number of values was passed on, or when the link has ended.
    func wait(for received: Int) async {
        guard !isEnded, count < received else { return }
        await withCheckedContinuation { waiters.append((received, $0)) }
    }

    /// Ends all waiting, because the link has ended.
    func end() {
        isEnded = true
        resume { _ in true }
    }

    private func resume(where isReached: (Int) -> Bool) {
        let reached = waiters.filter { isReached($0.count) }
        waiters.removeAll { isReached($0.count) }
        for waiter in reached { waiter.continuation.resume() }
    }
}
