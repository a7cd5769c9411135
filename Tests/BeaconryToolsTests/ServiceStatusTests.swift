// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Radio
import Testing

@testable import BeaconryTools

/// What a service manager gets of a run.
struct ServiceStatusTests {
    private static let ready = EmulatorEvent.radioReady(
        RadioCapabilities(
            name: "hci0", way: "", wayReason: "", address: nil, hasExtendedAdvertising: true, instances: 1,
            freeInstances: 1,
            sharesTime: false, canReadBack: true))
    private static let beacon = EmulatorEvent.beacon(BeaconIdentifier("door"), .unmuted)

    private static func air(_ states: AirState...) -> AirSummary {
        AirSummary(of: states.map { AirSummary.MissingBeacon(device: "door", state: $0) })
    }

    @Test(arguments: [
        RadioError(.noAdapter, "there is no Bluetooth adapter", hint: ""),
        RadioError(.poweredOff, "hci0 is powered off", hint: ""),
        RadioError(.noDaemon, "bluetoothd is not running", hint: ""),
    ])
    func serviceThatWaitsIsStartedAndNamesWhatItWaitsFor(_ error: RadioError) {
        var status = ServiceStatus()
        #expect(status.take(.event(.radioLost(error))) == .report(isImportant: true))
        #expect(status.message(Self.air(.starting)) == "READY=1\nSTATUS=waiting for the radio: \(error.message)")
        #expect(status.take(.event(Self.ready)) == .report(isImportant: false))
        #expect(status.message(Self.air(.starting)) == "STATUS=0 of 1 beacon on the air; not: door (starting)")
        #expect(status.take(.event(.ready(Self.air(.onAir)))) == .report(isImportant: true))
        #expect(status.message(Self.air(.onAir)) == "STATUS=1 beacon on the air")
        _ = status.take(.event(.radioLost(error)))
        #expect(status.message(Self.air(.radioOff)) == "STATUS=the radio is lost: \(error.message)")
        _ = status.take(.event(Self.beacon))
        #expect(status.message(Self.air(.radioOff)) == nil, "what it waits for stays")
    }

    @Test func serviceIsStartedWhenTheRadioIsReady() {
        var status = ServiceStatus()
        #expect(status.take(.event(Self.ready)) == .report(isImportant: true))
        #expect(
            status.message(Self.air(.starting)) == "READY=1\nSTATUS=0 of 1 beacon on the air; not: door (starting)")
        #expect(status.take(.event(.stopping)) == .stopping)
    }

    /// A run of thousands of beacons has one pause at a time; a beacon that never is on the air is named after one.
    @Test func statusFollowsBeaconsAfterAPauseUntilTheRunIsReady() {
        var status = ServiceStatus()
        _ = status.take(.event(Self.ready))
        _ = status.message(Self.air(.starting, .starting))
        #expect(status.take(.event(Self.beacon)) == .pause)
        #expect(status.take(.event(Self.beacon)) == .nothing)
        #expect(status.take(.pauseEnded) == .report(isImportant: false))
        #expect(
            status.message(Self.air(.onAir, .refused))
                == "STATUS=1 of 2 beacons on the air; not: door (refused by the radio)")
        #expect(status.take(.event(Self.beacon)) == .pause)
        _ = status.take(.event(.ready(Self.air(.onAir, .onAir))))
        #expect(status.take(.event(Self.beacon)) == .report(isImportant: false))
    }
}
