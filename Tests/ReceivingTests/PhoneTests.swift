// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

/// Presets of phones: when they scan, and what their apps report.
@Suite struct PhoneTests {
    @Test func presetsHaveDifferentNamesAndValidScans() {
        #expect(Set(PhoneModel.names).count == PhoneModel.presets.count)
        for phone in PhoneModel.presets {
            #expect(phone.scan.parameters.isValid, "\(phone.name)")
            #expect(PhoneModel.named(phone.name) == phone)
        }
        #expect(PhoneModel.named("nokia") == nil)
    }

    /// Windows and intervals as Android's ScanManager has them, in units of 0.625 ms.
    @Test(arguments: [
        ("android-8-low-power", 800, 8000), ("android-8-balanced", 3200, 8000), ("android-9-low-power", 819, 8192),
        ("android-9-balanced", 1638, 6553), ("android-13-low-power", 224, 2240), ("android-13-balanced", 292, 1168),
        ("android-8-low-latency", 8000, 8000), ("android-9-low-latency", 6553, 6553),
        ("android-low-latency", 160, 160), ("android-low-latency-gaps", 160, 160),
        ("android-13-screen-off", 819, 16384), ("iphone", 48, 64),
    ])
    func windowsAreThoseOfTheSystem(_ name: String, _ window: UInt32, _ interval: UInt32) throws {
        let parameters = try #require(PhoneModel.named(name)).scan.parameters
        #expect(parameters.window == AdvertisingInterval(window))
        #expect(parameters.interval == AdvertisingInterval(interval))
        #expect(parameters.isActive)
    }

    // MARK: - The scan

    @Test func scanFollowsTurns() throws {
        var scan = PhoneScan(try #require(PhoneModel.named("altbeacon-background")).scan)
        #expect(scan.parameters(at: .seconds(5)) == nil)
        try scan.start(at: .seconds(10))
        #expect(scan.parameters(at: .seconds(10)) != nil)
        #expect(scan.nextDeadline(after: .seconds(10)) == .seconds(40))
        #expect(scan.parameters(at: .seconds(40)) == nil)
        #expect(scan.nextDeadline(after: .seconds(40)) == .seconds(340))
        #expect(scan.parameters(at: .seconds(340)) != nil)
        scan.stop()
        #expect(scan.parameters(at: .seconds(341)) == nil)
        #expect(scan.nextDeadline(after: .seconds(341)) == nil)
    }

    @Test func firstSecondsOfAndroid13AreMoreIntense() throws {
        let balanced = try #require(PhoneModel.named("android-13-balanced")).scan.parameters
        let phone = try #require(PhoneModel.named("android-13-low-power"))
        var scan = PhoneScan(phone.scan)
        try scan.start(at: .zero)
        #expect(scan.parameters(at: .seconds(1)) == balanced)
        #expect(scan.nextDeadline(after: .seconds(1)) == .seconds(6))
        #expect(scan.parameters(at: .seconds(6)) == phone.scan.parameters)
    }

    /// Whether a scan with this preset goes on while the screen is off, without a filter and with one.
    @Test(arguments: PhoneModel.names)
    func screenThatIsOffSuspendsScansWithoutAFilter(_ name: String) throws {
        let phone = try #require(PhoneModel.named(name))
        var scan = PhoneScan(phone.scan)
        try scan.start(at: .zero)
        scan.setScreen(.off)
        let needsFilter = [
            "android-9-low-power", "android-9-balanced", "android-9-low-latency", "android-13-low-power",
            "android-13-balanced", "android-low-latency", "android-low-latency-gaps",
        ]
        #expect((scan.parameters(at: .seconds(10)) == nil) == needsFilter.contains(name))
        scan.isFiltered = true
        #expect(scan.parameters(at: .seconds(10)) != nil)
        scan.isFiltered = false
        scan.setScreen(.on)
        #expect(scan.parameters(at: .seconds(10)) == phone.scan.parameters)
    }

    @Test func screenThatIsOffReducesTheScanOfAndroid13() throws {
        let off = try #require(PhoneModel.named("android-13-screen-off")).scan.parameters
        let balanced = try #require(PhoneModel.named("android-13-balanced"))
        var scan = PhoneScan(try #require(PhoneModel.named("android-13-low-power")).scan)
        try scan.start(at: .zero)
        scan.isFiltered = true
        scan.setScreen(.off)
        #expect(scan.parameters(at: .seconds(10)) == off)
        scan.setPlan(balanced.scan)
        #expect(scan.parameters(at: .seconds(10)) == balanced.scan.parameters)
        scan.setPlan(try #require(PhoneModel.named("android-9-low-power")).scan)
        #expect(scan.parameters(at: .seconds(10)) == scan.plan.parameters)
    }

    @Test func sixthStartInThirtySecondsIsRefused() throws {
        var scan = PhoneScan(try #require(PhoneModel.named("android-9-balanced")).scan)
        for second in 0..<5 { try scan.start(at: .seconds(second)) }
        #expect(throws: PhoneScan.TooManyStarts.self) { try scan.start(at: .seconds(29)) }
        #expect(scan.parameters(at: .seconds(29)) == nil)
        // The first one is thirty seconds ago.
        try scan.start(at: .seconds(30))
        #expect(scan.parameters(at: .seconds(30)) != nil)
        var exact = PhoneScan(PhoneModel.exact.scan)
        for _ in 0..<100 { try exact.start(at: .zero) }
    }

    @Test func longScanEndsUntilItIsStartedAgain() throws {
        var scan = PhoneScan(try #require(PhoneModel.named("android-9-low-power")).scan)
        try scan.start(at: .zero)
        #expect(scan.parameters(at: .seconds(1799)) != nil)
        #expect(scan.nextDeadline(after: .seconds(1000)) == .seconds(1800))
        #expect(scan.parameters(at: .seconds(1800)) == nil)
        try scan.start(at: .seconds(2000))
        #expect(scan.parameters(at: .seconds(2001)) != nil)
    }

    // MARK: - What apps report

    private let beacon = IBeacon.sample()

    /// The reports of a phone of a beacon that is received every 100 ms in a range of seconds.
    private func reports(
        of phone: PhoneModel, seed: UInt64 = 1, received: Range<Int> = 0..<0, rssi: (Int) -> Int8 = { _ in -59 },
        until: Int,
        exitAfter: Duration? = nil
    ) throws -> [PhoneReceiver.Report] {
        var receiver = PhoneReceiver(phone, seed: seed, at: .zero)
        try receiver.add(.museum(), exitAfter: exitAfter, at: .zero)
        var reports = receiver.setScanning(true, at: .zero)
        for tenth in 0...until * 10 {
            let time = Duration.milliseconds(tenth * 100)
            reports += receiver.take(.passed(time))
            guard received.contains(tenth / 10) else { continue }
            reports += receiver.take(.received(Self.sighting(beacon, RSSI(rssi(tenth))), at: time))
        }
        return reports
    }

    private static func sighting(_ beacon: IBeacon, _ rssi: RSSI) -> Sighting {
        Sighting(
            device: RemoteAddress(.zero, isRandom: true), pdu: .nonConnectable,
            data: beacon.advertisingData().serialized(), rssi: rssi)
    }

    private static func ranged(_ reports: [PhoneReceiver.Report]) -> [RangingReport] {
        reports.compactMap { if case .ranging(let report) = $0 { report } else { nil } }
    }

    private static func events(_ reports: [PhoneReceiver.Report]) -> [RegionEvent] {
        reports.compactMap { if case .region(let event) = $0 { event } else { nil } }
    }

    @Test func lostBeaconIsInOneReport() throws {
        let ranged = Self.ranged(try reports(of: .exact, received: 0..<3, until: 8))
        #expect(ranged.map(\.time) == (1...8).map { .seconds($0) })
        // A packet at the end of a second is in the report of the next one.
        #expect(ranged.map { $0.beacons.first?.packets } == [10, 10, 10, 0, nil, nil, nil, nil])
        let lost = try #require(ranged[3].beacons.first)
        #expect(lost.rssi == RSSI(0) && lost.accuracy == -1 && lost.proximity == .unknown)
    }

    @Test func regionIsEnteredAtOnceAndLeftAfterTheTimeOfThePhone() throws {
        let exact = Self.events(try reports(of: .exact, received: 5..<10, until: 60))
        #expect(exact.map(\.kind) == [.entered, .exited])
        #expect(exact.map(\.time) == [.seconds(5), .milliseconds(39_900)])
        let altBeacon = Self.events(
            try reports(of: try #require(PhoneModel.named("altbeacon")), received: 5..<10, until: 60))
        #expect(altBeacon.map(\.kind) == [.entered, .exited])
        // 10 s after the last packet, at the end of a cycle.
        #expect(altBeacon.map(\.time) == [.seconds(5), .milliseconds(20_900)])
        let own = Self.events(try reports(of: .exact, received: 5..<10, until: 60, exitAfter: .seconds(3)))
        #expect(own.map(\.kind) == [.determined, .entered, .exited])
        #expect(own.map(\.time) == [.seconds(3), .seconds(5), .milliseconds(12_900)])
    }

    @Test func delaysOfALockedPhoneAreWithinTheirRangesAndFollowFromTheSeed() throws {
        let locked = try #require(PhoneModel.named("iphone-locked"))
        var delays: Set<Duration> = []
        for seed in UInt64(1)...20 {
            let events = Self.events(try reports(of: locked, seed: seed, received: 5..<30, until: 100))
            #expect(events == Self.events(try reports(of: locked, seed: seed, received: 5..<30, until: 100)))
            #expect(events.map(\.kind) == [.entered, .exited])
            #expect(.seconds(6) ... .seconds(15) ~= events[0].time)
            #expect(.milliseconds(59_900) ... .milliseconds(74_900) ~= events[1].time)
            delays.insert(events[0].time)
        }
        #expect(delays.count == 20)
    }

    @Test func lockedPhoneRangesForTenSecondsAfterAChange() throws {
        let reports = try reports(of: try #require(PhoneModel.named("iphone-locked")), received: 5..<60, until: 60)
        let entered = try #require(Self.events(reports).first).time
        let ranged = Self.ranged(reports).map(\.time)
        #expect(9...10 ~= ranged.count)
        #expect(ranged.allSatisfy { entered...(entered + .seconds(10)) ~= $0 })
    }

    @Test func entryThatIsUndoneBeforeItsReportIsNotReported() throws {
        let slow = try #require(PhoneModel.named("iphone-slow"))
        var kinds: Set<[RegionEvent.Kind]> = []
        for seed in UInt64(1)...40 {
            kinds.insert(Self.events(try reports(of: slow, seed: seed, received: 1..<2, until: 1000)).map(\.kind))
        }
        // The exit, after thirty seconds, is before most reports of the entry, which take up to fifteen minutes.
        #expect(kinds == [[.determined], [.entered, .exited]])
    }

    @Test func exitThatWaitsForTheEndOfATurnIsReportedByAnotherPhone() throws {
        var receiver = PhoneReceiver(try #require(PhoneModel.named("altbeacon-background")), seed: 1, at: .zero)
        try receiver.add(.museum(), at: .zero)
        _ = receiver.setScanning(true, at: .zero)
        _ = receiver.take(.received(Self.sighting(beacon, RSSI(-59)), at: .seconds(1)))
        #expect(Self.events(receiver.take(.passed(.seconds(12)))).isEmpty)
        receiver = receiver.replaced(by: .exact, at: .seconds(13))
        #expect(Self.events(receiver.take(.passed(.seconds(14)))).map(\.kind) == [.exited])
    }

    @Test func exitOfMoreThanATurnIsReported() throws {
        var receiver = PhoneReceiver(try #require(PhoneModel.named("altbeacon-background")), seed: 1, at: .zero)
        try receiver.add(.museum(), exitAfter: .seconds(50), at: .zero)
        var events: [RegionEvent] = []
        for second in 0..<1000 {
            let time = Duration.seconds(second)
            if second % 330 == 0 { events += Self.events(receiver.setScanning(true, at: time)) }
            if second % 330 == 30 { events += Self.events(receiver.setScanning(false, at: time)) }
            events += Self.events(receiver.take(.passed(time)))
            if second == 1 {
                events += Self.events(receiver.take(.received(Self.sighting(beacon, RSSI(-59)), at: time)))
            }
        }
        // Of fifty seconds of scanning, 29 are in the first turn, and 21 in the second one.
        #expect(events.map(\.kind) == [.entered, .exited])
        #expect(events.map(\.time) == [.seconds(1), .seconds(360)])
    }

    @Test func appInTheBackgroundReportsAnExitAtTheEndOfATurn() throws {
        let phone = try #require(PhoneModel.named("altbeacon-background"))
        var receiver = PhoneReceiver(phone, seed: 1, at: .zero)
        try receiver.add(.museum(), at: .zero)
        var events: [RegionEvent] = []
        for second in 0..<700 {
            let time = Duration.seconds(second)
            let turn = second % 330
            if turn == 0 { events += Self.events(receiver.setScanning(true, at: time)) }
            if turn == 30 { events += Self.events(receiver.setScanning(false, at: time)) }
            events += Self.events(receiver.take(.passed(time)))
            // On the air until 200 s.
            if second < 200 {
                events += Self.events(receiver.take(.received(Self.sighting(beacon, RSSI(-59)), at: time)))
            }
        }
        #expect(events.map(\.kind) == [.entered, .exited])
        #expect(events.map(\.time) == [.zero, .seconds(360)])
    }

    @Test func nothingIsLeftWhileThePhoneDoesNotScan() throws {
        var receiver = PhoneReceiver(.exact, seed: 1, at: .zero)
        try receiver.add(.museum(), at: .zero)
        _ = receiver.setScanning(true, at: .zero)
        #expect(Self.events(receiver.take(.received(Self.sighting(beacon, RSSI(-59)), at: .seconds(1)))).count == 1)
        #expect(Self.events(receiver.setScanning(false, at: .seconds(2))).isEmpty)
        #expect(Self.events(receiver.take(.passed(.seconds(1000)))).isEmpty)
        #expect(receiver.regions.map(\.state) == [.inside])
        #expect(Self.events(receiver.setScanning(true, at: .seconds(1000))).isEmpty)
        // Twenty-nine seconds are left.
        #expect(Self.events(receiver.take(.passed(.seconds(1028)))).isEmpty)
        #expect(Self.events(receiver.take(.passed(.seconds(1029)))).map(\.kind) == [.exited])
    }

    @Test func regionsStayWhenThePhoneIsAnotherOne() throws {
        var receiver = PhoneReceiver(.exact, seed: 1, at: .zero)
        try receiver.add(.museum(), at: .zero)
        _ = receiver.setScanning(true, at: .zero)
        _ = receiver.take(.received(Self.sighting(beacon, RSSI(-59)), at: .seconds(1)))
        receiver = receiver.replaced(by: try #require(PhoneModel.named("altbeacon")), at: .seconds(2))
        #expect(receiver.regions.map(\.state) == [.inside])
        // The tenth cycle ends a second later.
        #expect(Self.events(receiver.take(.passed(.seconds(12)))).isEmpty)
        #expect(Self.events(receiver.take(.passed(.seconds(13)))).map(\.time) == [.seconds(13)])
    }

    @Test func libraryChecksItsRegionsAtTheEndsOfCycles() throws {
        let altBeacon = try #require(PhoneModel.named("altbeacon"))
        for seconds in 5...40 {
            let exits = Self.events(try reports(of: altBeacon, received: 1..<seconds, until: 60)).filter {
                $0.kind == .exited
            }
            let exit = try #require(exits.first)
            let last = Duration.seconds(seconds) - .milliseconds(100)
            #expect((.seconds(10) ... .milliseconds(11_100)).contains(exit.time - last))
            #expect(exit.time.remainder(of: .milliseconds(1100)) == .zero)
        }
        // A beacon that comes back before the end of the cycle was never away.
        var receiver = PhoneReceiver(altBeacon, seed: 1, at: .zero)
        try receiver.add(.museum(), at: .zero)
        _ = receiver.setScanning(true, at: .zero)
        for time in [Duration.milliseconds(100), .milliseconds(10_200)] {
            _ = receiver.take(.received(Self.sighting(beacon, RSSI(-59)), at: time))
        }
        #expect(Self.events(receiver.take(.passed(.seconds(20)))).isEmpty)
    }

    // MARK: - Gaps and handsets

    /// The lengths of the gaps and of the pauses between them, in an hour.
    private static func gaps(_ plan: ReceptionGaps.Plan, seed: UInt64) -> (gaps: [Double], pauses: [Double]) {
        var gaps = ReceptionGaps(plan, seed: seed, from: .zero)
        var (lengths, former, start): ([[Double]], Bool, Int) = ([[], []], false, 0)
        for millisecond in stride(from: 0, to: 3_600_000, by: 10) {
            let isGap = gaps.contains(.milliseconds(millisecond))
            guard isGap != former else { continue }
            lengths[former ? 1 : 0].append(Double(millisecond - start) / 1000)
            (former, start) = (isGap, millisecond)
        }
        return (lengths[1], Array(lengths[0].dropFirst()))
    }

    @Test func gapsAreWithinTheirRangesAndFollowFromTheSeed() throws {
        let plan = try #require(PhoneModel.named("android-low-latency-gaps")?.gaps)
        let (gaps, pauses) = Self.gaps(plan, seed: 7)
        #expect(gaps.count > 250)
        #expect(gaps.allSatisfy { 1.98...4.02 ~= $0 } && pauses.allSatisfy { 6.98...10.02 ~= $0 })
        #expect(Self.gaps(plan, seed: 7).gaps == gaps)
        #expect(Self.gaps(plan, seed: 8).gaps != gaps)
    }

    /// One second in a hundred has no packet with most phones.
    @Test func phonesLoseFewSecondsAndIdealReceiversNone() throws {
        var plans: Set<ReceptionGaps.Plan> = []
        for phone in PhoneModel.presets {
            guard phone.system != nil else {
                #expect(phone.gaps == nil && phone.sensitivity == nil, "\(phone.name)")
                continue
            }
            #expect(phone.sensitivity == -91)
            let plan = try #require(phone.gaps)
            guard phone.name != "android-low-latency-gaps", plans.insert(plan).inserted else { continue }
            let hours = (UInt64(1)...5).map { seed -> Double in Self.gaps(plan, seed: seed).gaps.reduce(0, +) / 3600 }
            let lost = hours.reduce(0, +) / 5
            #expect(0.015...0.025 ~= lost, "\(phone.name)")
        }
    }

    @Test func handsetsHaveNamesOfTheirOwnAndOffsetsOfHardware() {
        #expect(Set(Handset.names).count == Handset.all.count)
        for handset in Handset.all {
            #expect(-40...40 ~= handset.offset, "\(handset.name)")
            #expect(Handset.named(handset.name) == handset)
            for phone in PhoneModel.presets {
                let fits = phone == .exact || phone.system == handset.system
                #expect((phone.with(handset) != nil) == fits, "\(handset.name), \(phone.name)")
            }
        }
        #expect(Handset.named("galaxy-s5")?.offset == -21.5)
        #expect(Handset.named("pixel")?.offset == 3)
    }

    // MARK: - Distances

    /// The distance that AltBeacon shows after a step of the RSSI, in its cycles of 1.1 s.
    @Test func distanceOfAltBeaconFollowsForTwentySeconds() throws {
        let reports = Self.ranged(
            try reports(
                of: try #require(PhoneModel.named("altbeacon")), received: 0..<60, rssi: { $0 < 300 ? -59 : -79 },
                until: 60))
        let distances = reports.compactMap { report in report.beacons.first?.distance.map { (report.time, $0) } }
        let first = try #require(distances.last { $0.0 < .seconds(30) })
        #expect(abs(first.1 - 0.97086) < 0.0001)
        let last = try #require(distances.last)
        #expect(abs(last.1 - 3.751) < 0.01)
        let arrival = try #require(distances.first { $0.1 > 3.7 }).0
        // A trimmed mean has the end value when the older values are a tenth of all.
        #expect(.seconds(46) ... .seconds(50) ~= arrival)
        let middle = distances.filter { .seconds(31) ... .seconds(45) ~= $0.0 }.map(\.1)
        #expect(middle == middle.sorted())
    }

    @Test func trimmedMeanLeavesOutATenthAndOneAtEachEnd() throws {
        // Of ten packets two each: the mean of -63, -64, -65, -66, -67, -68.
        let values: [Int8] = [-61, -62, -63, -64, -65, -66, -67, -68, -69, -70]
        let reports = Self.ranged(
            try reports(
                of: try #require(PhoneModel.named("altbeacon")), received: 0..<1, rssi: { values[$0] }, until: 2))
        let distance = try #require(reports.first?.beacons.first?.distance)
        let expected = try #require(DistanceModel.altBeacon.distance(rssi: -65.5, measuredPower: beacon.measuredPower))
        #expect(abs(distance - expected) < 1e-9)
    }
}
