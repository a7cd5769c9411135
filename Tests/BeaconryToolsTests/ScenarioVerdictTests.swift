// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Emulator
import Profiles
import Receiving
import Testing

@testable import BeaconryTools

@Suite struct ScenarioVerdictTests {
    private static let door = BluetoothAddress("C0:FF:EE:00:00:01")

    /// A phone that received a beacon once a second from 10 s to 20 s with -60 dBm.
    private func trace() throws -> ScenarioTrace {
        let address = try #require(Self.door)
        let uuid = UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        let frame = IBeacon(uuid: uuid, major: 1, minor: 2, measuredPower: MeasuredPower(-60))
        var writer = ByteWriter()
        frame.advertisingData().serialize(into: &writer)
        let data = writer.bytes
        let shop = RegionList.Entry(
            identifier: "shop", .numbers(uuid, major: nil, minor: nil), hello: "Hello", goodbye: "Bye",
            atMostOncePer: .seconds(3600),
            exitAfter: .seconds(5))
        var receiver = ScenarioTrace.Receiver([shop])
        var phone = PhoneModel.exact
        phone.ranging = Ranging.Settings(model: .logDistance(exponent: 2))
        var app = PhoneReceiver(phone, seed: 1, at: .zero)
        try app.add(BeaconRegion(shop), exitAfter: shop.exitAfter, at: .zero)
        for report in app.setScanning(true, at: .zero) { receiver.take(.report(report)) }
        for second in 0...60 {
            let time = Duration.seconds(second)
            for report in app.take(.passed(time)) { receiver.take(.report(report)) }
            guard 10...20 ~= second else { continue }
            let sighting = Sighting(
                device: RemoteAddress(address, isRandom: true), pdu: .nonConnectable, data: data, rssi: RSSI(-60))
            receiver.take(.packet(sighting, at: time))
            for report in app.take(.received(sighting, at: time)) { receiver.take(.report(report)) }
        }
        var trace = ScenarioTrace()
        trace.receivers["phone"] = receiver
        let pair = ScenarioConnections.Pair(receiver: "phone", beacon: "door")
        trace.note(.connected, pair, at: .seconds(12))
        trace.note(.value(.bit16(0x2A19), [1]), pair, at: .seconds(13))
        trace.note(.value(.bit16(0x2A19), [2]), pair, at: .seconds(14))
        trace.note(.disconnected, pair, at: .seconds(15))
        trace.note("door", isOn: true, address: address, at: .seconds(10))
        trace.note("door", isOn: false, address: nil, at: .seconds(21))
        return trace
    }

    private func verdict(
        _ subject: ScenarioExpectation.Subject, _ time: ScenarioExpectation.Time, count: ClosedRange<Int>? = nil,
        hold: Duration? = nil
    ) throws -> ScenarioVerdict {
        ScenarioVerdict(ScenarioExpectation(receiver: "phone", subject, time, count: count, hold: hold), try trace())
    }

    private static func period(_ from: Int, _ to: Int) -> ClosedRange<Duration> { .seconds(from) ... .seconds(to) }

    @Test(arguments: [
        (ScenarioExpectation.Subject.enters("shop"), ScenarioExpectation.Time.once(period(0, 10))),
        (.exits("shop"), .once(period(25, 25))), (.enters("shop"), .never(period(11, 60))),
        (.sees("door"), .once(period(20, 30))), (.sees("door"), .never(period(21, 60))),
        (.nearest("door"), .throughout(period(12, 24))), (.distance("door", 0.9...1.1), .at(.seconds(15))),
        (.rssi("door", -60 ... -60), .throughout(period(0, 60))), (.reports("door", 11...11), .once(period(0, 60))),
        (.air("door", isOn: true), .throughout(period(10, 20))), (.air("door", isOn: false), .at(.seconds(5))),
        (.air("door", isOn: false), .once(period(11, 30))),
        (.connected("door"), .throughout(period(12, 14))), (.connected("door"), .never(period(15, 60))),
        (.value("door", .bit16(0x2A19), [2]), .once(period(0, 14))),
        (.value("door", .bit16(0x2A19), [2]), .never(period(15, 60))),
        (.announces("shop", .hello), .once(period(10, 10))), (.announces("shop", .goodbye), .once(period(25, 25))),
        (.proximity("door", [.near]), .throughout(period(11, 20))),
        (.proximity("door", [.immediate, .far]), .never(period(0, 60))),
        (.proximity("door", [.near]), .at(.seconds(15))),
    ])
    func expectationIsMet(_ subject: ScenarioExpectation.Subject, _ time: ScenarioExpectation.Time) throws {
        #expect(try verdict(subject, time).fault == nil)
    }

    @Test(arguments: [
        (
            ScenarioExpectation.Subject.enters("shop"), ScenarioExpectation.Time.once(period(0, 9)), 9,
            "it entered first at 10s"
        ),
        (.enters("cinema"), .once(period(0, 9)), 9, "it never did"),
        (.exits("shop"), .never(period(0, 60)), 25, "it exited"),
        (.sees("door"), .never(period(12, 60)), 12, "it was seen"),
        (.nearest("door"), .throughout(period(12, 60)), 25, "no beacon was in range"),
        (.distance("door", 2...3), .at(.seconds(15)), 15, "it was 1.0 m"),
        (.rssi("door", -50 ... -40), .throughout(period(0, 60)), 10, "it was -60 dBm"),
        (.rssi("door", -60 ... -60), .throughout(period(30, 60)), 60, "nothing was received"),
        (.reports("door", 0...4), .once(period(0, 60)), 14, "there were 11"),
        (.reports("door", 20...30), .once(period(0, 60)), 60, "there were 11"),
        (.air("door", isOn: true), .throughout(period(10, 30)), 21, "it has been off the air since 21s"),
        (.announces("shop", .goodbye), .once(period(0, 20)), 20, "it got the goodbye first at 25s"),
        (.proximity("door", [.far]), .once(period(11, 20)), 20, "it was near"),
        (.proximity("door", [.near]), .throughout(period(12, 60)), 22, "it was unknown"),
    ])
    func failureHasItsMoment(
        _ subject: ScenarioExpectation.Subject, _ time: ScenarioExpectation.Time, _ second: Int, _ fault: String
    ) throws {
        let verdict = try verdict(subject, time)
        #expect(verdict.fault == fault)
        #expect(verdict.moment == .seconds(second))
    }

    @Test(arguments: [
        (ScenarioExpectation.Subject.enters("shop"), 1...1, nil), (.enters("shop"), 2...3, "there was 1, at 10s"),
        (.exits("shop"), 0...0, "there was 1, at 25s"), (.exits("cinema"), 0...0, nil),
        (.announces("shop", .hello), 1...Int.max, nil), (.value("door", .bit16(0x2A19), [2]), 1...1, nil),
        (.value("door", .bit16(0x2A19), [3]), 1...1, "there were 0"),
    ])
    func eventsAreCounted(_ subject: ScenarioExpectation.Subject, _ count: ClosedRange<Int>, _ fault: String?) throws {
        #expect(try verdict(subject, .once(Self.period(0, 60)), count: count).fault == fault)
    }

    @Test(arguments: [
        (ScenarioExpectation.Time.once(period(0, 60)), 5, nil, 16),
        (.once(period(13, 60)), 5, nil, 18), (.once(period(0, 60)), 30, "it was so for 10s at most", 60),
        (.once(period(0, 11)), 5, "it was so in one report only", 11),
        (.never(period(0, 60)), 5, "it was so for 5s", 16), (.never(period(0, 60)), 30, nil, 60),
    ])
    func rangingMustHold(_ time: ScenarioExpectation.Time, _ seconds: Int, _ fault: String?, _ moment: Int) throws {
        let verdict = try verdict(.proximity("door", [.near]), time, hold: .seconds(seconds))
        #expect(verdict.fault == fault)
        #expect(verdict.moment == .seconds(moment))
    }

    /// Values of the formula in Newcombe, "Two-sided confidence intervals for the single proportion" (1998), method 3.
    @Test(arguments: [
        (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718),
    ])
    func intervalIsThatOfWilson(_ passed: Int, _ runs: Int, _ low: Double, _ high: Double) {
        let interval = PassRate(passed: passed, runs: runs).interval
        #expect(abs(interval.lowerBound - low) < 0.000_06)
        #expect(abs(interval.upperBound - high) < 0.000_06)
    }

    @Test func rateReachesWhatIsRequired() {
        #expect(PassRate(passed: 19, runs: 20).reaches(0.95))
        #expect(!PassRate(passed: 18, runs: 20).reaches(0.95))
        #expect(PassRate(passed: 50, runs: 50).interval.upperBound == 1)
        #expect(PassRate.percent(4999.0 / 5000) == "99.9 %")
        #expect(PassRate.percent(0.74) == "74 %")
    }

    @Test(arguments: [("1..3", [1, 2, 3]), ("9", [9]), ("1,5,9", [1, 5, 9]), ("2..3, 7", [2, 3, 7]), ("0..0", [0])])
    func seedsAreRead(_ text: String, _ seeds: [UInt64]) throws { #expect(try SeedList(text).seeds == seeds) }

    @Test func xmlIsEscaped() {
        #expect(JUnitSuite.escaped("a<b & \"c\">\u{1}") == "a&lt;b &amp; &quot;c&quot;&gt;\u{FFFD}")
    }
}
