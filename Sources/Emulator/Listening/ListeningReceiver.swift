// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
import Concurrency
import Devices
package import Profiles
package import Radio
package import Receiving
import Space

/// A receiver that scans within the run, as a phone does, and what an app on it reports.
///
/// `PhoneScan` has when the phone scans, and `PhoneReceiver` what the app reports; this actor performs the one on its host, and
/// passes the packets and the time to the other.
package actor ListeningReceiver {
    /// What an observer in this process gets, in order.
    package enum Observation: Sendable {
        case packet(Sighting, at: Duration)
        case report(PhoneReceiver.Report)
        /// The scan failed, or was ended by the radio; it is tried again.
        case interrupted(RadioError)
    }

    /// The name.
    package nonisolated let name: String
    private nonisolated let streams = ReceptionStreams()
    /// The devices that it is connected to.
    package nonisolated let connections: ReceiverConnections
    private nonisolated let executor = ActorExecutor.cooperative()
    private let host: any ListeningHost
    private let clock: RunClock
    /// Where it and the beacons really are; `nil` if that is not known.
    private let truth: AirTruth?
    private let owner: @Sendable (BluetoothAddress) -> String?
    private let post: @Sendable (ReceiverEvent) -> Void
    private let observe: (@Sendable (Observation) -> Void)?
    private var settings: ListenerSettings
    private var scan: PhoneScan
    private var app: PhoneReceiver
    private var advertisers = RecentAdvertisers()
    private var report = RangingRecord()
    /// The time on the air at the last report, in seconds.
    private var reportTime = 0.0
    /// The scan that is performed; `nil` for none.
    private var performed: (parameters: ScanParameters, number: Int, task: Task<Void, Never>?)?
    private var scanCount = 0
    /// What a scan has received before it counts as performed.
    private var early: [Sighting] = []
    private var packetsInTurn = 0
    private let isSimulated = Simulation.current != nil
    /// When a scan that failed is tried again; `nil` if none failed.
    private var retry: Duration?
    private var isPerforming = false
    private var timer: (due: Duration, task: Task<Void, Never>)?
    /// The hardware that its host has.
    private var hardware = ReceiverHardware()
    /// When it loses all packets; `nil` for never.
    private var gaps: ReceptionGaps?
    private let seed: UInt64
    /// The estimates of its place; `nil` for none.
    private var estimates: ReceiverEstimates?
    private var isOpen = false
    private var isClosed = false
    private var problem: RadioError?

    private static let packetsOfATurn = 32
    private static let pauseOfAttempts = Duration.seconds(5)

    /// A receiver that is not open yet.
    /// - Parameters:
    ///   - seed: of the random delays.
    ///   - truth: where it and the beacons really are; `nil` if that is not known.
    ///   - owner: the name of the beacon that sends from an address.
    ///   - report: called with what happens to it.
    ///   - observe: called with each packet and each report.
    init(
        _ name: String, _ settings: ListenerSettings, on host: any ListeningHost, clock: RunClock, seed: UInt64,
        truth: AirTruth? = nil, owner: @escaping @Sendable (BluetoothAddress) -> String?,
        report: @escaping @Sendable (ReceiverEvent) -> Void = { _ in },
        observe: (@Sendable (Observation) -> Void)? = nil
    ) {
        self.name = name
        self.settings = settings
        self.host = host
        self.clock = clock
        self.truth = truth.flatMap { $0.hasPlaces ? $0 : nil }
        self.owner = owner
        post = report
        self.observe = observe
        connections = ReceiverConnections(of: name, on: host, executor, clock: clock, report: report)
        scan = PhoneScan(settings.plan)
        // Each receiver has random delays of its own.
        self.seed = seed ^ name.stableHash
        app = PhoneReceiver(settings.phone, seed: self.seed, regions: settings.regionLimit, at: clock.uptime)
    }

    /// A receiver on the central of a radio, whose host it is alone.
    /// - Parameters:
    ///   - name: its name, on which chance depends.
    ///   - clock: of its deadlines.
    ///   - observe: called with each packet and each report.
    package init(
        _ name: String = "receiver", _ settings: ListenerSettings, on radio: any CentralRadio,
        clock: any Clock<Duration>, observe: @escaping @Sendable (Observation) -> Void
    ) {
        self.init(
            name, settings, on: AdapterListeningHost(radio: radio), clock: RunClock(clock, epoch: nil),
            seed: (radio as? any ListeningRadio)?.seed ?? 1, owner: { _ in nil }, observe: observe)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }

    // MARK: - Start, changes and end

    /// Puts it on the air, and begins its scan.
    /// - Throws: `RadioError`.
    package func open() async throws(RadioError) {
        hardware = await wantedHardware()
        try await host.open(hardware)
        guard !isClosed else {
            await host.close()
            throw RadioError(.refused, "the receiver \(name) was removed", hint: "add it again")
        }
        isOpen = true
        post(.added(ListenerSummary(settings), position: host.position.map { [$0.x, $0.y, $0.z] }))
        addRegions(settings.regions)
        scan.setScreen(settings.screen)
        if settings.isListening { try? scan.start(at: clock.uptime) }
        await drawGaps()
        await setEstimator()
        await perform()
    }

    /// Changes its settings.
    /// - Throws: `EmulatorError` `.badProfile` for a scan out of range; as `become`.
    func change(_ change: ListenerChange) async throws(EmulatorError) {
        try await become(try change.applied(to: settings))
    }

    /// Takes the settings of a request that replaces them; its regions stay.
    /// - Throws: as `become`.
    func replace(by next: ListenerSettings) async throws(EmulatorError) {
        var next = next
        next.regions = settings.regions
        try await become(next)
    }

    /// Takes other settings.
    /// - Throws: `EmulatorError` `.conflict` if the phone does not permit another start of the scan; the other settings have
    ///   changed, and it does not listen.
    func become(_ next: ListenerSettings) async throws(EmulatorError) {
        let former = settings
        settings = next
        let now = clock.uptime
        if next.phone != former.phone { app = app.replaced(by: next.phone, at: now) }
        if next.plan != former.plan { scan.setPlan(next.plan) }
        if next.regions != former.regions {
            let names = Set(next.regions.map(\.identifier))
            for region in former.regions where !names.contains(region.identifier) {
                try? removeRegion(region.identifier)
            }
            addRegions(next.regions)
        }
        scan.setScreen(next.screen)
        await setHardware()
        if next.phone.gaps != former.phone.gaps { await drawGaps() }
        if next.estimator != former.estimator { await setEstimator() }
        if former.screen == .off, next.screen == .on { reportStatesOnDisplay() }
        if next.obstacle != former.obstacle {
            settle()
            for status in app.regions { streams.send(record(of: status)) }
        }
        var failure: EmulatorError?
        if next.isListening, !former.isListening {
            do throws(PhoneScan.TooManyStarts) {
                try scan.start(at: now)
                retry = nil
            } catch {
                settings.isListening = false
                failure = EmulatorError(.conflict, "\(error)", hint: "start it less often, as an app must")
            }
        } else if !next.isListening {
            scan.stop()
        }
        if settings.withoutRegions != former.withoutRegions { post(.changed(ListenerSummary(settings))) }
        await perform()
        if let failure { throw failure }
    }

    // MARK: - Estimates of its place

    private func setEstimator() async {
        // On an adapter, no beacon has a place.
        guard let kind = settings.estimator, let truth else {
            estimates = nil
            return
        }
        let map = truth.anchors(await signal)
        guard settings.estimator == kind else { return }
        estimates = ReceiverEstimates(kind, map, at: clock.uptime)
    }

    private var signal: SignalModel {
        get async { SignalModel(of: await host.propagation ?? Propagation()) }
    }

    /// Whether its app gets reports of ranging, and no packets.
    private var isRanged: Bool { settings.phone.system == .iOS }

    private func estimate(at now: Duration) async {
        guard let due = estimates?.due, due <= now, let truth else { return }
        let signal = await signal
        // Another call may have changed it.
        guard estimates?.due == due else { return }
        estimates?.setMap(truth.anchors(signal))
        if let estimate = estimates?.estimate(at: now) { post(.estimated(estimate)) }
    }

    // MARK: - Hardware and chance

    private func wantedHardware() async -> ReceiverHardware {
        settings.traits.hardware(of: settings.phone, in: await host.propagation ?? Propagation())
    }

    /// Gives its host the hardware of its settings on the present air.
    private func setHardware() async {
        let wanted = await wantedHardware()
        guard wanted != hardware, !isClosed else { return }
        hardware = wanted
        await host.set(wanted)
    }

    /// The physics of the air has changed, of which its sensitivity and its gaps depend.
    func noteAir() async {
        await setHardware()
        await drawGaps()
    }

    /// Begins or ends the gaps of its phone, which an air without chance does not have.
    private func drawGaps() async {
        guard let plan = settings.phone.gaps, let air = await host.propagation, !air.isDeterministic else {
            gaps = nil
            return
        }
        if gaps?.plan != plan { gaps = ReceptionGaps(plan, seed: seed &+ 1, from: clock.uptime) }
    }

    private func addRegions(_ regions: [RegionList.Entry]) {
        for region in regions {
            // A profile with more than the limit has a fault.
            _ = try? add(BeaconRegion(region), exitAfter: region.exitAfter)
        }
    }

    /// Ends its scan, its connections, and the streams of its clients.
    package func close(_ end: ReceiverEnd = .removal) async {
        isClosed = true
        timer?.task.cancel()
        performed?.task?.cancel()
        performed = nil
        streams.finish()
        await host.close()
        await connections.close(end)
        if isOpen { post(.removed) }
    }

    // MARK: - The scan

    /// Why it does not receive; `nil` if it can.
    package var failure: RadioError? { problem }

    /// Whether its addition was reported.
    var isAnnounced: Bool { isOpen }

    /// Whether its app scans, from time to time or always.
    package var isListening: Bool { settings.isListening }

    /// Its settings, and its scan at present.
    package var record: ListenerRecord {
        ListenerRecord(
            scan: performed.map { ReceiverScan($0.parameters) }, isListening: settings.isListening,
            phone: settings.phone, screen: settings.screen.rawValue, bluetooth: settings.bluetooth.rawValue,
            permission: settings.permission.rawValue, hardware: hardware, problem: problem?.message,
            estimate: estimates?.last)
    }

    /// Whether the app gives the system a filter for its scan: apps with regions do, and the Android Beacon Library.
    private var isFiltered: Bool { settings.isFiltered ?? !app.regions.isEmpty }

    /// Performs what the plan has for the present, until it is performed.
    private func perform() async {
        // Another call has changed the plan while this one waits for the host.
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !isClosed {
            let now = clock.uptime
            let isPaused = retry.map { now < $0 } ?? false
            scan.isFiltered = isFiltered
            let planned = isPaused ? nil : scan.parameters(at: now)
            // The app of an Android goes on without its scan, and leaves regions.
            let appScans = planned != nil && (settings.obstacle == nil || settings.phone.system == .android)
            let wanted = settings.obstacle == nil ? planned : nil
            guard wanted != performed?.parameters || wanted == nil && app.isScanning != appScans else { break }
            performed?.task?.cancel()
            performed = nil
            guard let wanted else {
                await host.stopScanning()
                pass(app.setScanning(appScans, at: clock.uptime))
                continue
            }
            do throws(RadioError) {
                scanCount += 1
                let number = scanCount
                let sightings = try await begin(wanted, number)
                guard !isClosed else { return await host.stopScanning() }
                (problem, retry) = (nil, nil)
                pass(app.setScanning(true, at: clock.uptime))
                let task = sightings.map { sightings in
                    Task {
                        for await sighting in sightings {
                            self.receive(sighting)
                            await self.letOthersWork()
                        }
                        await self.noteEnd(ofScan: number)
                    }
                }
                performed = (wanted, number, task)
                takeEarly()
            } catch {
                fail(error)
            }
        }
        arm()
    }

    /// Begins a scan. In virtual time, it calls this actor at once with each sighting: both are on the thread of the simulation.
    /// - Returns: the sightings; `nil` if it calls.
    private func begin(_ parameters: ScanParameters, _ number: Int) async throws(RadioError) -> AsyncStream<Sighting>? {
        guard isSimulated else { return try await host.scan(parameters) }
        let sink = SightingSink(
            receive: { [weak self] sighting in self?.assumeIsolated { $0.receive(sighting, ofScan: number) } },
            end: { [weak self] in self?.assumeIsolated { $0.passEnd(ofScan: number) } })
        early = []
        return try await host.scan(parameters, to: sink) ? nil : host.scan(parameters)
    }

    private func receive(_ sighting: Sighting, ofScan number: Int) {
        if performed?.number == number {
            receive(sighting)
        } else if number == scanCount, performed == nil {
            early.append(sighting)
        }
    }

    private func takeEarly() {
        guard !early.isEmpty else { return }
        let sightings = early
        early = []
        for sighting in sightings { receive(sighting) }
    }

    private func passEnd(ofScan number: Int) {
        guard performed?.number == number || number == scanCount else { return }
        Task { await self.noteEnd(ofScan: number) }
    }

    /// Notes that the radio has ended a scan: without that, the scan is ended here first.
    private func noteEnd(ofScan number: Int) async {
        guard performed?.number == number, !isClosed else { return }
        performed = nil
        fail(RadioError(.refused, "the radio has ended the scan", hint: "it is tried again"))
        await perform()
    }

    /// Nothing is received until the next attempt.
    private func fail(_ error: RadioError) {
        problem = error
        retry = clock.uptime + Self.pauseOfAttempts
        pass(app.setScanning(false, at: clock.uptime))
        observe?(.interrupted(error))
    }

    private func receive(_ sighting: Sighting) {
        guard !isClosed, !Task.isCancelled else { return }
        let now = clock.uptime
        if gaps?.contains(now) == true { return }
        // What was due before the packet does not include it.
        pass(app.take(.passed(now)))
        observe?(.packet(sighting, at: now))
        if estimates != nil, !isRanged, let beacon = owner(sighting.device.address) {
            estimates?.take(sighting, of: beacon, at: now)
        }
        let date = Duration.sinceUnixEpoch
        advertisers.receive(sighting, at: now, date)
        if streams.havePacketReaders { streams.send(record(of: sighting, date)) }
        pass(app.take(.received(sighting, at: now)))
        arm()
    }

    /// On a machine that is too slow there is always a next packet, and the thread would never do anything else.
    private func letOthersWork() async {
        packetsInTurn += 1
        guard packetsInTurn == Self.packetsOfATurn else { return }
        packetsInTurn = 0
        if !isSimulated { await Task.yield() }
    }

    /// - Parameter age: the time since it was received.
    private func record(of sighting: Sighting, _ date: Duration, age: Duration = .zero) -> AdvertisementRecord {
        let device = owner(sighting.device.address)
        let truth = truth.flatMap { $0.record(receiver: name, beacon: device, at: $0.seconds - age / .seconds(1)) }
        return AdvertisementRecord(sighting, at: date, receiver: name, device: device, truth: truth)
    }

    // MARK: - Reports

    private func pass(_ due: [PhoneReceiver.Report]) {
        for each in due {
            observe?(.report(each))
            switch each {
            case .ranging(let report):
                if estimates != nil, isRanged { estimates?.take(report, from: senders) }
                self.report = RangingRecord(settings.obstacle == nil ? report.beacons : [], settings.obstacle)
                reportTime = truth?.seconds ?? 0
                if streams.haveReportReaders {
                    addTruth()
                    streams.send(self.report)
                }
            case .region(let event): streams.send(MonitoringRecord(event))
            }
        }
    }

    /// The names of the beacons that were received, by what reports have of them.
    private var senders: [BeaconIdentity: String] {
        var senders: [BeaconIdentity: String] = [:]
        for advertiser in advertisers.all {
            guard let beacon = owner(advertiser.last.device.address) else { continue }
            for identity in advertiser.last.frames.compactMap(\.identity) { senders[identity] = beacon }
        }
        return senders
    }

    /// Adds to the last report where the receiver and the beacons were at its time.
    private func addTruth() {
        guard let truth, report.truth == nil else { return }
        let senders = Dictionary(
            senders.map { (IdentifierRecord($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        let (name, time) = (name, reportTime)
        report.add(truth.record(receiver: name, at: time)) { identifiers in
            senders[identifiers].flatMap { truth.record(of: $0, from: name, at: time) }
        }
    }

    /// The state of a region as its app knows it: without Bluetooth or permission, Core Location has none.
    private func known(_ status: RegionStatus) -> RegionStatus {
        guard settings.obstacle != nil, settings.phone.system != .android else { return status }
        return RegionStatus(region: status.region, state: .unknown)
    }

    private func record(of status: RegionStatus) -> MonitoringRecord {
        MonitoringRecord(known(status), settings.phone.system == .android ? nil : settings.obstacle)
    }

    /// As iOS does for regions with `notifyEntryStateOnDisplay`.
    private func reportStatesOnDisplay() {
        settle()
        for status in app.regions where status.region.notifiesOnDisplay && status.state == .inside {
            streams.send(MonitoringRecord(status))
        }
    }

    /// Sleeps until the next deadline, unless a timer is set for that time or an earlier one.
    private func arm() {
        guard !isClosed else { return }
        let now = clock.uptime
        var due = app.nextDeadline
        if let change = scan.nextDeadline(after: now) { due = min(due, change) }
        if let retry, retry > now { due = min(due, retry) }
        if let estimates { due = min(due, estimates.due) }
        if let timer, timer.due <= due { return }
        timer?.task.cancel()
        let task = Task { [clock] in
            guard await clock.sleep(for: due - now) else { return }
            await self.wake(from: due)
        }
        timer = (due, task)
    }

    private func wake(from due: Duration) async {
        guard timer?.due == due, !isClosed else { return }
        timer = nil
        // The clock may be a little before the deadline, because of rounding.
        pass(app.take(.passed(max(clock.uptime, due))))
        await estimate(at: max(clock.uptime, due))
        await perform()
    }

    /// Makes the reports that are due at present.
    package func settle() { pass(app.take(.passed(clock.uptime))) }

    // MARK: - What clients read

    /// The devices that were received in the last five seconds, by their addresses.
    package func recentAdvertisers(_ filter: AdvertisementFilter) -> [AdvertiserRecord] {
        let now = clock.uptime
        advertisers.forget(at: now)
        return advertisers.all.map {
            AdvertiserRecord(record(of: $0.last, $0.date, age: now - $0.time), packets: $0.packets)
        }
        .filter { $0.advertisement.isAccepted(by: filter) }
        .sorted { $0.advertisement.address < $1.advertisement.address }
    }

    /// An address with the type that it had in the last packet from it; `nil` if none was received lately.
    func device(with address: BluetoothAddress) -> RemoteAddress? { advertisers.device(with: address) }

    /// The last ranging report; an empty one while its app does not range.
    package var lastReport: RangingRecord {
        guard app.isRanging(at: clock.uptime) else { return RangingRecord() }
        addTruth()
        return report
    }

    /// The regions with their states, in the order in which they were added.
    package var regions: [MonitoredRegion] { app.regions.map { MonitoredRegion(known($0)) } }

    /// The packets that a filter accepts, as JSON, from now on.
    package nonisolated func advertisements(_ filter: AdvertisementFilter) -> any AsyncSequence<String, Never>
        & Sendable
    {
        streams.advertisements(filter)
    }

    /// The ranging reports of the beacons that a filter accepts, as JSON, from now on.
    package nonisolated func ranging(_ filter: AdvertisementFilter) -> any AsyncSequence<String, Never> & Sendable {
        streams.ranging(filter)
    }

    /// The states of all regions, then their changes, as JSON.
    package func monitoring() -> any AsyncSequence<String, Never> & Sendable {
        streams.monitoring(after: app.regions.map(record))
    }

    // MARK: - Regions

    /// Monitors a region from now on, instead of one of the same name.
    /// - Parameter exitAfter: the time without an advertisement after which it is left; `nil` for the phone's time.
    /// - Returns: The region, and whether its name is new.
    /// - Throws: `EmulatorError` `.conflict` if there are too many.
    package func monitor(
        _ region: BeaconRegion, exitAfter: Duration?
    ) throws(EmulatorError) -> (record: MonitoredRegion, isNew: Bool) {
        guard settings.phone.reader.knows(region.identifiers) else {
            throw EmulatorError(.conflict, settings.phone.cannotMonitor(region.identifier))
        }
        let added: (status: RegionStatus, former: RegionStatus?)
        do throws(RegionMonitor.TooManyRegions) {
            added = try add(region, exitAfter: exitAfter)
        } catch {
            throw EmulatorError(.conflict, "\(error.message) of an app", hint: "remove one")
        }
        // A client that follows the changes gets the state of the new region, too.
        if added.former?.region != region { streams.send(MonitoringRecord(added.status)) }
        arm()
        return (MonitoredRegion(added.status), added.former == nil)
    }

    /// Monitors a region, and reports it unless it is monitored already.
    private func add(
        _ region: BeaconRegion, exitAfter: Duration?
    ) throws(RegionMonitor.TooManyRegions) -> (status: RegionStatus, former: RegionStatus?) {
        let former = app.regions.first { $0.region.identifier == region.identifier }
        try app.add(region, exitAfter: exitAfter, at: clock.uptime)
        guard let status = app.regions.first(where: { $0.region.identifier == region.identifier }) else {
            preconditionFailure("the region was added")
        }
        followFilter()
        if former?.region != region {
            post(.monitored(region: region.identifier, IdentifierRecord(region.identifiers)))
        }
        return (status, former)
    }

    /// Stops monitoring a region.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there is none of this name.
    package func removeRegion(_ identifier: String) throws(EmulatorError) {
        guard app.remove(identifier) else {
            let hint = Spelling.hint(identifier, "regions", app.regions.map(\.region.identifier))
            throw EmulatorError(.unknownBeacon, "the receiver \(name) has no region \"\(identifier)\"", hint: hint)
        }
        followFilter()
        post(.ended(region: identifier))
    }

    /// A scan without a filter is suspended while the screen is off, so that the first region and the last one may change it.
    private func followFilter() {
        guard isFiltered != scan.isFiltered, settings.screen == .off else { return }
        Task { await self.perform() }
    }
}
