// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The requests to a device, one after another in the order of the calls, as ATT has them (Core 5.4, Vol 3, Part F, 3.3.2).
///
/// A program may write before `StartNotify` has returned, and expect the notification that the write causes: the subscription
/// must reach the device first.
@ServiceActor
final class RequestOrder {
    private var last: Task<Void, Never>?

    /// Performs a request after those that were added before.
    @discardableResult
    func add<Value: Sendable>(_ request: @escaping @ServiceActor () async -> Value) -> Task<Value, Never> {
        let former = last
        let task = Task { () -> Value in
            await former?.value
            return await request()
        }
        last = Task { _ = await task.value }
        return task
    }
}
