// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

/// Commands that controllers list as supported are not unknown to them.
@Suite struct AnnouncedCommandTests {
    /// The commands whose parameters do not follow from their type, with valid parameters.
    enum Parameters {
        /// They have one length.
        case fixed(any HCICommand)
        /// The shortest and the longest ones.
        case variable(any HCICommand, any HCICommand)

        var commands: [any HCICommand] {
            switch self {
            case .fixed(let command): [command]
            case .variable(let shortest, let longest): [shortest, longest]
            }
        }
    }

    private static let handle = ConnectionHandle(0x0123)
    private static let address = Bench.address(9)
    private static let key = Octets<16>.zero

    private static let links: [Parameters] = [
        .fixed(Inquiry(length: 1)), .fixed(CreateConnection(address: address)),
        .fixed(CreateConnectionCancel(address: address)), .fixed(RemoteNameRequest(address: address)),
        .fixed(RemoteNameRequestCancel(address: address)), .fixed(Disconnect(connectionHandle: handle)),
        .fixed(ReadTransmitPowerLevel(connectionHandle: handle, type: 0)),
        .fixed(SetControllerToHostFlowControl(flowControlEnable: 1)),
        .fixed(HostBufferSize(aclDataPacketLength: 251, totalACLDataPackets: 8)),
        .variable(
            HostNumberOfCompletedPackets(completedPackets: []),
            HostNumberOfCompletedPackets(
                completedPackets: .init(repeating: CompletedPackets(connectionHandle: handle, count: 1), count: 63))),
        .fixed(
            LEConnectionUpdate(
                connectionHandle: handle, minimumConnectionInterval: ConnectionInterval(6),
                maximumConnectionInterval: ConnectionInterval(6), supervisionTimeout: SupervisionTimeout(100))),
        .fixed(
            LERemoteConnectionParameterRequestReply(
                connectionHandle: handle, minimumConnectionInterval: ConnectionInterval(6),
                maximumConnectionInterval: ConnectionInterval(6), supervisionTimeout: SupervisionTimeout(100))),
        .fixed(LERemoteConnectionParameterRequestNegativeReply(connectionHandle: handle)),
        .fixed(LESetDataLength(connectionHandle: handle, transmitOctets: 251, transmitTime: Microseconds(2120))),
        .fixed(LESetPHY(connectionHandle: handle, transmitPHYs: .oneMegabit, receivePHYs: .oneMegabit)),
        .fixed(
            LEEnableEncryption(connectionHandle: handle, randomNumber: 0, encryptedDiversifier: 0, longTermKey: key)),
        .fixed(LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: key)),
        .fixed(Bench.createConnection(address)),
        .variable(extendedConnection(1), extendedConnection(3)),
    ]

    private static let classicSettings: [Parameters] = [
        .fixed(WriteDefaultLinkPolicy([])), .variable(SetEventFilter(.clear), longestFilter),
        .fixed(ReadStoredLinkKey(readAll: 1)), .fixed(DeleteStoredLinkKey(deleteAll: 1)),
        .variable(linkKeys(1), linkKeys(11)), .fixed(WriteConnectionAcceptTimeout(BasebandSlots(1))),
        .fixed(WritePageTimeout(BasebandSlots(1))), .fixed(WriteScanEnable(.page)),
        .fixed(WritePageScanActivity(ScanActivity(interval: 0x12, window: 0x12))),
        .fixed(WriteInquiryScanActivity(ScanActivity(interval: 0x12, window: 0x12))),
        .fixed(WriteAuthenticationEnable(.off)), .fixed(WriteClassOfDevice(.zero)),
        .fixed(WriteVoiceSetting(.linearCVSD)),
        .variable(
            WriteCurrentIACLAP(InquiryAccessCodes([.generalInquiry])),
            WriteCurrentIACLAP(InquiryAccessCodes([.generalInquiry, .limitedInquiry]))),
        .fixed(WriteInquiryScanType(.interlaced)), .fixed(WriteInquiryMode(.extended)),
        .fixed(WritePageScanType(.standard)), .fixed(WriteExtendedInquiryResponse(ExtendedInquiryResponse())),
        .fixed(WriteSimplePairingMode(.on)), .fixed(WriteErroneousDataReporting(.off)),
        .fixed(WriteInquiryTransmitPower(TransmitPowerLevel(TransmitPower(0)))),
    ]

    private static let controllers: [Parameters] = [
        .fixed(SetEventMask(eventMask: .initial)), .fixed(SetEventMaskPage2(eventMaskPage2: [])),
        .fixed(WriteLocalName(localName: .zero)), .fixed(WriteLEHostSupport(supportedHost: 1)),
        .fixed(ReadLocalExtendedFeatures(pageNumber: 0)), .fixed(LESetEventMask(eventMask: .initial)),
        .fixed(LESetRandomAddress(randomAddress: address)),
        .fixed(LESetHostChannelClassification(channelMap: Octets(padding: [0xFF]))),
        .fixed(
            LEWriteSuggestedDefaultDataLength(
                suggestedMaximumTransmitOctets: 27, suggestedMaximumTransmitTime: Microseconds(328))),
        .fixed(LESetDefaultPHY(transmitPHYs: .oneMegabit, receivePHYs: .oneMegabit)),
        .fixed(LEAddDeviceToFilterAcceptList(addressType: .public, address: address)),
        .fixed(LERemoveDeviceFromFilterAcceptList(addressType: .public, address: address)),
        .fixed(LESetResolvablePrivateAddressTimeout(resolvablePrivateAddressTimeout: Ticks(900))),
        .fixed(LEEncrypt(key: key, plaintextData: key)),
        .fixed(LEGenerateDHKey(keyXCoordinate: .zero, keyYCoordinate: .zero)),
        .fixed(LEGenerateDHKeyVersion2(keyXCoordinate: .zero, keyYCoordinate: .zero, keyType: 0)),
        .fixed(LEReceiverTest(channel: 0)),
        .fixed(LEReceiverTestV2(channel: 0, phy: .oneMegabit)),
        .fixed(LETransmitterTest(channel: 0, length: 37, payload: 0)),
        .fixed(LETransmitterTestV2(channel: 0, length: 37, payload: 0, phy: .oneMegabit)),
    ]

    private static let advertising: [Parameters] = [
        .fixed(
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(160), maximumInterval: AdvertisingInterval(160),
                advertisingType: .connectableUndirected)),
        .fixed(LESetAdvertisingEnable(enable: 1)),
        .fixed(LESetAdvertisingSetRandomAddress(advertisingHandle: 0, randomAddress: address)),
        .fixed(Bench.extendedParameters()),
        .variable(
            LESetExtendedAdvertisingData(advertisingHandle: 0, data: []),
            LESetExtendedAdvertisingData(advertisingHandle: 0, data: longestData)),
        .variable(
            LESetExtendedScanResponseData(advertisingHandle: 0, data: []),
            LESetExtendedScanResponseData(advertisingHandle: 0, data: longestData)),
        .variable(
            LESetExtendedAdvertisingEnable(enable: 0, sets: []),
            LESetExtendedAdvertisingEnable(enable: 1, sets: (0..<0x3F).map { .init(advertisingHandle: $0) })),
        .fixed(LERemoveAdvertisingSet(advertisingHandle: 0)),
        .fixed(
            LESetScanParameters(scanType: .passive, scanInterval: ScanTime(16), scanWindow: ScanTime(16))),
        .fixed(LESetScanEnable(enable: 1, filterDuplicates: 0)),
        .variable(extendedScan(.oneMegabit), extendedScan([.oneMegabit, .coded])),
        .fixed(LESetExtendedScanEnable(enable: 1, filterDuplicates: 0)),
    ]

    private static let legacyData: [Parameters] = {
        let commands: [(any HCICommand)?] = [
            LESetAdvertisingData(data: [2, 1, 6]), LESetScanResponseData(data: [2, 1, 6]),
        ]
        return commands.compactMap { $0.map(Parameters.fixed) }
    }()

    private static let longestData = [UInt8](repeating: 0, count: 251)

    private static let longestFilter = SetEventFilter(
        .connectionSetup(.classOfDevice(.zero, mask: .zero), autoAccept: 1))

    private static func linkKeys(_ count: Int) -> WriteStoredLinkKey {
        WriteStoredLinkKey(keys: .init(repeating: .init(address: address, linkKey: key), count: count))
    }

    private static func extendedScan(_ phys: PHYSet) -> LESetExtendedScanParameters {
        let one = LESetExtendedScanParameters.Parameters(
            scanType: .passive, scanInterval: ScanTime(16), scanWindow: ScanTime(16))
        return LESetExtendedScanParameters(
            scanningPHYs: phys, parameters: .init(repeating: one, count: phys.rawValue.nonzeroBitCount))
    }

    private static func extendedConnection(_ count: Int) -> LEExtendedCreateConnection {
        let one = LEExtendedCreateConnection.Parameters(
            scanInterval: ScanTime(16), scanWindow: ScanTime(16), minimumConnectionInterval: ConnectionInterval(6),
            maximumConnectionInterval: ConnectionInterval(6), supervisionTimeout: SupervisionTimeout(100))
        return LEExtendedCreateConnection(
            peerAddress: address, initiatingPHYs: PHYSet(rawValue: 1 << UInt8(count) - 1),
            parameters: .init(repeating: one, count: count))
    }

    /// The packets of all commands that a controller may announce: the shortest and the longest valid one of each.
    static let packets: [HCIOpcode: [HCICommandPacket]] = {
        var packets: [HCIOpcode: [HCICommandPacket]] = [:]
        for command in HCICommands.all {
            if let type = command as? any HCIParameterlessCommand.Type {
                packets[command.opcode] = [packet(type.init())]
            } else if let type = command as? any ConnectionHandleCommand.Type {
                packets[command.opcode] = [packet(type.init(connectionHandle: handle))]
            }
        }
        for parameters in links + classicSettings + controllers + advertising + legacyData {
            let commands = parameters.commands.map { packet($0) }
            for command in commands { packets[command.opcode] = commands }
        }
        return packets
    }()

    private static func packet(_ command: some HCICommand) -> HCICommandPacket { HCICommandPacket(command) }

    /// What a character announces on purpose although it does not have it.
    private static let lies: [String: Set<HCIOpcode>] = [
        "ats2851": [
            LEReadTransmitPower.opcode, LESetExtendedScanParameters.opcode, LESetExtendedScanEnable.opcode,
            LESetResolvablePrivateAddressTimeout.opcode, LEExtendedCreateConnection.opcode,
        ],
        "feature-lies": [
            LESetAdvertisingSetRandomAddress.opcode, LESetExtendedAdvertisingParameters.opcode,
            LESetExtendedAdvertisingData.opcode, LESetExtendedScanResponseData.opcode,
            LESetExtendedAdvertisingEnable.opcode, LEReadMaximumAdvertisingDataLength.opcode,
            LEReadNumberOfSupportedAdvertisingSets.opcode, LERemoveAdvertisingSet.opcode,
            LEClearAdvertisingSets.opcode,
        ],
    ]

    static let characters: [String] =
        [""] + CharacterTextTests.samples
        + CharacterTextTests.samples.map { "dual-mode+\($0)" }.filter {
            !$0.contains("dual-mode+dual-mode") && !$0.contains("@")
        }

    @Test func everyAnnouncedCommandHasParameters() throws {
        var air = Air()
        let announced = try #require(try Self.announced(.dualMode, &air))
        #expect(announced.filter { Self.packets[$0] == nil }.map(\.name) == [])
        for (opcode, packets) in Self.packets {
            let lengths = packets.map(\.parameters.count)
            #expect(lengths.count == 1 || lengths[0] < lengths[1], "\(opcode.name)")
        }
    }

    @Test(arguments: characters) func noAnnouncedCommandIsUnknown(_ text: String) throws {
        let character = text.isEmpty ? .none : try ControllerCharacter(text)
        var air = Air()
        // A controller that does not answer announces what one without its failure does.
        let fallback: ControllerCharacter = text.contains("dual-mode") ? .dualMode : .none
        let announced = try #require(
            try Self.announced(character, &air) ?? (try Self.announced(fallback, &air)))
        var unknown: Set<HCIOpcode> = []
        for opcode in announced {
            for packet in Self.packets[opcode] ?? [] {
                if Self.answer(to: packet, of: character, &air)?.status == .unknownCommand { unknown.insert(opcode) }
            }
        }
        let lies = text.contains("no-commands") ? nil : Self.lies.first { text.hasSuffix($0.key) }?.value
        #expect(Set(unknown.map(\.name)) == Set((lies ?? []).map(\.name)))
        // No bit is set that this program does not know.
        #expect(announced.count > 60)
    }

    /// The commands that a controller lists; `nil` if it does not answer.
    private static func announced(_ character: ControllerCharacter, _ air: inout Air) throws -> [HCIOpcode]? {
        let packet = HCICommandPacket(ReadLocalSupportedCommands())
        guard let octets = answer(to: packet, of: character, &air)?.octets else { return nil }
        let commands = try ReadLocalSupportedCommands.Returned(parsing: octets).supportedCommands
        let known = HCICommands.definitions.keys.filter { commands.contains($0) == true }
        #expect(commands.octets.reduce(0) { $0 + $1.nonzeroBitCount } == known.count)
        return known.sorted { $0.rawValue < $1.rawValue }
    }

    /// The answer of a new controller to its first command; `nil` without one.
    private static func answer(
        to command: HCICommandPacket, of character: ControllerCharacter, _ air: inout Air
    ) -> (status: HCIStatus, octets: [UInt8])? {
        let controller = air.addController(
            ControllerConfiguration(publicAddress: Bench.address(1), character: character))
        defer { air.removeController(controller) }
        air.receive(.command(command), from: controller)
        for _ in 0..<2 {
            while case .event(let event)? = air.takeOutput(of: controller) {
                if let complete = try? event.parameters(as: HCICommandComplete.self), complete.opcode == command.opcode
                {
                    return (complete.status ?? .success, complete.returnParameters)
                }
                if let status = try? event.parameters(as: CommandStatus.self), status.opcode == command.opcode {
                    return (status.status, [])
                }
            }
            // A late answer.
            air.advance(to: air.now + 60_000)
        }
        return nil
    }
}
