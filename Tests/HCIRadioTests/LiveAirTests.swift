// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import NIOCore
import NIOEmbedded
import Radio
import Space
import Synchronization
import Testing
import VirtualRadio

@testable import HCIRadio

@Suite struct LiveAirTests {
    /// On a machine that is half a second late, the capture has the times of the air, not the time of its catching up. Between the
    /// steps of the air the loop does other work.
    @Test func lateAdvertisingIsCapturedWithItsTime() throws {
        let rig = Rig()
        // Its timer is in the loop, which it owns.
        defer { rig.air.close() }
        rig.advertise(every: 32)
        rig.clock.now = rig.clock.now + .milliseconds(500)
        var steps = 0
        rig.air.onWakeUp = { delay in if delay > .milliseconds(20) { steps += 1 } }
        rig.run(milliseconds: 100)
        #expect(steps >= 20)
        #expect(rig.lost.isEmpty)
        let reports = try rig.reports()
        #expect(reports.count >= 20)
        #expect(rig.areRegular(reports))
        // It has caught up.
        #expect(try #require(reports.last) - (try #require(reports.first)) >= .milliseconds(570))
    }

    /// On a machine that is too slow, or was suspended, the time that is too late is left out.
    @Test func timeThatIsTooLateIsLost() throws {
        let rig = Rig()
        defer { rig.air.close() }
        rig.advertise(every: 32)
        rig.clock.now = rig.clock.now + .seconds(60)
        rig.run(milliseconds: 200)
        let lost = try #require(rig.lost.last)
        #expect((Duration.seconds(58)...Duration.seconds(59)).contains(lost))
        let reports = try rig.reports()
        #expect((40...60).contains(reports.count))
        #expect(rig.areRegular(reports))
    }

    /// A changed motion is that of the hosts that are there and of those that join later.
    @Test func hostsOfAServerHaveItsMotion() throws {
        let clock = Clock()
        let air = LiveAir(Air(), clock: LoopClock(EmbeddedEventLoop()) { clock.now })
        let walk = try #require(
            Motion.Path(through: [Position(x: 0, y: 0), Position(x: 100, y: 0)], speed: 2))
        let served = ServedControllers(.local(name: "phone", motion: .path(walk)), on: air)
        let (first, gone) = (served.take(), served.take())
        _ = air.join(first, delegate: IdleHost())
        served.release(gone)
        #expect(air.position(of: "phone") == Position(x: 0, y: 0))
        clock.now = clock.now + .seconds(10)
        #expect(air.position(of: "phone") == Position(x: 20, y: 0))
        served.setMotion(.rest(Position(x: 7, y: 7)))
        let second = served.take()
        _ = air.join(second, delegate: IdleHost())
        #expect(second.name == "phone-2")
        #expect(["phone", "phone-2"].map { air.position(of: $0) } == [Position(x: 7, y: 7), Position(x: 7, y: 7)])
        #expect(air.setMotion(.path(walk), of: "phone-2") && !air.setMotion(nil, of: "phone-3"))
        #expect(air.position(of: "phone-2") == Position(x: 20, y: 0))
        served.setMotion(nil)
        #expect(["phone", "phone-2", "other"].map { air.position(of: $0) } == [nil, nil, nil])
    }

    @Test func hostsOfAServerHaveTheirOwnAddressesAndNames() throws {
        let air = LiveAir(Air(), clock: LoopClock(EmbeddedEventLoop()))
        func address(_ text: String) throws -> BluetoothAddress { try #require(BluetoothAddress(text)) }
        let served = ServedControllers(
            .local(
                address: try address("C0:FF:EE:00:00:FF"), name: "phone",
                motion: .rest(Position(x: 3, y: 0))),
            on: air)
        let first = served.take()
        #expect(first.publicAddress == (try address("C0:FF:EE:00:00:FF")))
        #expect(first.name == "phone" && first.motion == .rest(Position(x: 3, y: 0)))
        let identifier = air.join(first, delegate: IdleHost())
        let second = served.take()
        #expect(second.publicAddress == (try address("C0:FF:EE:00:01:00")))
        #expect(second.name == "phone-2")
        #expect(served.take().publicAddress == (try address("C0:FF:EE:00:01:01")))
        served.release(second)
        #expect(served.take().publicAddress == (try address("C0:FF:EE:00:01:00")))
        air.leave(identifier)
        #expect(served.take().name == "phone")
        let others = ServedControllers(.init(.kernel), on: air)
        #expect(others.take().name == "host")
        #expect(others.take().publicAddress != others.take().publicAddress)
    }
}

/// An advertiser and a scanner on an air with a capture, whose clock a test moves.
private final class Rig {
    let clock = Clock()
    let air: LiveAir
    private(set) var lost: [Duration] = []
    private let loop = EmbeddedEventLoop()
    private let sink = Sink()
    private let advertiser: Host
    private let scanner: Host

    init() {
        let clock = clock
        air = LiveAir(
            Air(AirConfiguration(seed: 1)), clock: LoopClock(loop) { clock.now }, captures: PacketCaptures(sink))
        (advertiser, scanner) = (Host(1, on: air), Host(2, on: air))
        air.onLostTime = { self.lost.append($0) }
    }

    /// Begins to advertise, and to scan without pauses.
    func advertise(every ticks: UInt32) {
        advertiser.send(
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(ticks), maximumInterval: AdvertisingInterval(ticks),
                advertisingType: .connectableUndirected))
        advertiser.send(LESetAdvertisingEnable(enable: 1))
        scanner.send(SetEventMask(eventMask: EventMask(rawValue: .max)))
        scanner.send(
            LESetScanParameters(scanType: .passive, scanInterval: ScanTime(16), scanWindow: ScanTime(16)))
        scanner.send(LESetScanEnable(enable: 1, filterDuplicates: 0))
    }

    /// Lets the loop work, in ticks of 1 ms.
    func run(milliseconds: Int) {
        for _ in 0..<milliseconds {
            clock.now = clock.now + .milliseconds(1)
            loop.advanceTime(to: clock.now)
        }
    }

    /// The times of the advertising reports in the capture.
    func reports() throws -> [Duration] {
        var reader = BtsnoopReader()
        reader.append(sink.bytes)
        var reports: [Duration] = []
        while let packet = try reader.next() {
            guard case .event(let event) = packet.packet, event.subeventCode == LEAdvertisingReport.subeventCode else {
                continue
            }
            reports.append(packet.time)
        }
        return reports
    }

    /// Whether reports come at the interval of 20 ms, with its random delay.
    func areRegular(_ reports: [Duration]) -> Bool {
        zip(reports, reports.dropFirst()).allSatisfy {
            (Duration.milliseconds(20)...Duration.milliseconds(30)).contains($1 - $0)
        }
    }
}

private final class Clock {
    var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
}

private final class Host: AirDelegate {
    private let air: LiveAir
    private var identifier: ControllerIdentifier?

    init(_ number: UInt8, on air: LiveAir) {
        self.air = air
        let address = BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, number]) ?? .zero
        identifier = air.join(ControllerConfiguration(publicAddress: address), delegate: self)
    }

    func send(_ command: some HCICommand) {
        guard let identifier else { return }
        air.receive(.command(HCICommandPacket(command)), from: identifier)
    }

    func airHasPackets() {
        while let identifier, air.takePacket(of: identifier) != nil {}
    }

    func airEnded() { identifier = nil }
}

private final class Sink: CaptureSink {
    private let taken = Mutex<[UInt8]>([])
    var bytes: [UInt8] { taken.withLock { $0 } }
    func append(_ bytes: [UInt8]) { taken.withLock { $0 += bytes } }
}

/// A host that takes no packets.
private final class IdleHost: AirDelegate {
    func airHasPackets() {}
    func airEnded() {}
}
