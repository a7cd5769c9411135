// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Connects on the queue that the connection will use, because libdbus blocks until the bus has said hello.
actor BusConnector {
    private nonisolated let executor: DispatchQueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: DispatchQueueExecutor) {
        self.executor = executor
    }

    func connect(to bus: Bus) throws(DBusError) -> BusLink {
        try BusLink(to: bus, queue: executor.queue)
    }
}
