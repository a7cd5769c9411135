// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconRegions
import BeaconryLogic
import BeaconryStream
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegionMonitoringTests {
    private var timing: BeaconrySession.Timing {
        var timing = BeaconrySession.Timing()
        timing.retryDelay = 0.05
        timing.stream.retryDelay = 0.05
        return timing
    }

    @Test func statesOfConditionsAndTheirChangesAreStreamed() async throws {
        let run = try FakeRun()
        let monitoring: any RegionMonitoring = BeaconryRegionMonitoring(run.phone, timing: timing)
        let changes = Recorder<RegionStateChange>()
        let task = Task {
            for await change in monitoring.states(of: [
                "shop": BeaconConstraint(uuid: Sample.shop), "museum": BeaconConstraint(uuid: Sample.museum, major: 1),
            ]) {
                changes.add(change)
            }
        }
        try await wait(until: "both regions") { run.identifiers == ["museum", "shop"] }
        run.change("shop", to: "inside", event: "entered")
        run.change("museum", to: "outside", event: "determined")
        run.change("shop", to: "outside", event: "exited")
        try await wait(until: "three changes") { changes.all.count == 3 }
        #expect(
            changes.all == [
                RegionStateChange(identifier: "shop", state: .inside),
                RegionStateChange(identifier: "museum", state: .outside),
                RegionStateChange(identifier: "shop", state: .outside),
            ])
        task.cancel()
        await task.value
        try await wait(until: "no regions and no stream") {
            run.identifiers.isEmpty && run.server.streamCount(FakeRun.monitoring) == 0
        }
    }

    @Test func streamSurvivesTheServer() async throws {
        let run = try FakeRun()
        let monitoring = BeaconryRegionMonitoring(run.phone, timing: timing)
        let changes = Recorder<RegionStateChange>()
        let task = Task {
            for await change in monitoring.states(of: ["shop": BeaconConstraint(uuid: Sample.shop)]) {
                changes.add(change)
            }
        }
        try await wait(until: "the region") { run.identifiers == ["shop"] }
        run.change("shop", to: "inside", event: "entered")
        try await wait(until: "a change") { changes.all.count == 1 }
        run.die()
        try run.restart()
        try await wait(until: "the region again") { run.identifiers == ["shop"] }
        run.change("shop", to: "inside", event: "entered")
        run.change("shop", to: "outside", event: "exited")
        try await wait(until: "two changes") { changes.all.count == 2 }
        #expect(changes.all.map(\.state) == [.inside, .outside])
        task.cancel()
        await task.value
    }

    @Test func conditionBeyondTheLimitIsUnknown() async throws {
        let run = try FakeRun()
        let monitoring = BeaconryRegionMonitoring(run.phone, timing: timing)
        let names = (0..<21).map { String(format: "%02d", $0) }
        let conditions = Dictionary(uniqueKeysWithValues: names.map { ($0, BeaconConstraint(uuid: Sample.shop)) })
        let changes = Recorder<RegionStateChange>()
        let task = Task {
            for await change in monitoring.states(of: conditions) { changes.add(change) }
        }
        try await wait(until: "20 regions") { run.identifiers.count == 20 }
        try await wait(until: "a change") { !changes.all.isEmpty }
        #expect(changes.all == [RegionStateChange(identifier: "20", state: .unknown)])
        task.cancel()
        await task.value
    }

    @Test func cancellingWithoutAConnectionEndsTheStream() async throws {
        let run = try FakeRun()
        run.die()
        let monitoring = BeaconryRegionMonitoring(run.phone, timing: timing)
        let task = Task {
            for await _ in monitoring.states(of: ["shop": BeaconConstraint(uuid: Sample.shop)]) {}
        }
        task.cancel()
        await task.value
    }
}
