// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import Testing

@testable import VirtualRadio

/// The range of packets, and the cells in which the medium looks for receivers: they change no result.
@Suite struct RangeTests {
    /// About 90 m at 0 dBm.
    private static let propagation = Propagation(
        exponent: 3, clutter: 0.01, shadowing: Propagation.Shadowing(deviation: 2.7, distance: 0.75),
        directPathRatio: 0,
        packetDeviation: 3.2, antennaDeviation: 2, sensitivity: -95, capture: 8)

    // MARK: - Installations

    /// An installation of random controllers, and what its receivers report.
    private struct Installation {
        var bench: Bench
        var random: SplitMix64
        let side: Double
        var beacons: [ControllerIdentifier] = [], receivers: [ControllerIdentifier] = []
        var log: [String: [String]] = [:]
        var number: UInt8 = 0

        /// - Parameter cellSide: in metres; 0 for no cells, `nil` for those of the range.
        init(seed: UInt64, side: Double = 600, cellSide: Double?) throws {
            let configuration = AirConfiguration(seed: seed, propagation: RangeTests.propagation)
            bench = Bench(configuration)
            bench.air.medium = Medium(configuration.propagation, seed: seed, cellSide: cellSide)
            random = SplitMix64(seed: seed)
            self.side = side
        }

        mutating func place() -> Position {
            Position(x: (random.unit() - 0.5) * side, y: (random.unit() - 0.5) * side, z: random.unit() * 3)
        }

        /// At rest, walking, driving, in orbit, with jumps, or without a position.
        mutating func motion(_ number: Int) -> Motion? {
            switch number % 8 {
            case 0, 1, 2: return .rest(place())
            case 3:
                return Motion.Path(through: [place(), place(), place()], speed: 1.4, repeats: true).map(Motion.path)
            case 4: return Motion.Path(through: [place(), place()], speed: 40, repeats: true).map(Motion.path)
            case 5: return Motion.Orbit(centre: place(), radius: 80, period: .seconds(20)).map(Motion.orbit)
            case 6:
                return Motion.Path([.init(0, place()), .init(3, place()), .init(3, place()), .init(8, place())])
                    .map(Motion.path)
            default: return number % 16 == 7 ? nil : .rest(place())
            }
        }

        /// Ideal, more sensitive, less sensitive with more chance, or with a body.
        func hardware() -> ReceiverHardware {
            switch number % 4 {
            case 0: ReceiverHardware()
            case 1: ReceiverHardware(rssiOffset: 5, sensitivity: -99)
            case 2: ReceiverHardware(sensitivity: -90, fast: 6, antenna: .isotropic)
            default: ReceiverHardware(carried: .pocket)
            }
        }

        mutating func add(_ name: String, _ motion: Motion?, offset: Double = 0) -> ControllerIdentifier {
            number &+= 1
            let controller = bench.air.addController(
                ControllerConfiguration(
                    publicAddress: Bench.address(number), name: name, motion: motion, rssiOffset: offset,
                    hardware: hardware()))
            bench.prepare(controller)
            return controller
        }

        mutating func addBeacon(_ name: String, _ motion: Motion?, offset: Double = 0) throws {
            let beacon = add(name, motion, offset: offset)
            try bench.advertise(beacon, .nonConnectableUndirected, interval: 64, data: Array(name.utf8.prefix(20)))
            beacons.append(beacon)
        }

        mutating func addReceiver(_ name: String, _ motion: Motion?, offset: Double = 0) {
            let receiver = add(name, motion, offset: offset)
            bench.scan(receiver, interval: 0x400, window: 0x400)
            receivers.append(receiver)
        }

        mutating func run(milliseconds: Int64) {
            bench.run(milliseconds: milliseconds)
            for (index, receiver) in receivers.enumerated() {
                log["\(index)", default: []] += bench.takeReports(receiver).map { "\($0.data) \($0.rssi)" }
            }
        }

        /// The number of reports.
        var count: Int { log.values.map(\.count).reduce(0, +) }
    }

    /// The reports of 40 beacons and 40 receivers that move, change, come and go.
    private static func reports(seed: UInt64, cellSide: Double?) throws -> [String: [String]] {
        var place = try Installation(seed: seed, cellSide: cellSide)
        for number in 0..<40 {
            let motion = place.motion(number)
            try place.addBeacon("b\(number)", motion, offset: Double(number % 3) * 2)
        }
        for number in 0..<40 {
            let motion = place.motion(number)
            place.addReceiver("r\(number)", motion, offset: Double(number % 5) - 2)
        }
        place.run(milliseconds: 1_500)
        // Overrides of a path in range or not, one with an end.
        let (beacons, receivers) = (place.beacons, place.receivers)
        for number in 0..<10 {
            place.bench.air.setOverride(
                LinkOverride(rssi: -60, packetLoss: 0.1), between: beacons[number], and: receivers[39 - number])
        }
        place.bench.air.setOverride(
            LinkOverride(loss: 10, duration: .seconds(1)), between: beacons[12], and: receivers[12])
        place.run(milliseconds: 2_000)
        // Moved, louder, removed, and added again at the same index.
        for number in 20..<26 {
            let motion = place.motion(number + 3)
            place.bench.air.setMotion(motion, of: receivers[number])
            place.bench.air.setRSSIOffset(12, of: receivers[number + 8])
            place.bench.air.removeController(receivers[number - 14])
            place.bench.air.removeController(beacons[number + 10])
        }
        for number in 0..<12 {
            let motion = place.motion(number)
            place.addReceiver("n\(number)", motion)
            let other = place.motion(number + 1)
            try place.addBeacon("m\(number)", other)
            place.run(milliseconds: 100)
        }
        place.run(milliseconds: 1_500)
        return place.log
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func cellsChangeNoReport(seed: UInt64) throws {
        let all = try Self.reports(seed: seed, cellSide: 0)
        #expect(all.values.map(\.count).reduce(0, +) > 2_000)
        for side in [nil, 3, 20, 300, 100_000] as [Double?] {
            #expect(try Self.reports(seed: seed, cellSide: side) == all, "cells of \(side ?? -1) m")
        }
    }

    // MARK: - Independence

    /// Receivers that are far away, or come and go, change no RSSI of the others.
    @Test func farReceiversChangeNoReport() throws {
        func reports(others: Int) throws -> ArraySlice<[String]> {
            var place = try Installation(seed: 5, side: 60, cellSide: nil)
            for number in 0..<30 {
                // One without a position would be a metre from all.
                let motion = place.motion(number) ?? .rest(place.place())
                try place.addBeacon("b\(number)", motion)
            }
            for number in 0..<20 {
                let motion = place.motion(number)
                place.addReceiver("r\(number)", motion)
            }
            for number in 0..<others {
                let corner = Position(x: 5_000 + Double(number) * 40, y: -3_000)
                place.addReceiver("far \(number)", .rest(corner))
            }
            for step in 0..<20 {
                place.run(milliseconds: 100)
                if step % 5 == 4, others > 0 { place.bench.air.removeController(place.receivers[20 + step]) }
            }
            #expect((20..<20 + others).allSatisfy { place.log["\($0)", default: []].isEmpty })
            #expect(place.count > 4_000)
            return (0..<20).map { place.log["\($0)", default: []] }[...]
        }
        #expect(try reports(others: 0) == reports(others: 60))
    }

    // MARK: - Range

    /// Beyond the range, no packet is received; a path with an override has no range.
    @Test func rangeEndsReceptionButNotOverrides() {
        var medium = Medium(Self.propagation, seed: 1)
        for (index, x) in [0.0, 3, 2_000].enumerated() {
            medium.addController(
                index,
                ControllerConfiguration(publicAddress: .zero, name: "c\(index)", position: Position(x: x, y: 0)))
        }
        func received(at receiver: Int) -> Int {
            (0..<1_000).count { number in
                let packet = Packet(transmitter: 0, power: 0, channel: 0, bits: 376, number: UInt64(number))
                return medium.rssi(of: packet, at: receiver, now: 0) != nil
            }
        }
        #expect(received(at: 1) > 0)
        #expect(received(at: 2) == 0)
        // Nothing is stored for a path on which nothing was received.
        #expect(medium.path(from: 0, power: 0, to: 2, at: 0).packets == 0)
        medium.setOverride(LinkOverride(rssi: -60), of: 2, 0, now: 0)
        #expect(received(at: 2) == 1_000)
        #expect(medium.path(from: 0, power: 0, to: 2, at: 0).packets == 1_000)
    }

    /// Packets near the end of the range are received with a probability that is as low as the model says.
    @Test func receptionNearTheEndOfTheRangeIsRare() {
        for (name, propagation) in Propagation.environments {
            let minimum = PacketReception(propagation, Fading(propagation)).minimumMean
            let distance = { (mean: Double) in
                var metres = 1.0
                while -propagation.loss(overMetres: metres) > mean { metres *= 1.01 }
                return metres
            }
            func received(_ mean: Double) -> Int {
                var medium = Medium(propagation, seed: 1)
                medium.addController(
                    0, ControllerConfiguration(publicAddress: .zero, name: "a", position: Position(x: 0, y: 0)))
                return (1..<300).map { index in
                    medium.addController(
                        index,
                        ControllerConfiguration(
                            publicAddress: .zero, name: "\(index)", position: Position(x: distance(mean), y: 0)))
                    return (0..<300).count { number in
                        let packet = Packet(transmitter: 0, power: 0, channel: 0, bits: 128, number: UInt64(number))
                        return medium.rssi(of: packet, at: index, now: 0) != nil
                    }
                }.reduce(0, +)
            }
            #expect(received(minimum + 0.5) <= 3, "\(name)")
            #expect(received(-95) > 10_000, "\(name)")
        }
    }

    // MARK: - Counts

    @Test func countsArePerPathAndEndWithTheController() {
        var counts = PathCounts()
        counts.noteLost(from: 3, to: 5, isFirst: false)
        #expect(counts.count(from: 3, to: 5) == nil)
        for transmitter in 0..<50 {
            for receiver in 0..<50 where (transmitter + receiver) % 3 == 0 {
                for _ in 0...receiver { counts.noteReceived(from: transmitter, to: receiver, rssi: Double(-receiver)) }
                counts.noteLost(from: transmitter, to: receiver, isFirst: false)
            }
        }
        counts.remove(7)
        for transmitter in 0..<50 {
            for receiver in 0..<50 {
                let count = counts.count(from: transmitter, to: receiver)
                let isPresent = (transmitter + receiver) % 3 == 0 && transmitter != 7 && receiver != 7
                #expect(count?.packets == (isPresent ? UInt32(receiver + 2) : nil))
                #expect(count?.lost == (isPresent ? 1 : nil))
                #expect(count?.lastRSSI == (isPresent ? Float(-receiver) : nil))
            }
        }
        counts.noteReceived(from: 7, to: 2, rssi: -1)
        #expect(counts.count(from: 7, to: 2)?.packets == 1 && counts.count(from: 7, to: 5) == nil)
    }

    // MARK: - Windows

    /// The windows that scanners store have the channels of the formula.
    @Test func windowsHaveTheChannelsOfTheReceiver() {
        let receivers = [
            Receiver(controller: 0, isExtended: true, start: 100, interval: 1_000, window: 1_000),
            Receiver(controller: 0, isExtended: true, start: 0, interval: 1_000, window: 300),
            Receiver(
                controller: 0, isExtended: true, start: 50, interval: 700, window: 200, period: 5_000, duration: 2_000),
        ]
        for receiver in receivers {
            for time in receiver.start..<receiver.start + 12_000 {
                let (number, phase) = (time - receiver.start).quotientAndRemainder(dividingBy: receiver.interval)
                let isOn = receiver.period == 0 || (time - receiver.start) % receiver.period < receiver.duration
                let channel = isOn && phase < receiver.window ? Int(number % 3) : nil
                let window = receiver.window(at: time)
                #expect(window?.channel == channel)
                if let window {
                    #expect(window.start <= time && time < window.end)
                } else {
                    let next = receiver.nextStart(after: time)
                    #expect(next > time && (time + 1..<next).allSatisfy { receiver.window(at: $0) == nil })
                }
            }
            #expect(receiver.window(at: receiver.start - 1) == nil)
        }
    }
}
