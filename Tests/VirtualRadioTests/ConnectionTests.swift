// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

@Suite struct ConnectionTests {
    @Test func connectionIsReportedToBothHosts() throws {
        var bench = Bench()
        let central = bench.add(1)
        let peripheral = bench.add(2)
        try bench.advertise(peripheral)
        bench.expectSuccess(Bench.createConnection(Bench.address(2), interval: 40, latency: 3), central)
        bench.run(milliseconds: 20)
        let atCentral = try #require(bench.takeEvents(LEConnectionComplete.self, central).first)
        let atPeripheral = try #require(bench.takeEvents(LEConnectionComplete.self, peripheral).first)
        #expect(atCentral.role == .central && atPeripheral.role == .peripheral)
        #expect(atCentral.peerAddress == Bench.address(2) && atPeripheral.peerAddress == Bench.address(1))
        for complete in [atCentral, atPeripheral] {
            #expect(complete.status == .success)
            #expect(complete.connectionInterval == ConnectionInterval(40) && complete.peripheralLatency == 3)
            #expect(complete.supervisionTimeout == SupervisionTimeout(100))
        }
        #expect(bench.takeEvents(LEChannelSelectionAlgorithm.self, central).map(\.algorithm) == [.algorithm2])
        // A connected advertiser stops, and a connection without data has no timer.
        #expect(bench.air.nextDeadline == nil)
    }

    @Test func enhancedEventReplacesThePlainOne() throws {
        var bench = Bench()
        let central = bench.add(1, masked: [])
        let peripheral = bench.add(2, masked: [LEConnectionComplete.subeventCode])
        try bench.advertise(peripheral)
        bench.expectSuccess(Bench.createConnection(Bench.address(2)), central)
        bench.run(milliseconds: 20)
        for identifier in [central, peripheral] {
            #expect(bench.takeEvents(LEConnectionComplete.self, identifier).isEmpty)
            #expect(bench.takeEvents(LEEnhancedConnectionComplete.self, identifier).count == 1)
        }
    }

    struct Filter: Sendable {
        let type: AdvertisingType
        let target: UInt8
        let policy: AdvertisingFilterPolicy
        let listed: UInt8
        let connects: Bool
    }

    @Test(arguments: [
        Filter(type: .connectableUndirected, target: 0, policy: [], listed: 9, connects: true),
        Filter(type: .scannableUndirected, target: 0, policy: [], listed: 9, connects: false),
        Filter(type: .nonConnectableUndirected, target: 0, policy: [], listed: 9, connects: false),
        Filter(type: .connectableDirectedLowDutyCycle, target: 1, policy: [], listed: 9, connects: true),
        Filter(type: .connectableDirectedHighDutyCycle, target: 1, policy: [], listed: 9, connects: true),
        Filter(type: .connectableDirectedLowDutyCycle, target: 3, policy: [], listed: 9, connects: false),
        Filter(
            type: .connectableUndirected, target: 0, policy: .connectionRequestsOfList, listed: 1, connects: true),
        Filter(
            type: .connectableUndirected, target: 0, policy: .connectionRequestsOfList, listed: 3, connects: false),
        Filter(type: .connectableUndirected, target: 0, policy: .scanRequestsOfList, listed: 3, connects: true),
    ])
    func connectsIfBothFiltersAllowIt(_ filter: Filter) throws {
        var bench = Bench()
        let central = bench.add(1)
        let peripheral = bench.add(2)
        bench.expectSuccess(
            LEAddDeviceToFilterAcceptList(addressType: .public, address: Bench.address(filter.listed)), peripheral)
        try bench.advertise(
            peripheral, filter.type, target: Bench.address(filter.target), policy: filter.policy)
        bench.expectSuccess(Bench.createConnection(Bench.address(2)), central)
        bench.run(milliseconds: 1000)
        #expect(bench.takeEvents(LEConnectionComplete.self, peripheral).count == (filter.connects ? 1 : 0))
    }

    /// Core 5.4, Vol 6, Part B, 4.5: a CONNECT_IND is not answered, so its sender is in a connection until six intervals
    /// have passed without a packet.
    @Test(arguments: [true, false])
    func refusedRequestIsALostConnection(byList: Bool) throws {
        var bench = Bench()
        let peripheral = bench.add(1)
        if !byList {
            for number in UInt8(3)...34 {
                try bench.advertise(bench.add(number))
                bench.expectSuccess(Bench.createConnection(Bench.address(number)), peripheral)
                bench.run(milliseconds: 20)
            }
            _ = bench.takePackets(peripheral)
        }
        let central = bench.add(2)
        try bench.advertise(peripheral, interval: 32, policy: byList ? .connectionRequestsOfList : [])
        bench.expectSuccess(Bench.createConnection(Bench.address(1), interval: 40), central)
        while bench.air.now < 10_000_000 {
            bench.air.advance(to: try #require(bench.air.nextDeadline))
            if let complete = bench.takeEvents(LEConnectionComplete.self, central).first {
                #expect(complete.status == .success && complete.role == .central)
                #expect(complete.peerAddress == Bench.address(1))
                let start = bench.air.now
                bench.sendData([1], complete.connectionHandle, central)
                bench.air.advance(to: start + 6 * 50_000 - 1)
                #expect(bench.takeEvents(DisconnectionComplete.self, central).isEmpty)
                bench.air.advance(to: start + 6 * 50_000)
                #expect(
                    bench.takeEvents(DisconnectionComplete.self, central) == [
                        DisconnectionComplete(
                            connectionHandle: complete.connectionHandle, reason: .connectionFailedToBeEstablished)
                    ])
                break
            }
        }
        // The advertiser continues without a report to its host; the initiator has ended.
        #expect(bench.takePackets(peripheral).isEmpty)
        let scanner = bench.add(99)
        bench.scan(scanner)
        bench.run(milliseconds: 200)
        #expect(bench.takeReports(scanner).count > 2)
        #expect(bench.takeEvents(LEConnectionComplete.self, central).isEmpty)
        bench.expectSuccess(Bench.createConnection(Bench.address(50)), central)
    }

    /// An extended advertiser answers an accepted request: without AUX_CONNECT_RSP there is no connection, and the
    /// initiator continues.
    @Test func requestRefusedByAnExtendedAdvertiserIsIgnored() throws {
        var bench = Bench()
        let (central, peripheral) = (bench.add(1), bench.add(2))
        bench.expectSuccess(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 0, properties: .connectable, minimumInterval: AdvertisingInterval(32),
                maximumInterval: AdvertisingInterval(32), filterPolicy: .connectionRequestsOfList), peripheral)
        bench.expectSuccess(
            LESetExtendedAdvertisingEnable(enable: 1, sets: [.init(advertisingHandle: 0)]), peripheral)
        let parameters = LEExtendedCreateConnection.Parameters(
            scanInterval: ScanTime(96), scanWindow: ScanTime(96), minimumConnectionInterval: ConnectionInterval(24),
            maximumConnectionInterval: ConnectionInterval(24), supervisionTimeout: SupervisionTimeout(100))
        bench.expectSuccess(
            LEExtendedCreateConnection(peerAddress: Bench.address(2), parameters: [parameters]), central)
        bench.run(milliseconds: 1000)
        #expect(bench.takePackets(central).isEmpty)
        bench.expectSuccess(LECreateConnectionCancel(), central)
    }

    @Test func initiatorConnectsToPeersOfTheAcceptList() throws {
        var bench = Bench()
        let central = bench.add(1)
        for number in UInt8(2)...4 { try bench.advertise(bench.add(number)) }
        bench.expectSuccess(
            LEAddDeviceToFilterAcceptList(addressType: .public, address: Bench.address(3)), central)
        bench.expectSuccess(
            LECreateConnection(
                scanInterval: ScanTime(16), scanWindow: ScanTime(16), initiatorFilterPolicy: .filterAcceptList,
                minimumConnectionInterval: ConnectionInterval(6), maximumConnectionInterval: ConnectionInterval(6),
                supervisionTimeout: SupervisionTimeout(100)), central)
        bench.run(milliseconds: 1000)
        let complete = try #require(bench.takeEvents(LEConnectionComplete.self, central).first)
        #expect(complete.peerAddress == Bench.address(3))
    }

    @Test func cancellingReportsSuccessAndTheCancelledConnection() throws {
        var bench = Bench()
        let central = bench.add(1)
        #expect(bench.send(LECreateConnectionCancel(), central) == .commandDisallowed)
        bench.expectSuccess(Bench.createConnection(Bench.address(2)), central)
        #expect(bench.send(Bench.createConnection(Bench.address(3)), central) == .commandDisallowed)
        bench.expectSuccess(LECreateConnectionCancel(), central)
        let complete = bench.takeEvents(LEConnectionComplete.self, central)
        #expect(complete.map(\.status) == [.unknownConnectionIdentifier])
        #expect(bench.send(LECreateConnectionCancel(), central) == .commandDisallowed)
    }

    @Test func controllerHasManyConnections() throws {
        var bench = Bench()
        let central = bench.add(1)
        var handles: [ConnectionHandle] = []
        for number in UInt8(2)...33 {
            try bench.advertise(bench.add(number))
            bench.expectSuccess(Bench.createConnection(Bench.address(number)), central)
            bench.run(milliseconds: 20)
            handles += bench.takeEvents(LEConnectionComplete.self, central).map(\.connectionHandle)
        }
        #expect(Set(handles).count == 32)
        #expect(bench.send(Bench.createConnection(Bench.address(99)), central) == .connectionLimitExceeded)
        bench.expectSuccess(Disconnect(connectionHandle: try #require(handles.first)), central)
        bench.run(milliseconds: 100)
        #expect(bench.send(Bench.createConnection(Bench.address(33)), central) == .connectionAlreadyExists)
        bench.expectSuccess(Bench.createConnection(Bench.address(99)), central)
    }

    struct Ending: Sendable {
        let reason: HCIStatus
        let byCentral: Bool
    }

    @Test(arguments: [
        Ending(reason: .remoteUserTerminatedConnection, byCentral: true),
        Ending(reason: .remoteDeviceTerminatedPowerOff, byCentral: false),
    ])
    func disconnectionIsReportedToBothHostsWithItsReason(_ ending: Ending) throws {
        var bench = Bench()
        let pair = try bench.connect()
        let (local, localHandle) =
            ending.byCentral
            ? (pair.central, pair.centralHandle) : (pair.peripheral, pair.peripheralHandle)
        let (remote, remoteHandle) =
            ending.byCentral
            ? (pair.peripheral, pair.peripheralHandle) : (pair.central, pair.centralHandle)
        // Data sent before the disconnection still crosses.
        bench.sendData([1, 2, 3], localHandle, local)
        bench.expectSuccess(Disconnect(connectionHandle: localHandle, reason: ending.reason), local)
        #expect(bench.send(Disconnect(connectionHandle: localHandle), local) == .commandDisallowed)
        bench.run(milliseconds: 31)
        #expect(bench.takeData(remote).map(\.payload) == [[1, 2, 3]])
        #expect(
            bench.takeEvents(DisconnectionComplete.self, local) == [
                DisconnectionComplete(connectionHandle: localHandle, reason: .connectionTerminatedByLocalHost)
            ])
        #expect(
            bench.takeEvents(DisconnectionComplete.self, remote) == [
                DisconnectionComplete(connectionHandle: remoteHandle, reason: ending.reason)
            ])
        #expect(bench.send(Disconnect(connectionHandle: localHandle), local) == .unknownConnectionIdentifier)
        #expect(bench.air.nextDeadline == nil)
    }

    @Test func firstOfTwoDisconnectsWins() throws {
        var bench = Bench()
        let pair = try bench.connect()
        bench.expectSuccess(Disconnect(connectionHandle: pair.centralHandle), pair.central)
        bench.expectSuccess(
            Disconnect(connectionHandle: pair.peripheralHandle, reason: .remoteDeviceTerminatedPowerOff),
            pair.peripheral)
        bench.run(milliseconds: 100)
        let atCentral = bench.takeEvents(DisconnectionComplete.self, pair.central)
        let atPeripheral = bench.takeEvents(DisconnectionComplete.self, pair.peripheral)
        #expect(atCentral.map(\.reason) == [.connectionTerminatedByLocalHost])
        #expect(atPeripheral.map(\.reason) == [.remoteUserTerminatedConnection])
    }

    @Test(arguments: [true, false])
    func lostPeerIsNoticedAfterTheSupervisionTimeout(byReset: Bool) throws {
        var bench = Bench()
        let pair = try bench.connect(timeout: 100)
        if byReset {
            bench.expectSuccess(HCIReset(), pair.central)
        } else {
            bench.air.removeController(pair.central)
        }
        bench.sendData([1], pair.peripheralHandle, pair.peripheral)
        bench.run(milliseconds: 999)
        #expect(bench.takePackets(pair.peripheral).isEmpty)
        bench.run(milliseconds: 2)
        #expect(
            bench.takePackets(pair.peripheral) == [
                .event(
                    HCIEventPacket(
                        DisconnectionComplete(connectionHandle: pair.peripheralHandle, reason: .connectionTimeout)))
            ])
        #expect(bench.air.nextDeadline == nil)
    }

    @Test func peerLostBeforeTheFirstEventFailsToEstablish() throws {
        var bench = Bench()
        let central = bench.add(1)
        let peripheral = bench.add(2)
        try bench.advertise(peripheral)
        bench.expectSuccess(Bench.createConnection(Bench.address(2), interval: 80), central)
        while bench.takeEvents(LEConnectionComplete.self, central).isEmpty {
            bench.air.advance(to: try #require(bench.air.nextDeadline))
        }
        bench.air.removeController(peripheral)
        bench.run(milliseconds: 601)
        #expect(
            bench.takeEvents(DisconnectionComplete.self, central).map(\.reason) == [.connectionFailedToBeEstablished])
    }

    @Test func immediateTimingDoesNotWait() throws {
        var bench = Bench(AirConfiguration(seed: 1, timing: .immediate))
        let pair = try bench.connect(interval: 3200, timeout: 3200)
        let start = bench.air.now
        bench.sendData([1, 2], pair.centralHandle, pair.central)
        #expect(bench.takeData(pair.peripheral).map(\.payload) == [[1, 2]])
        #expect(bench.takeEvents(NumberOfCompletedPackets.self, pair.central).count == 1)
        bench.expectSuccess(LEReadRemoteFeatures(connectionHandle: pair.centralHandle), pair.central)
        #expect(bench.takeEvents(LEReadRemoteFeaturesComplete.self, pair.central).count == 1)
        bench.expectSuccess(
            LEConnectionUpdate(
                connectionHandle: pair.centralHandle, minimumConnectionInterval: ConnectionInterval(6),
                maximumConnectionInterval: ConnectionInterval(6), supervisionTimeout: SupervisionTimeout(100)),
            pair.central)
        for identifier in [pair.central, pair.peripheral] {
            let updates = bench.takeEvents(LEConnectionUpdateComplete.self, identifier)
            #expect(updates.map(\.connectionInterval) == [ConnectionInterval(6)])
        }
        bench.expectSuccess(Disconnect(connectionHandle: pair.centralHandle), pair.central)
        #expect(bench.takeEvents(DisconnectionComplete.self, pair.peripheral).count == 1)
        #expect(bench.air.now == start)
    }
}
