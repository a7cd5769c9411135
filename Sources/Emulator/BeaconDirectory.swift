// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Radio
import Synchronization

/// The beacons by name, and the one place that routes requests, commands and inputs to them.
///
/// While a reload replaces beacons, `handover` is under way. A beacon that is being replaced is retired: it takes nothing any
/// more, and what was routed to it waits for the end of the handover and goes to its successor.
final class BeaconDirectory: Sendable {
    private struct State {
        var beacons: [BeaconIdentifier: RunningBeacon] = [:]
        var handover: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Under way while beacons hand over to their successors; at its end the successors are here.
    var handover: Task<Void, Never>? {
        get { state.withLock { $0.handover } }
        set { state.withLock { $0.handover = newValue } }
    }

    /// The beacon of this name.
    func beacon(_ identifier: BeaconIdentifier) -> RunningBeacon? { state.withLock { $0.beacons[identifier] } }

    /// Exchanges all; of two with one name, the last is meant.
    func setBeacons(_ beacons: [RunningBeacon]) {
        let named = Dictionary(beacons.map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
        state.withLock { $0.beacons = named }
    }

    /// What a beacon answers a central.
    func answer(_ request: AttributeRequest) -> AttributeAnswer {
        let (beacon, isSettled) = state.withLock { ($0.beacons[request.beacon], $0.handover == nil) }
        if isSettled, let response = beacon?.read(request) { return .now(response) }
        return .later { await self.answerInTime(request) }
    }

    private func answerInTime(_ request: AttributeRequest) async -> AttributeResponse {
        await route(to: request.beacon) { beacon in
            if let response = beacon.read(request) { return response }
            return await beacon.answer(request)
        } ?? .failure(.unlikely)
    }

    /// Has the living beacon of this name do something.
    /// - Parameter body: returns `nil` when the beacon is retired, which it checks in one step with what it does; it is called
    ///   again with the successor.
    /// - Returns: what `body` returns; `nil` when there is no such beacon.
    func route<Outcome: Sendable>(
        to identifier: BeaconIdentifier, _ body: (RunningBeacon) async -> Outcome?
    ) async -> Outcome? {
        while true {
            await handover?.value
            guard let beacon = beacon(identifier) else { return nil }
            if let outcome = await body(beacon) { return outcome }
        }
    }
}
