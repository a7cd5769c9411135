// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
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
}
