// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization

/// Routes requests, commands and inputs to the beacons of a run, by name.
///
/// While a reload replaces beacons, a handover runs. A replaced beacon is retired: it refuses all inputs, which wait for the
/// end of the handover and go to its successor. Inputs of the other beacons do not wait. A handover is announced first: it
/// begins when the changes by clients have ended that are under way, and later ones wait for its end.
final class BeaconDirectory: Sendable {
    /// The replacement of some beacons.
    private struct Handover {
        let beacons: Set<BeaconIdentifier>
        let task: Task<Void, Never>
    }

    private struct State {
        var beacons: [BeaconIdentifier: RunningBeacon] = [:]
        var handover: Handover?
        /// The handover that begins when the changes under way have ended; no other one begins before.
        var announced: Task<Void, Never>?
        /// The changes between handovers that are under way, and the handover that waits for their end.
        var changesUnderWay = 0
        var waitingHandover: CheckedContinuation<Void, Never>?

        func handover(of beacon: BeaconIdentifier) -> Task<Void, Never>? {
            guard let handover, handover.beacons.contains(beacon) else { return nil }
            return handover.task
        }
    }

    private let state = Mutex(State())
    let counts: RunCounts
    private let events: RadioEvents

    /// - Parameters:
    ///   - counts: Counts the answered requests.
    ///   - events: The events of the radio, which the requests follow.
    init(counts: RunCounts = RunCounts(), events: RadioEvents) {
        self.counts = counts
        self.events = events
    }

    /// The task of a reload that replaces beacons; at its end the successors are in the directory.
    var handover: Task<Void, Never>? { state.withLock { $0.handover?.task } }

    /// The task of a reload that replaces this beacon, or removes or adds it.
    func handover(of beacon: BeaconIdentifier) -> Task<Void, Never>? { state.withLock { $0.handover(of: beacon) } }

    /// The task of the handover that is announced or under way.
    var announcedHandover: Task<Void, Never>? { state.withLock(\.announced) }

    /// Announces a handover: changes wait for its end from now on.
    /// - Parameter task: Calls `beginHandover` and `endHandover`.
    func announceHandover(_ task: Task<Void, Never>) { state.withLock { $0.announced = task } }

    /// Begins the announced handover when the changes under way have ended; inputs of its beacons wait from then on.
    /// - Parameter beacons: Those that are replaced, removed or added.
    func beginHandover(of beacons: Set<BeaconIdentifier>) async {
        await untilChanged()
        state.withLock { state in
            state.handover = state.announced.map { Handover(beacons: beacons, task: $0) }
        }
    }

    func endHandover() { state.withLock { ($0.handover, $0.announced) = (nil, nil) } }

    // MARK: - Changes between handovers

    /// Makes a change of both the radio and a beacon when no handover is under way, which would give the radio the former
    /// state again, or give the change to a beacon that a reset has made; a handover waits for the end. The change must not
    /// wait for a handover.
    func betweenHandovers<Outcome>(
        _ change: () async throws(EmulatorError) -> Outcome
    ) async throws(EmulatorError) -> Outcome {
        await beginChange()
        defer { endChange() }
        return try await change()
    }

    /// Begins a change as `betweenHandovers` does; `endChange()` ends it.
    func beginChange() async {
        while let handover = beginChangeNow() { await handover.value }
    }

    /// - Returns: the handover that must end before the change can begin; `nil` if it has begun.
    private func beginChangeNow() -> Task<Void, Never>? {
        state.withLock { state in
            if let announced = state.announced { return announced }
            state.changesUnderWay += 1
            return nil
        }
    }

    func endChange() {
        let waiting = state.withLock { state in
            state.changesUnderWay -= 1
            guard state.changesUnderWay == 0 else { return nil as CheckedContinuation<Void, Never>? }
            return state.waitingHandover.take()
        }
        waiting?.resume()
    }

    private func untilChanged() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.changesUnderWay > 0 else { return true }
                state.waitingHandover = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    // MARK: - Beacons

    /// The beacon with this name.
    func beacon(_ identifier: BeaconIdentifier) -> RunningBeacon? { state.withLock { $0.beacons[identifier] } }

    /// Replaces all beacons. If two have the same name, the last one is used.
    func setBeacons(_ beacons: [RunningBeacon]) {
        let named = Dictionary(beacons.map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
        state.withLock { $0.beacons = named }
    }

    /// Answers a central's request after the events that the radio reported before it: at once, if these are handled, the
    /// beacon can, and it is not replaced meanwhile.
    func answer(_ request: AttributeRequest) -> AttributeAnswer {
        if let position = events.unhandled {
            return .later {
                await self.events.handled(upTo: position)
                return await self.answerInTime(request)
            }
        }
        let (beacon, isStable) = state.withLock {
            ($0.beacons[request.beacon], $0.handover(of: request.beacon) == nil)
        }
        if isStable, let response = beacon?.read(request) {
            counts.noteAnswer(response, to: request.operation)
            return .now(response)
        }
        return .later { await self.answerInTime(request) }
    }

    private func answerInTime(_ request: AttributeRequest) async -> AttributeResponse {
        let response =
            await route(to: request.beacon) { beacon in
                if let response = beacon.read(request) { return response }
                return await beacon.answer(request)
            } ?? .failure(.unlikely)
        counts.noteAnswer(response, to: request.operation)
        return response
    }

    /// Calls a function with the beacon of this name that is not retired.
    /// - Parameter body: Returns `nil` if the beacon is retired; then it is called again with the successor.
    /// - Returns: The result of `body`; `nil` if there is no such beacon.
    func route<Outcome: Sendable>(
        to identifier: BeaconIdentifier, _ body: (RunningBeacon) async -> Outcome?
    ) async -> Outcome? {
        while true {
            await handover(of: identifier)?.value
            guard let beacon = beacon(identifier) else { return nil }
            if let outcome = await body(beacon) { return outcome }
        }
    }
}
