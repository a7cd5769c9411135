// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing
import VirtualRadio

/// Hosts that send arbitrary packets.
@Suite struct HostilityTests {
    private static let longData = [UInt8](repeating: 1, count: 251)
    /// One command of each kind, and data.
    private static let samples: [[UInt8]] = {
        let handle = ConnectionHandle(1)
        let commands: [any HCICommand] = [
            HCIReset(), SetEventMask(eventMask: EventMask(rawValue: .max)),
            LESetEventMask(eventMask: LEEventMask(rawValue: .max)),
            LESetRandomAddress(randomAddress: Bench.address(1)),
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(32), maximumInterval: AdvertisingInterval(32),
                advertisingType: .connectableUndirected), LESetAdvertisingEnable(enable: 1),
            LESetScanEnable(enable: 1, filterDuplicates: 0), LESetScanEnable(enable: 0, filterDuplicates: 0),
            Bench.createConnection(Bench.address(1), interval: 6),
            Bench.createConnection(Bench.address(2), interval: 6),
            LECreateConnectionCancel(), Disconnect(connectionHandle: handle),
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 1, properties: .connectable, minimumInterval: AdvertisingInterval(32),
                maximumInterval: AdvertisingInterval(32)),
            LESetExtendedAdvertisingData(advertisingHandle: 1, data: [1, 2, 3]),
            LESetExtendedAdvertisingEnable(enable: 1, sets: [.init(advertisingHandle: 1)]),
            LESetExtendedScanParameters(
                parameters: [.init(scanType: .active, scanInterval: ScanTime(16), scanWindow: ScanTime(16))]),
            LESetExtendedScanEnable(enable: 1, filterDuplicates: 0), LEClearAdvertisingSets(),
            LEReadRemoteFeatures(connectionHandle: handle), ReadRemoteVersionInformation(connectionHandle: handle),
            LESetDataLength(connectionHandle: handle, transmitOctets: 251, transmitTime: Microseconds(2120)),
            LESetPHY(connectionHandle: handle, transmitPHYs: .twoMegabit, receivePHYs: .twoMegabit),
            LEConnectionUpdate(
                connectionHandle: handle, minimumConnectionInterval: ConnectionInterval(6),
                maximumConnectionInterval: ConnectionInterval(6), supervisionTimeout: SupervisionTimeout(100)),
            LERemoteConnectionParameterRequestReply(
                connectionHandle: handle, minimumConnectionInterval: ConnectionInterval(6),
                maximumConnectionInterval: ConnectionInterval(6), supervisionTimeout: SupervisionTimeout(100)),
            LEEnableEncryption(
                connectionHandle: handle, randomNumber: 0, encryptedDiversifier: 0, longTermKey: .zero),
            LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: .zero),
            SetControllerToHostFlowControl(flowControlEnable: 1),
            HostBufferSize(aclDataPacketLength: 27, totalACLDataPackets: 1),
            HostNumberOfCompletedPackets(completedPackets: [CompletedPackets(connectionHandle: handle, count: 1)]),
            Bench.createConnection(Bench.address(3), interval: 6, latency: 5),
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 2, properties: [], minimumInterval: AdvertisingInterval(32),
                maximumInterval: AdvertisingInterval(32)),
            LESetExtendedAdvertisingData(
                advertisingHandle: 2, operation: .firstFragment, fragmentPreference: 0, data: longData),
            LESetExtendedAdvertisingData(
                advertisingHandle: 2, operation: .lastFragment, fragmentPreference: 0, data: longData),
            LESetExtendedAdvertisingEnable(enable: 1, sets: [.init(advertisingHandle: 2)]),
            Inquiry(length: 1), InquiryCancel(), CreateConnection(address: Bench.address(1)),
            CreateConnectionCancel(address: Bench.address(1)), RemoteNameRequest(address: Bench.address(1)),
            RemoteNameRequestCancel(address: Bench.address(1)), WritePageTimeout(BasebandSlots(16)),
            WriteScanEnable(.page), WriteCurrentIACLAP(InquiryAccessCodes([.generalInquiry])),
        ]
        let packets = commands.map { HCIPacket.command(HCICommandPacket($0)).serialized() }
        let data = [0, 10, 300].map { count in
            let payload = [UInt8](repeating: 1, count: count)
            return HCIPacket.acl(ACLDataPacket(handle: handle, boundary: .firstNonFlushable, payload: payload))
                .serialized()
        }
        return packets + data + data
    }()

    @Test(arguments: [ConnectionTiming.spec, .immediate], [UInt64(1), 2, 3])
    func arbitraryPacketsNeitherTrapNorGrowMemory(timing: ConnectionTiming, seed: UInt64) {
        // A misbehaving host does not prevent others from connecting.
        #expect(connections(timing, seed) { _ in .none } > 0)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func arbitraryPacketsNeitherTrapNorGrowMemoryOfCharacters(seed: UInt64) throws {
        let characters = try CharacterTextTests.samples.map { try ControllerCharacter($0) }
        _ = connections(.spec, seed) { generator in
            characters.randomElement(using: &generator) ?? .none
        }
    }

    /// The number of connections of three hosts that send arbitrary packets.
    private func connections(
        _ timing: ConnectionTiming, _ seed: UInt64, _ character: (inout SplitMix64) -> ControllerCharacter
    ) -> Int {
        var generator = SplitMix64(seed: seed)
        var air = Air(AirConfiguration(seed: seed, timing: timing, reportLimit: 50, packetLimit: 50))
        func add(_ number: UInt8) -> ControllerIdentifier {
            air.addController(
                ControllerConfiguration(publicAddress: Bench.address(number), character: character(&generator)))
        }
        var hosts = (UInt8(1)...3).map(add)
        var connections = 0
        for _ in 0..<20_000 {
            let place = Int.random(in: 0..<hosts.count, using: &generator)
            if let packet = nextPacket(&generator) { air.receive(packet, from: hosts[place]) }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                air.advance(to: air.now + Int64.random(in: 0..<20_000, using: &generator))
            }
            if Int.random(in: 0..<8, using: &generator) == 0 {
                var taken = 0
                while let packet = air.takeOutput(of: hosts[place]) {
                    if case .event(let event) = packet, event.subeventCode == 0x0A, event.parameters[1] == 0 {
                        connections += 1
                    }
                    taken += 1
                }
                // Reports, other packets, and packets in flight when the outbox became full.
                #expect(taken < 50 + 50 + 100)
            }
            if Int.random(in: 0..<500, using: &generator) == 0 {
                air.removeController(hosts[place])
                hosts[place] = add(UInt8(place + 1))
            }
        }
        return connections
    }

    private func nextPacket(_ generator: inout SplitMix64) -> HCIPacket? {
        guard var bytes = Self.samples.randomElement(using: &generator) else { return nil }
        if Int.random(in: 0..<3, using: &generator) == 0, let index = bytes.indices.randomElement(using: &generator) {
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
        }
        return try? HCIPacket(parsing: bytes)
    }
}
