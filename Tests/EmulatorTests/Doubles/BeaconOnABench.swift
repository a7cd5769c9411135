// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Profiles
import Radio

@testable import Emulator
@testable import Persistence

/// One running beacon without an emulator, and its actions.
struct BeaconOnABench {
    let beacon: RunningBeacon
    let actions = EventLog<RunningBeacon.Action>()

    /// The `entrance` of the sample profile, with a state folder.
    init(_ state: StateFolder?) throws {
        let profile = try Samples.entranceProfile()
        beacon = try RunningBeacon(
            profile, of: "museum", identifier: BeaconIdentifier("entrance"), state: state,
            clock: Timekeeper(ContinuousClock())
        ) { [actions] in actions.append($0) }
    }

    func write(_ value: [UInt8]) async -> AttributeResponse {
        await beacon.answer(request(.write(offset: 0, value: value))) ?? .failure(.unlikely)
    }

    func read() async -> AttributeResponse {
        await beacon.answer(request(.read(offset: 0))) ?? .failure(.unlikely)
    }

    func request(_ operation: AttributeRequest.Operation) -> AttributeRequest {
        AttributeRequest(
            beacon: beacon.identifier, characteristic: CharacteristicIdentifier(IoTDesignShop.majorMinor),
            central: "phone", operation: operation)
    }

    /// The advertisements, in order.
    var advertisements: [Advertisement?] {
        actions.entries.compactMap { action -> Advertisement?? in
            guard case .advertise(_, let advertisement) = action else { return nil }
            return .some(advertisement)
        }
    }

    /// The events.
    var records: [EventRecord] {
        actions.entries.compactMap {
            if case .post(let beacon, let event) = $0 { EventRecord(.beacon(beacon, event)) } else { nil }
        }
    }

    /// The names of the events; for warnings, their codes.
    var names: [String] { records.map { $0.code ?? $0.event } }
}
