// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import GATT
import Radio
import Synchronization

/// The beacons by name, so that a radio's question goes to its beacon and nowhere else on the way.
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
        while true {
            await handover?.value
            guard let beacon = beacon(request.beacon) else { return .failure(.unlikely) }
            if let response = beacon.read(request) { return response }
            if let response = await beacon.answer(request) { return response }
        }
    }
}
