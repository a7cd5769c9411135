// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization
import UnixSignals

/// What a radio reports of the beacons of a stage.
final class RadioWatch: Sendable {
    struct State {
        var statuses: [BeaconIdentifier: AdvertisingStatus] = [:]
        var refusals: [BeaconIdentifier: RadioError] = [:]
        var stops: [BeaconIdentifier: String] = [:]
        var warnings: [Warning] = []
        /// Whether the stage is over, so that beacons leave the air as they should.
        var isOver = false
    }

    private let beacons: Set<BeaconIdentifier>
    private let storage = Mutex(State())
    private let reports: AsyncStream<Void>
    private let report: AsyncStream<Void>.Continuation

    init(_ beacons: [BeaconIdentifier]) {
        self.beacons = Set(beacons)
        (reports, report) = AsyncStream.makeStream()
    }

    var state: State { storage.withLock { $0 } }

    /// Takes an event of the radio.
    func take(_ event: RadioEvent) {
        let isReported = storage.withLock { state in
            guard !state.isOver else { return false }
            switch event {
            case .advertising(let beacon, let status):
                state.statuses[beacon] = status
                state.stops[beacon] = nil
            case .refused(let beacon, let error): state.refusals[beacon] = error
            case .stopped(let beacon, let reason): state.stops[beacon] = reason
            case .lost(let error): for beacon in beacons { state.stops[beacon] = error.message }
            case .warning(_, let warning): state.warnings.append(warning)
            default: break
            }
            return beacons.allSatisfy { state.statuses[$0] != nil || state.refusals[$0] != nil }
        }
        if isReported { report.finish() }
    }

    /// Waits until the radio has reported on each beacon, or the task is cancelled.
    func waitUntilReported() async { for await _ in reports {} }

    /// Ends the stage: later events do not count.
    func stop() { storage.withLock { $0.isOver = true } }
}

extension StageResult {
    mutating func take(_ state: RadioWatch.State) {
        statuses = state.statuses
        refusals = state.refusals
        stops = state.stops
        warnings = state.warnings
    }
}

/// SIGINT and SIGTERM, which end a wait, so that the radio can be closed.
final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var waiting: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// Traps the signals: from the return on they do not end the process.
    init() async {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let task = Task { [weak self] in
            for await _ in signals { self?.request() }
        }
        listening.withLock { $0 = task }
    }

    /// Whether one of the signals arrived.
    var isRequested: Bool { state.withLock(\.isRequested) }

    private func request() {
        let waiting = state.withLock { state in
            state.isRequested = true
            return state.waiting
        }
        waiting?.cancel()
    }

    /// Waits for a time, or until work is done, whichever is first; until a signal at most.
    func wait(atMost limit: Duration, for work: @escaping @Sendable () async -> Void) async {
        let waiting = Task {
            await withTaskGroup { group in
                group.addTask { try? await Task.sleep(for: limit) }
                group.addTask { await work() }
                await group.next()
                group.cancelAll()
            }
        }
        let isRequested = state.withLock { state in
            state.waiting = waiting
            return state.isRequested
        }
        if isRequested { waiting.cancel() }
        await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
    }

    /// Waits for a signal.
    /// - Returns: `false` if the task was cancelled before.
    func untilRequested() async -> Bool {
        await sleep(for: .seconds(1 << 30))
        return isRequested
    }

    /// Waits for a time, until a signal at most.
    func sleep(for duration: Duration) async {
        await wait(atMost: duration) { try? await Task.sleep(for: duration) }
    }

    /// From now on the signals have their usual effect again.
    func end() { listening.withLock(\.self)?.cancel() }
}
