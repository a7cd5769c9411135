// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

@Suite struct SensorTagKeyTests {
    private static func unconnected(_ policy: SensorTag.AdvertisingPolicy) -> SensorTagBench {
        SensorTagBench(SensorTag.Configuration(advertisingPolicy: policy))
    }

    @Test(
        arguments: [
            ("none", []), ("left", .left), ("right", .right), ("side", .side), ("left+right", [.left, .right]),
            ("left+right+side", [.left, .right, .side]),
        ] as [(String, SensorTagKeys)])
    func keyNamesParseAndPrint(_ text: String, keys: SensorTagKeys) {
        #expect(SensorTagKeys(text) == keys)
        #expect(keys.description == text)
    }

    @Test(arguments: ["", "Left", "left+", "+", "left+left", "none+left", "middle", "1"])
    func unknownNamesParseAsNil(_ text: String) {
        #expect(SensorTagKeys(text) == nil)
    }

    @Test func pressesAndReleasesAreNotified() {
        var bench = SensorTagBench.connected()
        for keys in ["left", "left+right", "right", "right", "none", "right", "none"] {
            #expect(bench.press(keys).reply == .done)
        }
        #expect(bench.values(of: SensorTagWire.keys) == [[1], [3], [2], [0], [2], [0]])
    }

    @Test func sideKeyIsNotifiedInTestMode() {
        var bench = SensorTagBench.connected()
        bench.write([0x80], to: SensorTagWire.testConfiguration)
        bench.clear()
        bench.press("side")
        bench.press("side+left")
        bench.press("none")
        #expect(bench.values(of: SensorTagWire.keys) == [[4], [5], [0]])
        #expect(bench.effects.isEmpty)
        #expect(bench.replies == [.done, .done, .done])
    }

    @Test func sideKeyEndsTheConnection() {
        var bench = SensorTagBench.connected()
        let advertisement = bench.tag.advertisement
        #expect(bench.press("side") == .done([.disconnect(SensorTagBench.alice)]))
        #expect(bench.send(.disconnected(SensorTagBench.alice)) == [.advertise(advertisement)])
        #expect(bench.values(of: SensorTagWire.keys).isEmpty)
    }

    @Test func sideKeySwitchesAdvertising() {
        var bench = Self.unconnected(.always)
        let advertisement = bench.tag.advertisement
        #expect(bench.press("side") == .done([.advertise(nil)]))
        #expect(bench.press("none") == .done())
        #expect(bench.press("side") == .done([.advertise(advertisement)]))
    }

    @Test func withSideKeyPolicyAdvertisesForALimitedTime() {
        var bench = Self.unconnected(.sideKey)
        let advertisement = bench.tag.advertisement
        guard case .report(let report)? = bench.effects.last, report.name == "waiting",
            report.arguments["settings"] == .list(["keys=side", "keys=none"])
        else {
            Issue.record("no report of the keys to press: \(bench.effects)")
            return
        }
        #expect(bench.effects.dropLast() == [.advertise(nil)])
        #expect(bench.press("side") == .done([.advertise(advertisement)]))
        bench.press("none")
        bench.clear()
        bench.run(for: .milliseconds(30719))
        #expect(bench.effects.isEmpty)
        bench.run(for: .milliseconds(1))
        #expect(bench.effects == [.advertise(nil)])
        #expect(bench.press("side") == .done([.advertise(advertisement)]))
        bench.press("none")
        #expect(bench.press("side") == .done([.advertise(nil)]))
    }

    @Test(arguments: [false, true])
    func withSideKeyPolicyAdvertisesAfterAConnectionThatTheSideKeyEnded(_ endedByKey: Bool) {
        var bench = Self.unconnected(.sideKey)
        let advertisement = bench.tag.advertisement
        bench.press("side")
        bench.press("none")
        bench.send(.connected(SensorTagBench.alice))
        bench.run(for: .seconds(60))
        if endedByKey { bench.press("side") }
        bench.press("none")
        let response = bench.send(.disconnected(SensorTagBench.alice))
        #expect(response == [.advertise(endedByKey ? advertisement : nil)])
        bench.clear()
        bench.run(for: .seconds(60))
        #expect(bench.effects == (endedByKey ? [.advertise(nil)] : []))
    }

    @Test func holdingTheSideKeyResetsTheTag() {
        var bench = SensorTagBench.connected()
        bench.write([0x80], to: SensorTagWire.testConfiguration)
        bench.write([1], to: SensorTagSensor.accelerometer.configuration)
        bench.clear()
        bench.press("side")
        bench.run(for: .milliseconds(2999))
        #expect(bench.value(of: SensorTagWire.testConfiguration) == [0x80])
        bench.run(for: .milliseconds(1))
        #expect(bench.effects.contains(.disconnect(SensorTagBench.alice)))
        #expect(bench.value(of: SensorTagWire.testConfiguration) == [0])
        #expect(bench.value(of: SensorTagSensor.accelerometer.configuration) == [0])
        bench.clear()
        bench.run(for: .seconds(10))
        #expect(bench.effects.isEmpty && bench.notifications.isEmpty)
    }

    /// The release and the reset are due at the same time.
    @Test func sideKeyReleasedAtTheResetIsNotHeldAfterwards() throws {
        let trace = try #require(
            Trace(
                [Trace.Point(.zero, 0), Trace.Point(.seconds(1), 4), Trace.Point(.seconds(4), 0)], repeats: false))
        var bench = SensorTagBench.connected(environment: [.keys: .trace(trace)])
        bench.run(for: .seconds(5))
        bench.send(.connected(SensorTagBench.alice))
        bench.subscribe(SensorTagWire.keys)
        bench.clear()
        bench.write([0x80], to: SensorTagWire.testConfiguration)
        #expect(bench.notifications.isEmpty)
    }

    @Test func releasingTheSideKeyPreventsTheReset() {
        var bench = SensorTagBench.connected()
        bench.write([0x80], to: SensorTagWire.testConfiguration)
        bench.press("side")
        bench.run(for: .milliseconds(2999))
        bench.press("none")
        bench.run(for: .seconds(5))
        #expect(bench.value(of: SensorTagWire.testConfiguration) == [0x80])
    }
}
