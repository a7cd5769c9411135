// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BeaconRegions
import BeaconryLogic
import BeaconryStream
import Foundation
import Testing

/// An app with one location manager and a receiver of a fake run.
private final class App: Sendable {
    let run: FakeRun
    let session: BeaconrySession
    let manager = ManagerID(1)
    private let deliveries: Recorder<Delivery>
    private let saves: Recorder<Data>
    private let logs: Recorder<String>

    init(_ run: FakeRun, saved: Data? = nil, server: BeaconryServer? = nil) {
        self.run = run
        let deliveries = Recorder<Delivery>()
        let saves = Recorder<Data>()
        let logs = Recorder<String>()
        var timing = BeaconrySession.Timing()
        timing.rangingInterval = 0.05
        timing.retryDelay = 0.05
        timing.stream.retryDelay = 0.05
        session = BeaconrySession(
            server ?? run.phone, saved: saved, timing: timing,
            outputs: .init(deliver: { deliveries.add($0) }, save: { saves.add($0) }, log: { logs.add($0) }))
        self.deliveries = deliveries
        self.saves = saves
        self.logs = logs
    }

    deinit { session.close() }

    var calls: [DelegateCall] { deliveries.all.map(\.call) }
    var saved: Data? { saves.all.last }
    var log: [String] { logs.all }

    /// The beacons of each ranging call.
    var ranged: [[RangedBeacon]] {
        calls.compactMap { if case .didRange(let beacons, _) = $0 { beacons } else { nil } }
    }

    func rangeAndConnect(_ request: RangingRequest) async throws {
        session.startRanging(request, for: manager)
        try await connect(FakeRun.ranging)
    }

    func connect(_ target: String) async throws {
        try await wait(until: "a stream of \(target)") { run.server.streamCount(target) == 1 }
    }

    /// Monitors a region, and waits until the receiver has it.
    func monitor(_ region: MonitoredRegion) async throws {
        session.startMonitoring(region, for: manager)
        session.activate()
        try await connect(FakeRun.monitoring)
        try await wait(until: "region \(region.identifier)") { run.identifiers.contains(region.identifier) }
    }

    func receive(_ call: DelegateCall, count: Int = 1) async throws {
        try await wait(until: "\(call)") { calls.filter { $0 == call }.count >= count }
    }
}

@Suite(.timeLimit(.minutes(5))) struct SessionTests {
    private let shop = Sample.region("shop")
    private let request = RangingRequest.constraint(BeaconConstraint(uuid: Sample.shop))

    @Test func beaconIsRangedAtOneMetreAndAtTen() async throws {
        let app = App(try FakeRun())
        try await app.rangeAndConnect(request)
        let near = Sample.beacon(1, 7, rssi: -59, proximity: .near, accuracy: 1.0)
        let far = Sample.beacon(1, 7, rssi: -79, packets: 7, proximity: .far, accuracy: 10.0)
        let other = Sample.json(Sample.beacon(1, 1, of: Sample.museum))
        for beacons in [[Sample.json(near), other], [Sample.json(far), other], [Sample.json(Sample.lost(1, 7))], []] {
            app.run.report(beacons)
        }
        try await wait(until: "the empty list") { app.ranged.suffix(4).last == [] && app.ranged.contains([far]) }
        // Before that, empty lists while the stream was connecting.
        let reports = app.ranged.drop { $0.isEmpty }
        #expect(Array(reports.prefix(4)) == [[near], [far], [Sample.lost(1, 7)], []])
    }

    @Test func rangingGoesOnWithEmptyListsWhileTheServerIsNotThere() async throws {
        let run = try FakeRun()
        run.die()
        let app = App(run)
        app.session.startRanging(request, for: app.manager)
        try await wait(until: "three reports") { app.ranged.count >= 3 }
        let areEmpty = app.ranged.allSatisfy { $0.isEmpty }
        #expect(areEmpty)
        try run.restart()
        try await app.connect(FakeRun.ranging)
        run.report([Sample.json(Sample.beacon(1, 7))])
        try await wait(until: "the beacon") { app.ranged.contains([Sample.beacon(1, 7)]) }
    }

    @Test func beaconsAreLostWhenTheServerDiesAndComeBackWithIt() async throws {
        let run = try FakeRun()
        let app = App(run)
        try await app.rangeAndConnect(request)
        run.report([Sample.json(Sample.beacon(1, 7))])
        try await wait(until: "the beacon") { app.ranged.last == [Sample.beacon(1, 7)] }
        run.die()
        try await wait(until: "an empty list") { app.ranged.last == [] && app.ranged.contains([Sample.lost(1, 7)]) }
        try run.restart()
        try await app.connect(FakeRun.ranging)
        run.report([Sample.json(Sample.beacon(1, 7))])
        try await wait(until: "the beacon again") { app.ranged.last == [Sample.beacon(1, 7)] }
        #expect(app.ranged.filter { $0 == [Sample.lost(1, 7)] }.count == 1)
    }

    @Test func streamOfRangingIsOpenWhileSomethingIsRanged() async throws {
        let app = App(try FakeRun(receivers: ["phone"]))
        try await app.rangeAndConnect(request)
        app.session.stopRanging(request, for: app.manager)
        try await wait(until: "no stream") { app.run.server.streamCount(FakeRun.ranging) == 0 }
        #expect(app.session.rangingRequests(of: app.manager).isEmpty)
        try await app.rangeAndConnect(request)
        app.session.forget(app.manager)
        try await wait(until: "no stream") { app.run.server.streamCount(FakeRun.ranging) == 0 }
        #expect(app.run.server.requests("GET", FakeRun.ranging).count == 2)
    }

    @Test func malformedEventsAreIgnored() async throws {
        let app = App(try FakeRun(receivers: ["phone"]))
        try await app.rangeAndConnect(request)
        let server = app.run.server
        for line in ["data: {", "data: ", "data", "", "data: []", "data: null"] {
            server.send(line + "\n\n", to: FakeRun.ranging)
        }
        server.send(Data([0x64, 0x61, 0x74, 0x61, 0x3A, 0xFF, 0xFE, 0x0A, 0x0A]), to: FakeRun.ranging)
        app.run.report([Sample.json(Sample.beacon(1, 7))])
        try await wait(until: "the beacon") { app.ranged.contains([Sample.beacon(1, 7)]) }
        let reported = app.ranged.first { !$0.isEmpty }
        #expect(reported == [Sample.beacon(1, 7)])
        #expect(app.log.filter { $0.contains("malformed") } == ["ranging events: one is malformed, and ignored"])
    }

    @Test func entryAndExitAreReported() async throws {
        let app = App(try FakeRun())
        try await app.monitor(shop)
        app.run.change("shop", to: "outside", event: "determined")
        app.run.change("shop", to: "inside", event: "entered")
        app.run.change("shop", to: "inside", event: "entered")
        app.run.change("shop", to: "outside", event: "exited")
        try await app.receive(.didExit(shop))
        #expect(
            app.calls == [
                .didStartMonitoring(shop),
                .didDetermineState(.outside, shop),
                .didDetermineState(.inside, shop), .didEnter(shop),
                .didDetermineState(.outside, shop), .didExit(shop),
            ])
    }

    @Test func presentStateIsDeterminedWithoutAnEntry() async throws {
        let run = try FakeRun(receivers: ["phone"])
        let earlier = App(run)
        try await earlier.monitor(shop)
        run.change("shop", to: "inside", event: "entered")
        try await earlier.receive(.didEnter(shop))
        earlier.session.close()
        try await wait(until: "no stream") { run.server.streamCount(FakeRun.monitoring) == 0 }
        // Another launch that does not remember the region: the receiver still has it.
        let app = App(run)
        try await app.monitor(shop)
        try await app.receive(.didDetermineState(.inside, shop))
        #expect(app.calls == [.didStartMonitoring(shop), .didDetermineState(.inside, shop)])
        #expect(run.server.requests("PUT", FakeRun.regions + "/shop").count == 1)
    }

    @Test func regionsOfAnEarlierLaunchAreMonitoredOnceThereIsADelegate() async throws {
        let run = try FakeRun(receivers: ["phone"])
        let earlier = App(run)
        try await earlier.monitor(shop)
        run.change("shop", to: "inside", event: "entered")
        try await earlier.receive(.didEnter(shop))
        let saved = try await wait(for: "a saved state") {
            earlier.saved.flatMap { MonitoringLogic(saved: $0).state(of: "shop") == .inside ? $0 : nil }
        }
        earlier.session.close()
        run.change("shop", to: "outside", event: "exited")
        let app = App(run, saved: saved)
        #expect(app.session.monitoredRegions == [shop])
        app.session.activate()
        try await app.receive(.didExit(shop))
        #expect(app.calls == [.didDetermineState(.outside, shop), .didExit(shop)])
    }

    @Test func regionsAreSentAgainToTheNextRunAndKeepTheirStates() async throws {
        let run = try FakeRun()
        let app = App(run)
        let museum = Sample.region("museum", Sample.museum, major: 3)
        try await app.monitor(shop)
        try await app.monitor(museum)
        run.change("shop", to: "inside", event: "entered")
        run.change("museum", to: "inside", event: "entered")
        try await app.receive(.didEnter(museum))
        run.die()
        try await wait(until: "no connection") { app.log.contains { $0.hasPrefix("monitoring: not connected") } }
        try run.restart()
        try await app.connect(FakeRun.monitoring)
        try await wait(until: "both regions") { run.identifiers == ["shop", "museum"] }
        run.change("shop", to: "inside", event: "entered")
        run.change("museum", to: "outside", event: "determined")
        try await app.receive(.didExit(museum))
        #expect(app.calls.filter { $0 == .didEnter(shop) }.count == 1)
        #expect(!app.calls.contains(.didExit(shop)))
        app.session.requestState(of: shop, for: app.manager)
        try await app.receive(.didDetermineState(.inside, shop), count: 2)
    }

    @Test func changeWithoutAConnectionIsReportedAfterwards() async throws {
        let run = try FakeRun()
        let app = App(run)
        try await app.monitor(shop)
        run.change("shop", to: "inside", event: "entered")
        try await app.receive(.didEnter(shop))
        run.server.kill()
        run.change("shop", to: "outside", event: "exited")
        try run.restart()
        try await app.receive(.didExit(shop))
        #expect(run.server.requests("PUT", FakeRun.regions + "/shop").count == 1)
    }

    @Test func statesAreRequestedAgainWhenEventsWereLost() async throws {
        let run = try FakeRun()
        let app = App(run)
        try await app.monitor(shop)
        run.change("shop", to: "inside", event: "entered")
        try await app.receive(.didEnter(shop))
        // The exit is lost.
        run.change("shop", to: "outside", event: nil)
        run.server.send("data: {\"v\":1,\"lost\":1}\n\n", to: FakeRun.monitoring)
        try await app.receive(.didExit(shop))
        #expect(run.server.requests("GET", FakeRun.monitoring).count == 3)
    }

    @Test func twentyRegionsAreSentAndTheNextOneFails() async throws {
        let run = try FakeRun()
        let app = App(run)
        for number in 0..<21 { app.session.startMonitoring(Sample.region("\(number)"), for: app.manager) }
        app.session.activate()
        try await wait(until: "20 regions") { run.identifiers.count == 20 }
        #expect(run.identifiers == (0..<20).map(String.init))
        let reason = "20 regions are monitored already, which is the limit"
        try await app.receive(.monitoringDidFail(Sample.region("20"), reason: reason))
        #expect(app.calls.filter { if case .monitoringDidFail = $0 { true } else { false } }.count == 1)
        #expect(app.session.monitoredRegions.count == 20)
    }

    @Test func regionThatTheReceiverRefusesFails() async throws {
        let run = try FakeRun()
        let other = App(run)
        for number in 0..<20 { other.session.startMonitoring(Sample.region("\(number)"), for: other.manager) }
        other.session.activate()
        try await wait(until: "20 regions") { run.identifiers.count == 20 }
        let app = App(run)
        app.session.startMonitoring(shop, for: app.manager)
        app.session.activate()
        try await app.receive(
            .monitoringDidFail(shop, reason: "HTTP status 409: there are 20 regions already"))
        #expect(app.session.monitoredRegions.isEmpty)
    }

    @Test func regionsAreStartedReplacedAndStoppedAtTheReceiver() async throws {
        let run = try FakeRun()
        let app = App(run)
        let odd = Sample.region("a/b ?#%ä🏪", major: 1)
        try await app.monitor(odd)
        let put = try #require(run.server.requests.first { $0.method == "PUT" && $0.target != "/v1/receivers/phone" })
        #expect(put.target == FakeRun.regions + "/a%2Fb%20%3F%23%25%C3%A4%F0%9F%8F%AA")
        let body = try #require(try JSONSerialization.jsonObject(with: put.body) as? [String: Any])
        #expect(Set(body.keys) == ["uuid", "major"])
        try await app.monitor(shop)
        app.session.stopMonitoring(odd.identifier)
        try await wait(until: "one region") { run.identifiers == ["shop"] }
        app.session.startMonitoring(Sample.region("shop", major: 2), for: app.manager)
        try await wait(until: "the other region") { run.server.requests("PUT", FakeRun.regions + "/shop").count == 2 }
        app.session.stopMonitoring("shop")
        try await wait(until: "no regions and no stream") {
            run.identifiers.isEmpty && run.server.streamCount(FakeRun.monitoring) == 0
        }
    }

    @Test func failedRequestForARegionIsRepeated() async throws {
        let run = try FakeRun(receivers: ["phone"])
        run.answerOnce("GET", FakeRun.regions, .reply(status: 500, body: ""))
        run.answerOnce("PUT", FakeRun.regions + "/shop", .reply(status: 503, body: ""))
        let app = App(run)
        try await app.monitor(shop)
        #expect(run.server.requests("GET", FakeRun.regions).count >= 3)
        #expect(!app.calls.contains { if case .monitoringDidFail = $0 { true } else { false } })
    }

    @Test func tokenIsInAllRequests() async throws {
        let run = try FakeRun(token: "0123456789abcdef")
        var server = run.phone
        server.token = "0123456789abcdef"
        let app = App(run, server: server)
        try await app.rangeAndConnect(request)
        try await app.monitor(shop)
        app.session.stopMonitoring("shop")
        try await wait(until: "no regions") { run.identifiers.isEmpty }
        #expect(run.server.requests.allSatisfy { $0.fields["authorization"] == "Bearer 0123456789abcdef" })
    }

    @Test func missingTokenIsLoggedOnce() async throws {
        let run = try FakeRun(token: "0123456789abcdef")
        let app = App(run)
        app.session.startRanging(request, for: app.manager)
        try await wait(until: "five attempts, and a log") {
            run.server.requests("GET", FakeRun.ranging).count >= 5 && !app.log.isEmpty
        }
        let expected = "ranging: not connected to \(run.server.url): HTTP status 401: the token is missing or wrong"
        #expect(app.log == [expected])
    }

    @Test func closedSessionIsSilent() async throws {
        let run = try FakeRun()
        let app = App(run)
        try await app.rangeAndConnect(request)
        try await app.monitor(shop)
        app.session.close()
        app.session.startRanging(request, for: ManagerID(2))
        try await wait(until: "no streams") {
            run.server.streamCount(FakeRun.ranging) + run.server.streamCount(FakeRun.monitoring) == 0
        }
        #expect(run.identifiers == ["shop"])
        #expect(app.session.rangingRequests(of: ManagerID(2)).isEmpty)
    }
}
