// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus
import TestSupport

/// Suspends tasks until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

extension TestBus {
    /// The bus to connect to.
    var bus: Bus { .address(address) }

    /// A connection whose calls have no time limits: a peer in this process may wait long for the tests that compute.
    func connect() async throws(DBusError) -> DBusConnection {
        try await DBusConnection.connect(to: bus, limitsCalls: false)
    }
}
