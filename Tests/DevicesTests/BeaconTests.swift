// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Devices
import Testing

@Suite struct BeaconTests {
    private static func uid() throws -> EddystoneUID {
        try #require(
            EddystoneUID(
                power: TransmitPower(-29), namespace: [UInt8](1...10), instance: [UInt8](1...6)))
    }

    private static func at(_ milliseconds: Int) -> DeviceTime { DeviceTime(uptime: .milliseconds(5000 + milliseconds)) }

    @Test func frameIsAdvertised() throws {
        var beacon = Beacon(Beacon.Configuration(frame: try Self.uid()))
        let advertisement = try #require(beacon.handle(.poweredOn).advertised ?? nil)
        #expect(
            Hexadecimal.string(advertisement.advertisingData.bytes)
                == "0201060303aafe1716aafe00e30102030405060708090a0102030405060000")
        #expect(advertisement.pdu == .nonConnectable)
        #expect(advertisement.problems.isEmpty)
        #expect(beacon.nextDeadline == nil)
        #expect(beacon.handle(.timePassed).isEmpty)
        #expect(beacon.read(.bit16(0x2A00), offset: 0) == .error(.readNotPermitted))
    }

    @Test func keysAreSettings() throws {
        var beacon = Beacon(Beacon.Configuration(frame: try Self.uid()))
        _ = beacon.handle(.poweredOn)
        #expect(beacon.settings.contains(.named("instance", "010203040506")))
        let response = beacon.handle(
            .set([.named("instance", "ffffffffffff"), .interval(AdvertisingInterval(320))]))
        #expect(response.reply == .done)
        let advertisement = try #require(response.advertised ?? nil)
        #expect(advertisement.interval == AdvertisingInterval(320))
        #expect(Hexadecimal.string(advertisement.advertisingData.bytes).hasSuffix("ffffffffffff0000"))
        #expect(beacon.handle(.set([.named("instance", "ffffffffffff")])) == .done())
    }

    @Test(
        arguments: [
            (.named("instance", "ff"), "instance: \"ff\" is not 6 bytes of two hexadecimal digits each"),
            (.major(1), "major: this beacon has no such setting"),
            (
                .named("instanse", "1"),
                "instanse: eddystone-uid has no setting \"instanse\"; did you mean \"instance\"? settings are interval, "
                    + "tx-power, namespace, instance, power-at-0m"
            ),
            (
                .interval(AdvertisingInterval(31)),
                "interval: a radio can send every 20 ms to 10240 ms (32 to 16384 ticks)"
            ),
        ] as [(SettingValue, String)])
    func settingsAreRefusedTogether(_ setting: SettingValue, _ sentence: String) throws {
        var beacon = Beacon(Beacon.Configuration(frame: try Self.uid()))
        let before = beacon.settings
        #expect(beacon.handle(.set([.transmitPower(TransmitPower(4)), setting])) == .refused(sentence))
        #expect(beacon.settings == before)
    }

    /// Of every four advertisements the last one is telemetry. With the mean delay of 5 ms, an advertisement is due every
    /// 105 ms.
    @Test func telemetryIsInterleaved() throws {
        let telemetry = BeaconTelemetry(every: 4, battery: .fixed(3000), temperature: .fixed(-2.5))
        var beacon = Beacon(Beacon.Configuration(frame: try Self.uid(), telemetry: telemetry))
        let first = try #require(beacon.handle(.poweredOn, at: Self.at(0)).advertised ?? nil)
        #expect(first.advertisingData.frames.map(\.format) == ["eddystone-uid"])
        var times: [Int] = []
        var frames: [EddystoneTLM] = []
        while let deadline = beacon.nextDeadline, deadline <= .milliseconds(5000 + 1260) {
            times.append(Int(deadline / .milliseconds(1)) - 5000)
            let response = beacon.handle(.timePassed, at: DeviceTime(uptime: deadline))
            let frame = try #require((response.advertised ?? nil)?.advertisingData.frames.first)
            if let telemetry = frame.content as? EddystoneTLM { frames.append(telemetry) }
        }
        #expect(times == [315, 420, 735, 840, 1155, 1260])
        #expect(frames.map(\.advertisements) == [3, 7, 11])
        #expect(frames.map(\.uptimeTenths) == [3, 7, 11])
        #expect(frames.allSatisfy { $0.batteryMillivolts == 3000 && $0.celsius == -2.5 })
        // Late by some rounds: the frame is that of the time.
        let late = beacon.handle(.timePassed, at: Self.at(60_450))
        let frame = try #require((late.advertised ?? nil)?.advertisingData.frames.first?.content as? EddystoneTLM)
        #expect(frame.advertisements == 575)
        #expect(beacon.nextDeadline == .milliseconds(5000 + 60_480))
    }

    @Test func countContinuesWithAnotherInterval() throws {
        let telemetry = BeaconTelemetry(every: 2)
        var beacon = Beacon(Beacon.Configuration(frame: try Self.uid(), telemetry: telemetry))
        _ = beacon.handle(.poweredOn, at: Self.at(0))
        // After 100 advertisements, one every 1005 ms follows.
        _ = beacon.handle(.set([.interval(AdvertisingInterval(1600))]), at: Self.at(10_500))
        #expect(beacon.nextDeadline == .milliseconds(5000 + 11_505))
        let response = beacon.handle(.timePassed, at: Self.at(11_505))
        let frame = try #require(response.advertised??.advertisingData.frames.first?.content as? EddystoneTLM)
        #expect(frame.advertisements == 101)
        #expect(frame.uptimeTenths == 115)
        // The same interval again changes nothing.
        _ = beacon.handle(.set([.interval(AdvertisingInterval(1600))]), at: Self.at(12_000))
        #expect(beacon.nextDeadline == .milliseconds(5000 + 12_510))
    }
}
