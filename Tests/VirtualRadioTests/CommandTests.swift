// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Space
import Testing
import VirtualRadio

@Suite struct CommandTests {
    @Test func identityAndCapabilitiesAreReturned() throws {
        var bench = Bench()
        let controller = bench.add(0x42)
        let version = try bench.returned(ReadLocalVersionInformation(), controller)
        #expect(version.hciVersion == .core54 && version.lmpVersion == .core54)
        #expect(try bench.returned(ReadBDADDR(), controller).address == Bench.address(0x42))
        let features = try bench.returned(ReadLocalSupportedFeatures(), controller).lmpFeatures
        #expect(features.isSuperset(of: [.noClassicRadio, .lowEnergy]))
        let page = try bench.returned(ReadLocalExtendedFeatures(pageNumber: 0), controller)
        #expect(page.maximumPageNumber == 1 && page.extendedLMPFeatures == features.rawValue)
        bench.expectSuccess(WriteLEHostSupport(supportedHost: 1), controller)
        #expect(try bench.returned(ReadLEHostSupport(), controller).supportedHost == 1)
        #expect(try bench.returned(ReadLocalExtendedFeatures(pageNumber: 1), controller).extendedLMPFeatures == 2)
        let buffers = try bench.returned(LEReadBufferSize(), controller)
        #expect(buffers.aclDataPacketLength == 251 && buffers.totalACLDataPackets == 16)
        let buffersV2 = try bench.returned(LEReadBufferSizeV2(), controller)
        #expect(buffersV2.aclDataPacketLength == 251 && buffersV2.totalACLDataPackets == 16)
        #expect(buffersV2.isochronousDataPacketLength == 0 && buffersV2.totalIsochronousDataPackets == 0)
        #expect(try bench.returned(LEReadMaximumDataLength(), controller).supportedMaximumTransmitOctets == 251)
        #expect(try bench.returned(LEReadSupportedStates(), controller).states == .all)
        #expect(try bench.returned(LEReadFilterAcceptListSize(), controller).filterAcceptListSize == 64)
        #expect(try bench.returned(LEReadNumberOfSupportedAdvertisingSets(), controller).supportedAdvertisingSets == 64)
        #expect(
            try bench.returned(LEReadMaximumAdvertisingDataLength(), controller).maximumAdvertisingDataLength == 1650)
        let name = Octets<248>(padding: Array("shop".utf8))
        bench.expectSuccess(WriteLocalName(localName: name), controller)
        #expect(try bench.returned(ReadLocalName(), controller).localName == name)
        #expect(try bench.returned(LERand(), controller) != (try bench.returned(LERand(), controller)))
    }

    /// Core 5.4, Vol 6, Part C, 1: a long-term key and a session key diversifier give this session key.
    @Test func blockIsEncrypted() throws {
        var bench = Bench()
        let controller = bench.add(1)
        func octets(_ text: String) throws -> Octets<16> {
            try #require(Octets<16>(Hexadecimal.bytes(text).reversed()))
        }
        let returned = try bench.returned(
            LEEncrypt(
                key: try octets("4C68384139F574D836BCF34E9DFB01BF"),
                plaintextData: try octets("0213243546576879ACBDCEDFE0F10213")), controller)
        #expect(try returned.encryptedData == octets("99AD1B5226A37E3E058E3B8E27C2C666"))
    }

    @Test func publicKeysGiveASharedSecret() throws {
        var bench = Bench()
        let (one, other) = (bench.add(1), bench.add(2))
        let nowhere = Octets<32>(padding: [1])
        #expect(
            bench.send(LEGenerateDHKey(keyXCoordinate: nowhere, keyYCoordinate: nowhere), one) == .commandDisallowed)
        func point(_ controller: ControllerIdentifier) throws -> LEGenerateDHKey {
            bench.expectSuccess(LEReadLocalP256PublicKey(), controller)
            let key = try #require(bench.takeEvents(LEReadLocalP256PublicKeyComplete.self, controller).first)
            #expect(key.status == .success)
            return LEGenerateDHKey(keyXCoordinate: key.keyXCoordinate, keyYCoordinate: key.keyYCoordinate)
        }
        let (ofOne, ofOther) = (try point(one), try point(other))
        #expect(ofOne != ofOther)
        bench.expectSuccess(ofOther, one)
        bench.expectSuccess(ofOne, other)
        let shared = bench.takeEvents(LEGenerateDHKeyComplete.self, one)
        #expect(shared.map(\.status) == [.success])
        #expect(bench.takeEvents(LEGenerateDHKeyComplete.self, other) == shared)
        bench.expectSuccess(LEGenerateDHKey(keyXCoordinate: nowhere, keyYCoordinate: nowhere), one)
        #expect(
            bench.takeEvents(LEGenerateDHKeyComplete.self, one) == [
                LEGenerateDHKeyComplete(
                    status: .invalidCommandParameters, dhKey: Octets(padding: [UInt8](repeating: 0xFF, count: 32)))
            ])
    }

    @Test func supportedCommandsAreThoseWithHandlers() throws {
        var bench = Bench()
        let controller = bench.add(1)
        let claimed = try bench.returned(ReadLocalSupportedCommands(), controller).supportedCommands
        var known = 0
        for group in [UInt16(1), 2, 3, 4, 5, 6, 8, 0x3F] {
            for command in UInt16(0)..<0x100 {
                let opcode = HCIOpcode(rawValue: group << 10 | command)
                let answer = bench.sendPacket(HCICommandPacket(opcode: opcode, parameters: []), controller)
                let isKnown = answer?.status != .unknownCommand
                // Vendor commands have no bits.
                let isVendors = opcode == VendorWriteBDADDR.opcode
                #expect(isKnown == (claimed.contains(opcode) ?? isVendors), "\(opcode)")
                if isKnown, !isVendors { known += 1 }
            }
        }
        #expect(known == claimed.octets.reduce(0) { $0 + $1.nonzeroBitCount })
        #expect(known > 60)
    }

    /// As in Zephyr's controller: at once, across a reset, and not while the address is in use.
    @Test func hostChoosesThePublicAddress() throws {
        var bench = Bench()
        let (controller, other) = (bench.add(1), bench.add(2))
        let chosen = VendorWriteBDADDR(address: Bench.address(0x42))
        #expect(chosen.serialized() == [0x42, 0, 0, 0, 0, 0xC0])
        bench.expectSuccess(chosen, controller)
        #expect(try bench.returned(ReadBDADDR(), controller).address == Bench.address(0x42))
        bench.expectSuccess(HCIReset(), controller)
        bench.prepare(controller)
        #expect(try bench.returned(ReadBDADDR(), controller).address == Bench.address(0x42))
        for address in [BluetoothAddress.zero, BluetoothAddress("FF:FF:FF:FF:FF:FF") ?? .zero] {
            #expect(bench.send(VendorWriteBDADDR(address: address), controller) == .invalidCommandParameters)
        }
        try bench.advertise(controller)
        bench.scan(other)
        bench.run(milliseconds: 200)
        #expect(bench.takeReports(other).first?.address == Bench.address(0x42))
        for busy in [controller, other] {
            #expect(bench.send(VendorWriteBDADDR(address: Bench.address(3)), busy) == .commandDisallowed)
        }
    }

    /// At once, across a reset, and only within the range of profiles.
    @Test func hostChoosesItsPosition() throws {
        var bench = Bench()
        let (advertiser, scanner) = (bench.add(1, position: Position(x: 0, y: 0)), bench.add(2))
        bench.expectSuccess(VendorSetPosition(Position(x: 0, y: -10)), scanner)
        bench.expectSuccess(HCIReset(), scanner)
        bench.prepare(scanner, masked: [0x06, 0x0A])
        #expect(bench.air.position(of: scanner) == Position(x: 0, y: -10))
        for x in [Int32.min, -10_000_001, 10_000_001, .max] {
            #expect(bench.send(VendorSetPosition(x: x, y: 0, z: 0), scanner) == .invalidCommandParameters)
        }
        #expect(VendorSetPosition(Position(x: 1e300, y: 0)).x == .max)
        try bench.advertise(advertiser)
        bench.scan(scanner)
        bench.run(milliseconds: 200)
        #expect(bench.takeReports(scanner).first?.rssi == RSSI(-79))
        bench.expectSuccess(VendorSetPosition(x: 0, y: 0, z: 1000), scanner)
        bench.run(milliseconds: 200)
        #expect(bench.takeReports(scanner).first?.rssi == RSSI(-59))
    }

    /// Random numbers and keys come from the seed, or from the given generator.
    @Test func numbersComeFromTheGivenGenerator() throws {
        func numbers(_ generator: (any RandomNumberGenerator & Sendable)?) throws -> (
            UInt64, LEReadLocalP256PublicKeyComplete
        ) {
            var bench = Bench()
            bench.air = Air(AirConfiguration(seed: 1), numbers: generator)
            let controller = bench.add(1)
            let number = try bench.returned(LERand(), controller).randomNumber
            bench.expectSuccess(LEReadLocalP256PublicKey(), controller)
            return (number, try #require(bench.takeEvents(LEReadLocalP256PublicKeyComplete.self, controller).first))
        }
        let (seeded, again) = (try numbers(nil), try numbers(nil))
        #expect(seeded == again)
        let (one, other) = (try numbers(SystemRandomNumberGenerator()), try numbers(SystemRandomNumberGenerator()))
        for (first, second) in [(seeded, one), (one, other)] {
            #expect(first.0 != second.0 && first.1.keyXCoordinate != second.1.keyXCoordinate)
        }
    }

    @Test func parametersOfWrongLengthAreRefused() throws {
        var bench = Bench()
        let controller = bench.add(1)
        let commands: [any HCICommand] = [
            HCIReset(), LESetEventMask(eventMask: .initial), LESetScanEnable(enable: 0, filterDuplicates: 0),
            Bench.createConnection(.zero), ReadRSSI(connectionHandle: ConnectionHandle(1)),
        ]
        for command in commands {
            let packet = HCICommandPacket(command)
            let longer = HCICommandPacket(opcode: packet.opcode, parameters: packet.parameters + [0])
            #expect(bench.sendPacket(longer, controller)?.status == .invalidCommandParameters)
            guard !packet.parameters.isEmpty else { continue }
            let shorter = HCICommandPacket(opcode: packet.opcode, parameters: packet.parameters.dropLast())
            #expect(bench.sendPacket(shorter, controller)?.status == .invalidCommandParameters)
        }
    }

    @Test func failureReturnsAsManyBytesAsSuccess() throws {
        var bench = Bench()
        let controller = bench.add(1)
        let handle = ConnectionHandle(0x0123)
        let rssi = bench.sendPacket(HCICommandPacket(ReadRSSI(connectionHandle: handle)), controller)
        #expect(rssi?.octets == [0x02, 0x23, 0x01, 0])
        let map = bench.sendPacket(HCICommandPacket(LEReadChannelMap(connectionHandle: handle)), controller)
        #expect(map?.octets == [0x02, 0x23, 0x01, 0, 0, 0, 0, 0])
    }

    @Test func legacyAndExtendedCommandsDoNotMix() throws {
        let legacy: [any HCICommand] = [
            LESetScanEnable(enable: 0, filterDuplicates: 0), LESetAdvertisingEnable(enable: 0),
            LEReadAdvertisingPhysicalChannelTransmitPower(), Bench.createConnection(.zero),
        ]
        let extended: [any HCICommand] = [
            LEReadNumberOfSupportedAdvertisingSets(), LEReadMaximumAdvertisingDataLength(), LEClearAdvertisingSets(),
            LESetExtendedScanEnable(enable: 0, filterDuplicates: 0),
            LESetExtendedAdvertisingEnable(enable: 0, sets: []),
        ]
        for (first, others) in [(legacy[0], extended), (extended[0], legacy)] {
            var bench = Bench()
            let controller = bench.add(1)
            bench.expectSuccess(first, controller)
            for other in others { #expect(bench.send(other, controller) == .commandDisallowed) }
            bench.expectSuccess(HCIReset(), controller)
            #expect(bench.send(others[0], controller) == .success)
        }
    }

    @Test func acceptListHasALimitAndIsLockedWhileInUse() throws {
        var bench = Bench()
        let controller = bench.add(1)
        for number in UInt8(0)..<64 {
            bench.expectSuccess(
                LEAddDeviceToFilterAcceptList(addressType: .random, address: Bench.address(number)), controller)
        }
        let one = LEAddDeviceToFilterAcceptList(addressType: .random, address: Bench.address(5))
        bench.expectSuccess(one, controller)
        #expect(
            bench.send(LEAddDeviceToFilterAcceptList(addressType: .public, address: Bench.address(5)), controller)
                == .memoryCapacityExceeded)
        bench.expectSuccess(
            LERemoveDeviceFromFilterAcceptList(addressType: .random, address: Bench.address(9)), controller)
        bench.expectSuccess(LEAddDeviceToFilterAcceptList(addressType: .anonymous, address: .zero), controller)
        bench.scan(controller, policy: .filtered)
        for command in [one, LEClearFilterAcceptList()] as [any HCICommand] {
            #expect(bench.send(command, controller) == .commandDisallowed)
        }
        bench.expectSuccess(LESetScanEnable(enable: 0, filterDuplicates: 0), controller)
        bench.expectSuccess(LEClearFilterAcceptList(), controller)
    }
}
