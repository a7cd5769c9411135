// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A method call whose reply has not come yet.
struct PendingCall {
    private let complete: (Result<[DBusValue], DBusError>) -> Void
    private let timer: (any DispatchSourceTimer)?

    init(timer: (any DispatchSourceTimer)? = nil, complete: @escaping (Result<[DBusValue], DBusError>) -> Void) {
        self.timer = timer
        self.complete = complete
    }

    /// To be called once, with the reply or with what happened instead.
    func finish(_ result: Result<[DBusValue], DBusError>) {
        timer?.cancel()
        complete(result)
    }
}
