// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

@Suite struct LinkProcedureTests {
    private static func update(
        _ handle: ConnectionHandle, interval: UInt32 = 40, latency: UInt16 = 0, timeout: UInt32 = 200
    ) -> LEConnectionUpdate {
        LEConnectionUpdate(
            connectionHandle: handle, minimumConnectionInterval: ConnectionInterval(interval),
            maximumConnectionInterval: ConnectionInterval(interval), maximumLatency: latency,
            supervisionTimeout: SupervisionTimeout(timeout))
    }

    @Test func parametersChangeAtTheInstantOfBoth() throws {
        var bench = Bench()
        let pair = try bench.connect(interval: 24)
        bench.expectSuccess(Self.update(pair.centralHandle, latency: 2), pair.central)
        #expect(bench.send(Self.update(pair.centralHandle), pair.central) == .commandDisallowed)
        bench.run(milliseconds: 170)
        #expect(bench.takeEvents(LEConnectionUpdateComplete.self, pair.central).isEmpty)
        bench.run(milliseconds: 60)
        for (identifier, handle) in [
            (pair.central, pair.centralHandle), (pair.peripheral, pair.peripheralHandle),
        ] {
            #expect(
                bench.takeEvents(LEConnectionUpdateComplete.self, identifier) == [
                    LEConnectionUpdateComplete(
                        connectionHandle: handle, connectionInterval: ConnectionInterval(40), peripheralLatency: 2,
                        supervisionTimeout: SupervisionTimeout(200))
                ])
        }
        bench.sendData([1], pair.centralHandle, pair.central)
        let first = try #require(bench.air.nextDeadline)
        bench.air.advance(to: first)
        bench.sendData([1], pair.centralHandle, pair.central)
        // The peripheral skips two events.
        #expect(try #require(bench.air.nextDeadline) - first == 150_000)
    }

    @Test func otherHostIsAskedIfItHasEnabledTheEvent() throws {
        var bench = Bench()
        let pair = try bench.connect(masked: [0x0A])
        bench.expectSuccess(Self.update(pair.peripheralHandle), pair.peripheral)
        bench.run(milliseconds: 100)
        #expect(
            bench.takeEvents(LERemoteConnectionParameterRequest.self, pair.central) == [
                LERemoteConnectionParameterRequest(
                    connectionHandle: pair.centralHandle, minimumConnectionInterval: ConnectionInterval(40),
                    maximumConnectionInterval: ConnectionInterval(40), maximumLatency: 0,
                    supervisionTimeout: SupervisionTimeout(200))
            ])
        bench.run(milliseconds: 1000)
        #expect(bench.takeEvents(LEConnectionUpdateComplete.self, pair.peripheral).isEmpty)
        let reply = LERemoteConnectionParameterRequestReply(
            connectionHandle: pair.centralHandle, minimumConnectionInterval: ConnectionInterval(50),
            maximumConnectionInterval: ConnectionInterval(50), supervisionTimeout: SupervisionTimeout(200))
        bench.expectSuccess(reply, pair.central)
        #expect(bench.send(reply, pair.central) == .commandDisallowed)
        bench.run(milliseconds: 1000)
        for identifier in [pair.central, pair.peripheral] {
            let updates = bench.takeEvents(LEConnectionUpdateComplete.self, identifier)
            #expect(updates.map(\.connectionInterval) == [ConnectionInterval(50)])
        }
    }

    /// If its host has disabled the event, a central's controller rejects a peripheral's request (Core 5.4, Vol 6, Part
    /// B, 5.1.7.2).
    @Test func requestIsRejectedIfTheEventIsDisabled() throws {
        var bench = Bench()
        let pair = try bench.connect()
        bench.expectSuccess(Self.update(pair.peripheralHandle), pair.peripheral)
        bench.run(milliseconds: 1000)
        #expect(
            bench.takeEvents(LEConnectionUpdateComplete.self, pair.peripheral) == [
                LEConnectionUpdateComplete(
                    status: .unsupportedRemoteFeature, connectionHandle: pair.peripheralHandle,
                    connectionInterval: ConnectionInterval(24), peripheralLatency: 0,
                    supervisionTimeout: SupervisionTimeout(100))
            ])
        #expect(bench.takePackets(pair.central).isEmpty)
        // The request can be repeated.
        bench.expectSuccess(Self.update(pair.peripheralHandle), pair.peripheral)
    }

    @Test(arguments: [HCIStatus.unacceptableConnectionParameters, .remoteDeviceTerminatedLowResources, .success])
    func otherHostMayRefuse(reason: HCIStatus) throws {
        var bench = Bench()
        let pair = try bench.connect(masked: [0x0A])
        bench.expectSuccess(Self.update(pair.peripheralHandle), pair.peripheral)
        bench.run(milliseconds: 100)
        bench.expectSuccess(
            LERemoteConnectionParameterRequestNegativeReply(connectionHandle: pair.centralHandle, reason: reason),
            pair.central)
        let update = try #require(bench.takeEvents(LEConnectionUpdateComplete.self, pair.peripheral).first)
        #expect(update.status == .unacceptableConnectionParameters)
        #expect(update.connectionInterval == ConnectionInterval(24))
    }

    @Test func hostThatDoesNotAnswerLosesTheLink() throws {
        var bench = Bench()
        let pair = try bench.connect(masked: [0x0A])
        bench.expectSuccess(Self.update(pair.peripheralHandle), pair.peripheral)
        bench.run(milliseconds: 39_000)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.peripheral).isEmpty)
        bench.run(milliseconds: 2000)
        for identifier in [pair.central, pair.peripheral] {
            #expect(
                bench.takeEvents(DisconnectionComplete.self, identifier).map(\.reason) == [.lmpOrLLResponseTimeout])
        }
    }

    @Test func featuresAndVersionOfThePeerAreReported() throws {
        var bench = Bench()
        let pair = try bench.connect()
        let own = try bench.returned(LEReadLocalSupportedFeatures(), pair.central).features
        bench.expectSuccess(LEReadRemoteFeatures(connectionHandle: pair.peripheralHandle), pair.peripheral)
        bench.expectSuccess(ReadRemoteVersionInformation(connectionHandle: pair.centralHandle), pair.central)
        bench.run(milliseconds: 100)
        let features = try #require(bench.takeEvents(LEReadRemoteFeaturesComplete.self, pair.peripheral).first)
        #expect(features.status == .success && features.features == own)
        let version = try #require(bench.takeEvents(ReadRemoteVersionInformationComplete.self, pair.central).first)
        #expect(version.version == .core54)
    }

    @Test func fastestCommonPHYIsSelected() throws {
        var bench = Bench()
        let pair = try bench.connect()
        bench.expectSuccess(
            LESetPHY(
                connectionHandle: pair.centralHandle, transmitPHYs: [.oneMegabit, .twoMegabit],
                receivePHYs: .oneMegabit), pair.central)
        bench.run(milliseconds: 100)
        let update = try #require(bench.takeEvents(LEPHYUpdateComplete.self, pair.central).first)
        #expect(update.transmitPHY == .twoMegabit && update.receivePHY == .oneMegabit)
        let returned = try bench.returned(LEReadPHY(connectionHandle: pair.peripheralHandle), pair.peripheral)
        #expect(returned.transmitPHY == .oneMegabit && returned.receivePHY == .twoMegabit)
        #expect(bench.takeEvents(LEPHYUpdateComplete.self, pair.peripheral).count == 1)
        // The peer no longer prefers 2M: its PHYs do not change, and it gets no report.
        bench.expectSuccess(LESetDefaultPHY(transmitPHYs: .oneMegabit, receivePHYs: .oneMegabit), pair.peripheral)
        bench.expectSuccess(
            LESetPHY(
                connectionHandle: pair.centralHandle, transmitPHYs: .twoMegabit, receivePHYs: .twoMegabit),
            pair.central)
        bench.run(milliseconds: 100)
        #expect(bench.takeEvents(LEPHYUpdateComplete.self, pair.central).count == 1)
        #expect(bench.takeEvents(LEPHYUpdateComplete.self, pair.peripheral).isEmpty)
    }

    @Test func channelMapAndRSSIAreReturned() throws {
        var bench = Bench()
        let pair = try bench.connect()
        let map = Octets<5>(padding: [0xFF, 0xFF, 0, 0, 0x1F])
        bench.expectSuccess(LESetHostChannelClassification(channelMap: map), pair.central)
        #expect(
            try bench.returned(LEReadChannelMap(connectionHandle: pair.peripheralHandle), pair.peripheral).channelMap
                == map)
        // A connection uses at least two channels, whatever the host classifies.
        for (channels, used) in [([1], [3]), ([4], [5])] as [([UInt8], [UInt8])] {
            bench.expectSuccess(LESetHostChannelClassification(channelMap: Octets(padding: channels)), pair.central)
            #expect(
                try bench.returned(LEReadChannelMap(connectionHandle: pair.centralHandle), pair.central).channelMap
                    == Octets(padding: used))
        }
        #expect(
            try bench.returned(ReadRSSI(connectionHandle: pair.peripheralHandle), pair.peripheral).rssi == RSSI(-59))
    }
}
