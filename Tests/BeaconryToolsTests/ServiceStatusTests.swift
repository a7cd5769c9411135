// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Emulator
import Radio
import RunAPI
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

    private static let versions = RunVersions(
        version: "1.2.3",
        profiles: [
            ProfileVersion(profile: "shop", files: "0123456789abcdef", effective: "fedcba9876543210"),
            ProfileVersion(profile: "made", files: nil, effective: "0000000000000001"),
        ])
    private static let ending =
        "; beaconry 1.2.3; shop: files 0123456789abcdef, in effect fedcba9876543210; made: in effect 0000000000000001"

    @Test(arguments: [
        RadioError(.noAdapter, "there is no Bluetooth adapter", hint: ""),
        RadioError(.poweredOff, "hci0 is powered off", hint: ""),
        RadioError(.noDaemon, "bluetoothd is not running", hint: ""),
    ])
    func serviceThatWaitsIsStartedAndNamesWhatItWaitsFor(_ error: RadioError) {
        var status = ServiceStatus()
        #expect(status.take(.event(.radioLost(error))) == .report(isImportant: true))
        #expect(
            status.message(Self.air(.starting), Self.versions)
                == "READY=1\nSTATUS=waiting for the radio: \(error.message)\(Self.ending)")
        #expect(status.take(.event(Self.ready)) == .report(isImportant: false))
        #expect(
            status.message(Self.air(.starting), Self.versions)
                == "STATUS=0 of 1 beacon on the air; not: door (starting)\(Self.ending)")
        #expect(status.take(.event(.ready(Self.air(.onAir)))) == .report(isImportant: true))
        #expect(status.message(Self.air(.onAir), Self.versions) == "STATUS=1 beacon on the air\(Self.ending)")
        _ = status.take(.event(.radioLost(error)))
        #expect(
            status.message(Self.air(.radioOff), Self.versions)
                == "STATUS=the radio is lost: \(error.message)\(Self.ending)")
        _ = status.take(.event(Self.beacon))
        #expect(status.message(Self.air(.radioOff), Self.versions) == nil, "what it waits for stays")
    }

    @Test func serviceIsStartedWhenTheRadioIsReady() {
        var status = ServiceStatus()
        #expect(status.take(.event(Self.ready)) == .report(isImportant: true))
        #expect(
            status.message(Self.air(.starting), Self.versions)
                == "READY=1\nSTATUS=0 of 1 beacon on the air; not: door (starting)\(Self.ending)")
        #expect(status.take(.event(.stopping)) == .stopping)
    }

    /// A run of thousands of beacons has one pause at a time; a beacon that never is on the air is named after one.
    @Test func statusFollowsBeaconsAfterAPauseUntilTheRunIsReady() {
        var status = ServiceStatus()
        _ = status.take(.event(Self.ready))
        _ = status.message(Self.air(.starting, .starting), Self.versions)
        #expect(status.take(.event(Self.beacon)) == .pause)
        #expect(status.take(.event(Self.beacon)) == .nothing)
        #expect(status.take(.pauseEnded) == .report(isImportant: false))
        #expect(
            status.message(Self.air(.onAir, .refused), Self.versions)
                == "STATUS=1 of 2 beacons on the air; not: door (refused by the radio)\(Self.ending)")
        #expect(status.take(.event(Self.beacon)) == .pause)
        _ = status.take(.event(.ready(Self.air(.onAir, .onAir))))
        #expect(status.take(.event(Self.beacon)) == .report(isImportant: false))
    }
}
