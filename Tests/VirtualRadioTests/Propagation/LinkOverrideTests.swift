// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Space
import Testing

@testable import VirtualRadio

@Suite struct LinkOverrideTests {
    /// Three controllers, each 10 m from the others' line.
    private static func medium(_ propagation: Propagation = Propagation()) -> Medium {
        var medium = Medium(propagation, seed: 1)
        for (index, x) in [0.0, 10, 20].enumerated() {
            medium.addController(
                index,
                ControllerConfiguration(publicAddress: .zero, name: "c\(index)", position: Position(x: x, y: 0)))
        }
        return medium
    }

    private static func rssi(
        _ medium: inout Medium, from transmitter: Int = 0, to receiver: Int = 1, bits: Int? = 376, now: AirTime = 0
    ) -> Int8? {
        medium.rssi(of: Packet(transmitter: transmitter, power: 0, channel: 0, bits: bits), at: receiver, now: now)
    }

    @Test func overrideReplacesOrChangesTheRSSIInBothDirections() {
        var medium = Self.medium()
        medium.setOverride(LinkOverride(rssi: -42), of: 0, 1, now: 0)
        #expect(Self.rssi(&medium) == -42)
        #expect(Self.rssi(&medium, from: 1, to: 0) == -42)
        #expect(Self.rssi(&medium, from: 1, to: 2) == -79)
        medium.setOverride(LinkOverride(loss: 6.4), of: 1, 0, now: 0)
        #expect(Self.rssi(&medium) == -85)
        medium.setOverride(nil, of: 1, 0, now: 0)
        #expect(Self.rssi(&medium) == -79)
    }

    @Test func blockedPathLosesAllPacketsOfAdvertisers() {
        for propagation in [Propagation(), Propagation(packetDeviation: 1)] {
            var medium = Self.medium(propagation)
            medium.setOverride(LinkOverride(packetLoss: 1), of: 0, 1, now: 0)
            #expect((0..<100).allSatisfy { _ in Self.rssi(&medium) == nil })
            #expect(Self.rssi(&medium, bits: nil) != nil, "the packets of connections are not lost")
            #expect(Self.rssi(&medium, from: 0, to: 2) != nil)
        }
    }

    @Test func packetLossHasItsProbability() {
        var medium = Self.medium()
        medium.setOverride(LinkOverride(packetLoss: 0.25), of: 0, 1, now: 0)
        let lost = (0..<10_000).count { _ in Self.rssi(&medium) == nil }
        #expect(abs(Double(lost) / 10_000 - 0.25) < 0.02)
    }

    @Test func overrideEndsAfterItsTime() {
        var medium = Self.medium()
        medium.setOverride(LinkOverride(loss: 10, duration: .milliseconds(5)), of: 0, 1, now: 1_000)
        #expect(Self.rssi(&medium, now: 5_999) == -89)
        let path = medium.path(from: 0, power: 0, to: 1, at: 2_000)
        #expect(path.meanRSSI == -89)
        #expect(path.override == LinkOverride(loss: 10, duration: .milliseconds(4)))
        #expect(Self.rssi(&medium, now: 6_000) == -79)
        #expect(medium.path(from: 0, power: 0, to: 1, at: 6_000).override == nil)
        // Longer than the clock of the air can count.
        medium.setOverride(LinkOverride(loss: 10, duration: .seconds(Int64.max)), of: 0, 1, now: 1_000)
        #expect(Self.rssi(&medium, now: 1 << 50) == -89)
    }

    @Test func overrideEndsWithItsController() {
        var medium = Self.medium()
        medium.setOverride(LinkOverride(rssi: -42), of: 0, 1, now: 0)
        medium.addController(
            1, ControllerConfiguration(publicAddress: .zero, name: "new", position: Position(x: 10, y: 0)))
        #expect(Self.rssi(&medium) == -79)
    }

    @Test func lostPacketsOfAnOverrideAreCounted() {
        var medium = Self.medium(Propagation(packetDeviation: 1))
        medium.setOverride(LinkOverride(packetLoss: 1), of: 0, 1, now: 0)
        for _ in 0..<7 { _ = Self.rssi(&medium) }
        let path = medium.path(from: 0, power: 0, to: 1, at: 0)
        #expect(path.packets == 7)
        #expect(path.lostPackets == 7)
    }

    @Test func carriedReceiverHasTheLossOfTheBody() {
        var medium = Medium(Propagation(bodyLoss: 12), seed: 1)
        medium.addController(0, ControllerConfiguration(publicAddress: .zero, position: Position(x: 0, y: 0)))
        medium.addController(
            1,
            ControllerConfiguration(
                publicAddress: .zero, position: Position(x: 10, y: 0),
                hardware: ReceiverHardware(carried: .pocket, heading: 90)))
        #expect(Self.rssi(&medium) == -91)
        #expect(Self.rssi(&medium, from: 1, to: 0) == -91)
        medium.setMotion(.rest(Position(x: -10, y: 0)), of: 1)
        #expect(Self.rssi(&medium) == -79)
        medium.setMotion(nil, of: 1)
        #expect(Self.rssi(&medium) == -59)
    }
}
