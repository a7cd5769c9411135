// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts simultaneous owners.
final class OwnerCount: Sendable {
    private let state = Mutex((now: 0, most: 0))

    /// The largest number so far.
    var most: Int { state.withLock(\.most) }

    func enter() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}
