// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization

/// Routes requests, commands and inputs to the beacons of a run, by name.
///
/// While a reload replaces beacons, a handover runs. A replaced beacon is retired: it refuses all inputs, which wait for the
/// end of the handover and go to its successor. Inputs of the other beacons do not wait.
final class BeaconDirectory: Sendable {
    /// The replacement of some beacons.
    private struct Handover {
        let beacons: Set<BeaconIdentifier>
        let task: Task<Void, Never>
    }

    private struct State {
        var beacons: [BeaconIdentifier: RunningBeacon] = [:]
        var handover: Handover?

        func handover(of beacon: BeaconIdentifier) -> Task<Void, Never>? {
            guard let handover, handover.beacons.contains(beacon) else { return nil }
            return handover.task
        }
    }

    private let state = Mutex(State())
    private let counts: RunCounts

    /// - Parameter counts: Counts the answered requests.
    init(counts: RunCounts = RunCounts()) { self.counts = counts }

    /// The task of a reload that replaces beacons; at its end the successors are in the directory.
    var handover: Task<Void, Never>? { state.withLock { $0.handover?.task } }

    /// The task of a reload that replaces this beacon, or removes or adds it.
    func handover(of beacon: BeaconIdentifier) -> Task<Void, Never>? { state.withLock { $0.handover(of: beacon) } }

    /// Begins a handover.
    /// - Parameters:
    ///   - beacons: Those that are replaced, removed or added.
    ///   - task: Calls `endHandover`.
    func beginHandover(of beacons: Set<BeaconIdentifier>, _ task: Task<Void, Never>) {
        state.withLock { $0.handover = Handover(beacons: beacons, task: task) }
    }

    func endHandover() { state.withLock { $0.handover = nil } }

    /// The beacon with this name.
    func beacon(_ identifier: BeaconIdentifier) -> RunningBeacon? { state.withLock { $0.beacons[identifier] } }

    /// Replaces all beacons. If two have the same name, the last one is used.
    func setBeacons(_ beacons: [RunningBeacon]) {
        let named = Dictionary(beacons.map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
        state.withLock { $0.beacons = named }
    }

    /// Answers a central's request: at once, if the beacon can and is not replaced meanwhile.
    func answer(_ request: AttributeRequest) -> AttributeAnswer {
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
