// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import Profiles
import Receiving
import Testing

@testable import BeaconryTools

@Suite struct ScenarioVerdictTests {
    private static let door = BluetoothAddress("C0:FF:EE:00:00:01")

    /// A phone that received a beacon once a second from 10 s to 20 s with -60 dBm.
    private func trace() throws -> ScenarioTrace {
        let address = try #require(Self.door)
        let uuid = try #require(UUID128("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
        let frame = IBeacon(uuid: uuid, major: 1, minor: 2, measuredPower: MeasuredPower(-60))
        var writer = ByteWriter()
        frame.advertisingData().serialize(into: &writer)
        let data = writer.bytes
        var receiver = ScenarioReceiver(
            [RegionList.Entry(identifier: "shop", uuid: uuid, exitAfter: .seconds(5))], exponent: 2)
        for second in 10...20 {
            receiver.receive(
                Sighting(
                    device: RemoteAddress(address, isRandom: true), pdu: .nonConnectable,
                    data: data, rssi: RSSI(-60)),
                at: .seconds(second))
        }
        receiver.advance(to: .seconds(60))
        var trace = ScenarioTrace()
        trace.receivers["phone"] = receiver.trace
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
        _ subject: ScenarioExpectation.Subject, _ time: ScenarioExpectation.Time
    ) throws -> ScenarioVerdict {
        ScenarioVerdict(ScenarioExpectation(receiver: "phone", subject, time), try trace())
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
    ])
    func failureHasItsMoment(
        _ subject: ScenarioExpectation.Subject, _ time: ScenarioExpectation.Time, _ second: Int, _ fault: String
    ) throws {
        let verdict = try verdict(subject, time)
        #expect(verdict.fault == fault)
        #expect(verdict.moment == .seconds(second))
    }

    @Test func xmlIsEscaped() {
        #expect(JUnitSuite.escaped("a<b & \"c\">\u{1}") == "a&lt;b &amp; &quot;c&quot;&gt;\u{FFFD}")
    }
}
