// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Glibc
import Space
import Testing

@testable import VirtualRadio

@Suite struct ReceiverHardwareTests {
    /// A beacon at the origin, and a receiver.
    static func medium(
        _ propagation: Propagation, _ hardware: ReceiverHardware, at motion: Motion? = .rest(Position(x: 10, y: 0)),
        seed: UInt64 = 1
    ) -> Medium {
        var medium = Medium(propagation, seed: seed)
        medium.addController(
            0,
            ControllerConfiguration(
                publicAddress: .zero, name: "beacon", position: Position(x: 0, y: 0), isOfBeacon: true))
        medium.addController(
            1, ControllerConfiguration(publicAddress: .zero, name: "receiver", motion: motion, hardware: hardware))
        return medium
    }

    static func rssi(_ medium: inout Medium, power: Int8 = 0, now: AirTime = 0) -> Int8? {
        medium.rssi(of: Packet(transmitter: 0, power: power, channel: 0, bits: 376), at: 1, now: now)
    }

    /// The RSSI of packets at different times.
    static func series(_ medium: inout Medium, count: Int = 2_000) -> [Double] {
        (0..<count).compactMap { rssi(&medium, now: AirTime($0) * 1_000).map(Double.init) }
    }

    static func deviation(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
    }

    /// In the exact model and with chance.
    @Test(arguments: [Propagation(), Propagation(sensitivity: -95, capture: 8)], [-40, -7.5, 0, 12, 40.0])
    func offsetIsAddedToWhatIsReported(_ propagation: Propagation, _ offset: Double) throws {
        var ideal = Self.medium(propagation, ReceiverHardware())
        var medium = Self.medium(propagation, ReceiverHardware(rssiOffset: offset))
        let expected = try Double(#require(Self.rssi(&ideal))) + offset
        #expect(try Double(#require(Self.rssi(&medium))) == expected.rounded())
        let path = medium.path(from: 0, power: 0, to: 1, at: 0)
        #expect(path.meanRSSI == -79 + offset)
        if let last = path.lastRSSI { #expect(abs(last - (-79 + offset)) < 1e-3) }
    }

    /// What the last packet was reported with stays within the numbers that a controller reports.
    @Test(arguments: [-40, 40.0])
    func lastRSSIHasTheLimitsOfReports(_ offset: Double) throws {
        for (metres, power) in [(0.01, Int8(20)), (1e9, -100)] {
            var medium = Self.medium(
                Propagation(packetDeviation: 3), ReceiverHardware(rssiOffset: offset),
                at: .rest(Position(x: metres, y: 0)))
            let reported = try #require(Self.rssi(&medium, power: power))
            let last = try #require(medium.path(from: 0, power: power, to: 1, at: 0).lastRSSI)
            #expect(Int8(last.rounded()) == reported)
        }
    }

    @Test func offsetHasNoInfluenceOnWhatIsReceived() {
        let edge = Propagation(packetDeviation: 3, sensitivity: -79)
        var ideal = Self.medium(edge, ReceiverHardware())
        var medium = Self.medium(edge, ReceiverHardware(rssiOffset: 20))
        let expected = Self.series(&ideal)
        #expect((200..<1_800).contains(expected.count))
        #expect(Self.series(&medium) == expected.map { $0 + 20 })
    }

    @Test(arguments: [nil, -95.0])
    func sensitivityReplacesThatOfThePhysics(_ ofPhysics: Double?) {
        let propagation = Propagation(sensitivity: ofPhysics)
        var deaf = Self.medium(propagation, ReceiverHardware(sensitivity: -70))
        #expect(Self.series(&deaf, count: 100).isEmpty)
        var keen = Self.medium(propagation, ReceiverHardware(sensitivity: -110))
        #expect(Self.rssi(&keen, power: -25) == -104)
        var ordinary = Self.medium(propagation, ReceiverHardware())
        #expect(Self.rssi(&ordinary, power: -25) == (ofPhysics == nil ? -104 : nil))
    }

    @Test func moreSensitiveReceiversAreInTheGrid() {
        let propagation = Propagation(exponent: 2, sensitivity: -75)
        var medium = Medium(propagation, seed: 1)
        medium.addController(
            0, ControllerConfiguration(publicAddress: .zero, name: "beacon", position: Position(x: 0, y: 0)))
        for index in 1...40 {
            medium.addController(
                index,
                ControllerConfiguration(
                    publicAddress: .zero, name: "\(index)", position: Position(x: 90, y: Double(index) / 10),
                    hardware: ReceiverHardware(sensitivity: index == 40 ? -110 : nil)))
        }
        let event = AdvertisingEvent(transmitter: 0, power: 0, channels: 7, isLegacy: true, bits: 376)
        if medium.selectReceivers(of: event, among: (1...40).map(Int32.init), version: 1, now: 0) {
            #expect((0..<medium.selectedCount).contains { medium.selectedReceiver($0) == 39 })
        }
        #expect(medium.rssi(of: Packet(transmitter: 0, power: 0, channel: 0, bits: 376), at: 40, now: 0) == -98)
    }

    @Test(arguments: [Propagation(), Propagation(packetDeviation: 3.2)])
    func fastPartReplacesThatOfThePhysics(_ propagation: Propagation) {
        for fast in [0, 2, 6.0] {
            var medium = Self.medium(propagation, ReceiverHardware(fast: fast))
            #expect(abs(Self.deviation(Self.series(&medium)) - fast) < 0.3)
        }
    }

    /// The front is where the beacon is; the beacon is west of the receiver.
    @Test(arguments: Carrying.Place.allCases, [Propagation(), Propagation(sensitivity: -110)])
    func bodyWeakensWhatComesFromBehind(_ place: Carrying.Place, _ propagation: Propagation) {
        let maximum = place == .hand ? propagation.handLoss : propagation.bodyLoss
        for (heading, share) in [(270.0, 0.0), (0, 0.5), (90, 1), (180, 0.5)] {
            var medium = Self.medium(propagation, ReceiverHardware(carried: place, heading: heading))
            #expect(Self.rssi(&medium) == Int8((-79 - maximum * share).rounded()))
        }
        var turned = Self.medium(propagation, ReceiverHardware(carried: place, heading: 90))
        turned.setHardware(ReceiverHardware(carried: place, heading: 270), of: 1)
        #expect(Self.rssi(&turned) == -79)
        turned.setHardware(ReceiverHardware(), of: 1)
        #expect(Self.rssi(&turned) == -79)
    }

    /// It walks away from the beacon, and comes back.
    @Test(arguments: [Propagation(), Propagation(sensitivity: -110)])
    func headingIsThatOfTheMovement(_ propagation: Propagation) throws {
        let points = [(0, 8), (4, 12), (6, 12), (10, 8)].map {
            Motion.Path.Point(Double($0), Position(x: Double($1), y: 0))
        }
        let path = try Motion.path(#require(Motion.Path(points)))
        var medium = Self.medium(propagation, ReceiverHardware(carried: .pocket), at: path)
        #expect(Self.rssi(&medium, now: 2_000_000) == -88)
        // In the pause the direction of the movement before it.
        #expect(Self.rssi(&medium, now: 5_000_000) == -90)
        #expect(Self.rssi(&medium, now: 8_000_000) == -79)
        var resting = Self.medium(propagation, ReceiverHardware(carried: .pocket))
        #expect([-83, -84].contains(Self.rssi(&resting)))
    }

    @Test func hardwareStaysWithThePhysics() {
        var medium = Self.medium(
            Propagation(), ReceiverHardware(rssiOffset: 3, sensitivity: -70, carried: .pocket, heading: 270))
        medium.setPropagation(Propagation(exponent: 2.5))
        #expect(Self.rssi(&medium) == nil)
        #expect(Self.rssi(&medium, power: 30) == -51)
    }

    // MARK: - Antennas

    @Test func antennaIsThatOfSeedAndNameWithMeanZero() {
        var gains: [String: [Double]] = [:]
        for (key, name, seed) in [("a", "a", 1), ("again", "a", 1), ("b", "b", 1), ("other seed", "a", 2)]
            as [(String, String, UInt64)]
        {
            let pattern = AntennaPattern(deviation: 2, Draws(seed: seed, name, "antenna"))
            let all = (0..<360).map { degrees in
                pattern.gain(ahead: cos(Double(degrees) * .pi / 180), right: sin(Double(degrees) * .pi / 180))
            }
            #expect(abs(all.reduce(0, +)) < 1e-9)
            #expect(abs(Self.deviation(all) - 2) < 1e-9)
            #expect(all.allSatisfy { $0 <= pattern.highest && $0 >= -4 } && pattern.highest <= 4)
            gains[key] = all
        }
        #expect(gains["a"] == gains["again"])
        #expect(gains["a"] != gains["b"] && gains["a"] != gains["other seed"])
        #expect(AntennaPattern.isotropic.gain(ahead: 0.6, right: 0.8) == 0)
    }

    @Test func antennaTurnsWithTheHeading() throws {
        let model = Propagation(antennaDeviation: 3)
        let places = (0..<36).map { number in
            let angle = Double(number) * .pi / 18
            return Position(x: 10 * sin(angle), y: 10 * cos(angle))
        }
        /// The RSSI of a beacon all around the receiver, in steps of 10 degrees.
        func around(_ hardware: ReceiverHardware) -> [Int8?] {
            places.map { place in
                var medium = Medium(model, seed: 3)
                medium.addController(
                    0, ControllerConfiguration(publicAddress: .zero, name: "beacon", position: place, isOfBeacon: true))
                medium.addController(
                    1,
                    ControllerConfiguration(
                        publicAddress: .zero, name: "receiver", position: Position(x: 0, y: 0), hardware: hardware))
                return Self.rssi(&medium)
            }
        }
        let north = around(ReceiverHardware())
        #expect(Set(north).count > 3)
        #expect(around(ReceiverHardware(heading: 90)) == Array(north.suffix(9) + north.prefix(27)))
        #expect(Set(around(ReceiverHardware(antenna: .isotropic))) == [-79])
    }

    // MARK: - Shadowing

    /// The mean RSSI of each of many places, less the mean over all of them: the slow part.
    private static func slow(
        _ model: Propagation, name: String, heading: Double = 0, shift: Double = 0, beaconShift: Double = 0
    ) -> [Double] {
        var medium = Medium(model, seed: 0)
        let means = (0..<800).map { place -> Double in
            let angle = Double(place)
            if place % 20 == 0 { medium = Medium(model, seed: UInt64(place / 20)) }
            let beacon = Position(x: Double(place % 20) * 50 + beaconShift, y: 0)
            let receiver = Position(x: beacon.x - beaconShift + 5 * cos(angle) + shift, y: 5 * sin(angle))
            medium.addController(
                0, ControllerConfiguration(publicAddress: .zero, name: "beacon", position: beacon, isOfBeacon: true))
            medium.addController(
                1,
                ControllerConfiguration(
                    publicAddress: .zero, name: name, position: receiver,
                    hardware: ReceiverHardware(heading: heading)))
            let values = (0..<60).compactMap { number in
                medium.rssi(
                    of: Packet(transmitter: 0, power: 20, channel: number % 3, bits: nil), at: 1,
                    now: AirTime(number) * 10_000)
            }
            return values.reduce(0) { $0 + Double($1) } / Double(values.count)
        }
        let mean = means.reduce(0, +) / Double(means.count)
        return means.map { $0 - mean }
    }

    private static func correlation(_ one: [Double], _ other: [Double]) -> Double {
        zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } / Double(one.count) / deviation(one) / deviation(other)
    }

    private static let office = Propagation.environments[2].propagation

    private static let front = slow(office, name: "a")

    @Test func receiversAtOnePlaceShareTheShadowing() {
        #expect((4.2...6.1).contains(Self.deviation(Self.front)))
        let shared = Self.correlation(Self.front, Self.slow(Self.office, name: "b", shift: 0.05))
        #expect((0.52...0.7).contains(shared), "\(shared)")
    }

    @Test func shadowingTurnsWithTheReceiver() {
        let turned = Self.correlation(Self.front, Self.slow(Self.office, name: "a", heading: 180))
        #expect(abs(turned) < 0.13, "\(turned)")
        let little = Self.correlation(Self.front, Self.slow(Self.office, name: "a", heading: 20))
        #expect(little > 0.45, "\(little)")
    }

    @Test func beaconsSideBySideShareTheShadowing() {
        let shadowing = Propagation(shadowing: Propagation.Shadowing(deviation: 4, distance: 0.9))
        let one = Self.slow(shadowing, name: "a")
        #expect(Self.correlation(one, Self.slow(shadowing, name: "a", beaconShift: 0.05)) > 0.85)
        #expect(Self.correlation(one, Self.slow(shadowing, name: "b")) > 0.999)
        #expect(abs(Self.correlation(one, Self.slow(shadowing, name: "a", beaconShift: 3))) < 0.12)
    }
}
