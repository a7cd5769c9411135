// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import HostStack
import TestSupport
import TestTraits
import Testing
import VirtualRadio

/// Eddystone-TLM frames of an emulator, received on a virtual air, in virtual time.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct TelemetryTests {
    private static let hour = Duration.seconds(3600)

    /// The tolerance is what advertising delays of 0 to 10 ms add up to: the count of the frames is an estimate.
    @Test(
        arguments: [
            (interval: "100ms", period: .milliseconds(105), duration: .seconds(900), tolerance: 12),
            (interval: "1s", period: .milliseconds(1005), duration: hour, tolerance: 2),
        ] as [(String, Duration, Duration, Int)])
    func telemetryFollowsTheAir(
        _ interval: String, _ period: Duration, _ duration: Duration, _ tolerance: Int
    ) async throws {
        let received = try await Self.receive(
            """
            profile: museum
            beacons:
              - id: sign
                device: beacon
                format: eddystone-url
                url: https://example.com/a
                interval: \(interval)
                telemetry:
                  every: 10
                  battery: { drain: { from: 3000, every: 1m } }
                  temperature: { waveform: { shape: triangle, min: 18, max: 24, period: 1h } }
            """, for: duration)
        #expect(Set(received.map(\.address)).count == 1)
        let expected = Int(duration / period)
        #expect(abs(received.count - expected) <= tolerance, "\(received.count) of \(expected) advertisements")

        var frames: [EddystoneTLM] = []
        for (index, report) in received.enumerated() {
            guard let frame = report.frame.content as? EddystoneTLM else { continue }
            frames.append(frame)
            let deviation = Int(frame.advertisements) - index
            #expect(abs(deviation) <= tolerance, "\(frame.advertisements) instead of \(index) advertisements")
            // The frame has the time at which it was set, at most one advertisement ago.
            #expect(frame.uptime <= report.time && report.time - frame.uptime <= period + .milliseconds(100))
            #expect(frame.batteryMillivolts == 3000 - UInt16(frame.uptime / .seconds(60)))
            let half = frame.uptime / (Self.hour / 2)
            let temperature = 18 + 6 * (half < 1 ? half : 2 - half)
            #expect(abs(try #require(frame.celsius) - temperature) <= 1.0 / 256)
        }
        #expect(abs(frames.count - received.count / 10) <= received.count / 500, "\(frames.count) frames")
        // Between two frames of telemetry there are nine others.
        let counts = Set(frames.map(\.advertisements))
        #expect(counts.allSatisfy { $0 % 10 == 9 })
        #expect(frames.map(\.advertisements) == frames.map(\.advertisements).sorted())
        #expect(frames.last?.batteryMillivolts == 3001 - UInt16(duration / .seconds(60)))
    }

    /// What a receiver gets of the only beacon of a profile.
    private static func receive(_ profile: String, for duration: Duration) async throws -> [VirtualStation.Received] {
        let folder = try TemporaryFolder()
        let rig = try Rig(profile, folder: folder)
        var station = VirtualStation()
        var advertisements = rig.radio.advertisements.makeAsyncIterator()
        while rig.clock.now.offset < duration {
            station.advertise(try #require(await advertisements.next() ?? nil), at: rig.clock.now.offset)
            while rig.clock.nextDeadline == nil { await Task.yield() }
            let deadline = try #require(rig.clock.nextDeadline)
            rig.clock.advance(by: rig.clock.now.duration(to: deadline))
        }
        station.advance(to: duration)
        try await rig.stop()
        return station.received
    }
}

/// An advertising host and a scanning one, on a virtual air of their own.
private struct VirtualStation {
    /// A frame that the scanning host received.
    struct Received {
        let time: Duration
        let address: BluetoothAddress
        let frame: BeaconFrame
    }

    private var air = Air(AirConfiguration(seed: 1))
    private var hosts: [(host: LEHost, controller: ControllerIdentifier)] = []
    private var now = Duration.zero
    private(set) var received: [Received] = []

    init() {
        for number in [1, 2] as [UInt8] {
            let address = BluetoothAddress(octets: [0, 0x11, 0x22, 0, 0, number]) ?? .zero
            let controller = air.addController(ControllerConfiguration(publicAddress: address))
            var host = LEHost(random: RandomSource(SplitMix64(seed: UInt64(number))))
            host.start(at: now)
            hosts.append((host, controller))
        }
        exchangePackets()
        hosts[1].host.startScanning(ScanParameters(isActive: false))
        exchangePackets()
    }

    mutating func advertise(_ advertisement: Advertisement, at time: Duration) {
        advance(to: time)
        guard let set = AdvertisingSetIdentifier(1) else { return }
        hosts[0].host.setAdvertising(advertisement, for: set, address: .publicDevice)
        exchangePackets()
    }

    mutating func advance(to time: Duration) {
        while let next = nextDeadline, next <= time { step(to: next) }
        step(to: time)
    }

    private var nextDeadline: Duration? {
        let deadlines = hosts.map(\.host.nextDeadline) + [air.nextDeadline.map { .microseconds($0) }]
        return deadlines.compactMap(\.self).min()
    }

    private mutating func step(to time: Duration) {
        now = max(now, time)
        air.advance(to: Int64((now / .microseconds(1)).rounded(.up)))
        for index in hosts.indices { hosts[index].host.advance(to: now) }
        exchangePackets()
    }

    private mutating func exchangePackets() {
        var isSettled = false
        while !isSettled {
            isSettled = true
            for index in hosts.indices {
                for output in hosts[index].host.takeOutputs() {
                    isSettled = false
                    switch output {
                    case .send(let packet): air.receive(packet, from: hosts[index].controller)
                    case .event(.scanReport(let report, _)): take(report)
                    case .event: break
                    }
                }
                while let packet = air.takeOutput(of: hosts[index].controller) {
                    isSettled = false
                    hosts[index].host.receive(packet, at: now)
                }
            }
        }
    }

    private mutating func take(_ report: ScanReport) {
        guard let frame = AdvertisingData.prefix(of: report.data).data.frames.first else { return }
        received.append(Received(time: now, address: report.address, frame: frame))
    }
}
