// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Radio

/// Passes on what a device sends over one link in the order of its arrival: values, and results of requests.
///
/// A device may notify before it responds to a request, or right after it, and bluetoothd signals the value before it replies or
/// after it. Values and results come to the service as tasks of their own, so each waits for those that arrived before it.
@ServiceActor
final class ArrivalOrder {
    /// What has arrived over the link.
    private let arrivals: @Sendable () -> LinkArrivals
    /// The number of values that were passed on.
    private var passed = 0
    private var isEnded = false
    /// The number of responses before the request in progress; `nil` without one.
    private var former: Int?
    /// Results that wait for this number of values.
    private var results: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    /// Values that wait for the result of the request in progress.
    private var values: [CheckedContinuation<Void, Never>] = []

    /// The order of a link of which nothing has been passed on.
    init(_ arrivals: @escaping @Sendable () -> LinkArrivals) { self.arrivals = arrivals }

    /// The order of a link; none, of a radio that does not count.
    convenience init(of link: any RemoteLink) {
        let link = link as? any CountingLink
        self.init { link?.arrivals ?? LinkArrivals() }
    }

    /// Waits until a value may be passed on: after the result of the request in progress, if its response arrived before the value.
    func waitForTurnOfValue() async {
        while !isEnded, let former {
            let arrived = arrivals()
            guard arrived.responses > former, passed >= arrived.valuesBeforeResponse else { return }
            await withCheckedContinuation { values.append($0) }
        }
    }

    /// Notes that a value was passed on.
    func passedValue() {
        passed += 1
        let reached = results.filter { $0.count <= passed }
        results.removeAll { $0.count <= passed }
        for result in reached { result.continuation.resume() }
    }

    /// Performs a request. Its result is returned after the values that arrived before the response; those that arrived behind it are
    /// passed on when the caller, on the same actor, waits for the first time.
    func perform<Value: Sendable>(_ request: () async -> Value) async -> Value {
        former = arrivals().responses
        let value = await request()
        resumeValues()
        let count = arrivals().valuesBeforeResponse
        if !isEnded, passed < count { await withCheckedContinuation { results.append((count, $0)) } }
        former = nil
        resumeValues()
        return value
    }

    private func resumeValues() {
        let waiting = values
        values = []
        for value in waiting { value.resume() }
    }

    /// Ends all waiting, because the link has ended.
    func end() {
        isEnded = true
        for result in results { result.continuation.resume() }
        results = []
        resumeValues()
    }
}
