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

/// One running beacon without an emulator: what it wants done is noted.
struct BeaconOnABench {
    let beacon: RunningBeacon
    let actions = EventLog<RunningBeacon.Action>()

    /// The `entrance` of the sample profile, on settings in a folder.
    init(_ state: StateFolder?) throws {
        let profile = try Samples.entranceProfile()
        beacon = try RunningBeacon(
            profile, of: "museum", identifier: BeaconIdentifier("entrance"), state: state,
            clock: DeviceClock(ContinuousClock())
        ) { [actions] in actions.append($0) }
    }

    func write(_ value: [UInt8]) async -> AttributeResponse {
        await beacon.answer(request(.write(offset: 0, value: value))) ?? .failure(.unlikely)
    }

    func read() async -> AttributeResponse {
        await beacon.answer(request(.read(offset: 0))) ?? .failure(.unlikely)
    }

    private func request(_ operation: AttributeRequest.Operation) -> AttributeRequest {
        AttributeRequest(
            beacon: beacon.identifier, characteristic: CharacteristicIdentifier(IoTDesignShopWire.majorMinor),
            central: "phone", operation: operation)
    }

    /// Everything that it wanted on the air, in order.
    var advertisements: [Advertisement?] {
        actions.entries.compactMap { action -> Advertisement?? in
            guard case .advertise(_, let advertisement) = action else { return nil }
            return .some(advertisement)
        }
    }

    /// Everything that it told.
    var records: [EventRecord] {
        actions.entries.compactMap { if case .post(let record) = $0 { record } else { nil } }
    }

    /// The names of the events that it told, warnings by their code.
    var told: [String] { records.map { $0.code ?? $0.event } }
}
