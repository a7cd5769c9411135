// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing
import VirtualRadio

/// BR/EDR of controllers with the character `dual-mode`.
@Suite struct ClassicTests {
    private static let peer = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero

    private static func bench() -> (Bench, ControllerIdentifier) {
        var bench = Bench()
        let controller = bench.add(1, character: .dualMode)
        return (bench, controller)
    }

    @Test func characterIsItsText() throws {
        #expect(try ControllerCharacter("dual-mode") == .dualMode)
        #expect(try ControllerCharacter("dual-mode+slow:20") != .dualMode)
    }

    @Test func featuresAreThoseOfBothRadios() throws {
        var (bench, controller) = Self.bench()
        let features = try bench.returned(ReadLocalSupportedFeatures(), controller).lmpFeatures
        #expect(features.isSuperset(of: [.lowEnergy, .simplePairing, .furtherPages, .extendedInquiryResponse]))
        #expect(!features.contains(.noClassicRadio))
        let page = try bench.returned(ReadLocalExtendedFeatures(pageNumber: 0), controller)
        #expect(page.extendedLMPFeatures == features.rawValue && page.maximumPageNumber == 1)
        #expect(bench.send(ReadLocalExtendedFeatures(pageNumber: 2), controller) == .invalidCommandParameters)
        let buffers = try bench.returned(ReadBufferSize(), controller)
        #expect(buffers.aclDataPacketLength > 0 && buffers.totalACLDataPackets > 0)
        // The second page has what the host supports.
        #expect(try bench.returned(ReadLocalExtendedFeatures(pageNumber: 1), controller).extendedLMPFeatures == 0)
        bench.expectSuccess(WriteSimplePairingMode(.on), controller)
        bench.expectSuccess(WriteLEHostSupport(supportedHost: 1), controller)
        #expect(try bench.returned(ReadLocalExtendedFeatures(pageNumber: 1), controller).extendedLMPFeatures == 3)
    }

    /// Controllers for LE only do not have the commands, and answer with another event.
    @Test func controllersOfLEOnlyAreAsBefore() throws {
        var bench = Bench()
        let (plain, dual) = (bench.add(1), bench.add(2, character: .dualMode))
        func answer(_ opcode: HCIOpcode, _ controller: ControllerIdentifier) -> [HCIEventPacket] {
            bench.air.receive(.command(HCICommandPacket(opcode: opcode, parameters: [])), from: controller)
            return bench.takePackets(controller).compactMap { packet in
                if case .event(let event) = packet { event } else { nil }
            }
        }
        let vendor = HCIOpcode(rawValue: 0xFD53)
        for opcode in [vendor, ReadPageTimeout.opcode, InquiryCancel.opcode] {
            #expect(
                answer(opcode, plain) == [HCIEventPacket(CommandStatus(status: .unknownCommand, opcode: opcode))])
        }
        #expect(
            answer(vendor, dual) == [HCIEventPacket(HCICommandComplete(opcode: vendor, status: .unknownCommand))])
        let commands = try bench.returned(ReadLocalSupportedCommands(), plain).supportedCommands
        let dualCommands = try bench.returned(ReadLocalSupportedCommands(), dual).supportedCommands
        for opcode in HCICommands.definitions.keys {
            let isClassic = commands.contains(opcode) == false && dualCommands.contains(opcode) == true
            #expect(isClassic || commands.contains(opcode) == dualCommands.contains(opcode), "\(opcode.name)")
        }
        #expect(commands.contains(Inquiry.opcode) == false && dualCommands.contains(Inquiry.opcode) == true)
        #expect(try bench.returned(ReadLocalSupportedFeatures(), plain).lmpFeatures.contains(.noClassicRadio))
    }

    // MARK: - Settings

    /// A setting: the value after a reset, another one, and values that are refused.
    struct Setting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable (inout Bench, ControllerIdentifier) throws -> Void

        init<Query: SettingQuery, Command: SettingCommand>(
            _: Query.Type, _: Command.Type, initial: Query.Value, other: Query.Value, refused: [Query.Value] = []
        ) where Query.Value == Command.Value {
            testDescription = "\(Command.self)"
            check = { bench, controller in
                try Self.check(Query.self, Command.self, initial, other, refused, &bench, controller)
            }
        }

        private static func check<Query: SettingQuery, Command: SettingCommand>(
            _: Query.Type, _: Command.Type, _ initial: Query.Value, _ other: Query.Value, _ refused: [Query.Value],
            _ bench: inout Bench, _ controller: ControllerIdentifier
        ) throws where Query.Value == Command.Value {
            #expect(try bench.returned(Query(), controller).value == initial)
            bench.expectSuccess(Command(other), controller)
            #expect(try bench.returned(Query(), controller).value == other)
            for value in refused {
                #expect(bench.send(Command(value), controller) == .invalidCommandParameters, "\(value)")
            }
            #expect(try bench.returned(Query(), controller).value == other)
            bench.expectSuccess(HCIReset(), controller)
            #expect(try bench.returned(Query(), controller).value == initial)
        }
    }

    private static let refusedSwitch = [HCISwitch(rawValue: 2), HCISwitch(rawValue: 0xFF)]
    private static let refusedActivities = [
        ScanActivity(interval: 0x11, window: 0x11), ScanActivity(interval: 0x13, window: 0x12),
        ScanActivity(interval: 0x1002, window: 0x12), ScanActivity(interval: 0x12, window: 0x10),
        ScanActivity(interval: 0x12, window: 0x13),
    ]

    static let settings: [Setting] = [
        Setting(
            ReadDefaultLinkPolicy.self, WriteDefaultLinkPolicy.self, initial: [], other: [.roleSwitch, .sniff],
            refused: [LinkPolicy(rawValue: 0x10)]),
        Setting(
            ReadConnectionAcceptTimeout.self, WriteConnectionAcceptTimeout.self, initial: BasebandSlots(0x1F40),
            other: BasebandSlots(0xB540), refused: [BasebandSlots(0), BasebandSlots(0xB541)]),
        Setting(
            ReadPageTimeout.self, WritePageTimeout.self, initial: BasebandSlots(0x2000), other: BasebandSlots(1),
            refused: [BasebandSlots(0)]),
        Setting(
            ReadScanEnable.self, WriteScanEnable.self, initial: [], other: [.inquiry, .page],
            refused: [ScanEnable(rawValue: 4)]),
        Setting(
            ReadPageScanActivity.self, WritePageScanActivity.self,
            initial: ScanActivity(interval: 0x0800, window: 0x12), other: ScanActivity(interval: 0x12, window: 0x11),
            refused: refusedActivities),
        Setting(
            ReadInquiryScanActivity.self, WriteInquiryScanActivity.self,
            initial: ScanActivity(interval: 0x1000, window: 0x12), other: ScanActivity(interval: 0x24, window: 0x24),
            refused: refusedActivities),
        Setting(
            ReadAuthenticationEnable.self, WriteAuthenticationEnable.self, initial: .off, other: .on,
            refused: refusedSwitch),
        Setting(
            ReadClassOfDevice.self, WriteClassOfDevice.self, initial: .zero, other: Octets(padding: [0x0C, 0x02, 0x5A])),
        Setting(
            ReadVoiceSetting.self, WriteVoiceSetting.self, initial: .linearCVSD, other: VoiceSetting(rawValue: 0x03FF),
            refused: [VoiceSetting(rawValue: 0x0400)]),
        Setting(
            ReadCurrentIACLAP.self, WriteCurrentIACLAP.self, initial: InquiryAccessCodes([.generalInquiry]),
            other: InquiryAccessCodes([.limitedInquiry, .generalInquiry]),
            refused: [
                InquiryAccessCodes([]), InquiryAccessCodes([.generalInquiry, .generalInquiry, .limitedInquiry]),
                InquiryAccessCodes([Octets(padding: [0x40, 0x8B, 0x9E])]),
            ]),
        Setting(
            ReadInquiryScanType.self, WriteInquiryScanType.self, initial: .standard, other: .interlaced,
            refused: [ScanPattern(rawValue: 2)]),
        Setting(
            ReadInquiryMode.self, WriteInquiryMode.self, initial: .standard, other: .extended,
            refused: [InquiryMode(rawValue: 3)]),
        Setting(
            ReadPageScanType.self, WritePageScanType.self, initial: .standard, other: .interlaced,
            refused: [ScanPattern(rawValue: 2)]),
        Setting(
            ReadExtendedInquiryResponse.self, WriteExtendedInquiryResponse.self, initial: ExtendedInquiryResponse(),
            other: ExtendedInquiryResponse(fecRequired: .on, data: Octets(padding: [UInt8](repeating: 7, count: 240))),
            refused: [ExtendedInquiryResponse(fecRequired: HCISwitch(rawValue: 2))]),
        Setting(
            ReadSimplePairingMode.self, WriteSimplePairingMode.self, initial: .off, other: .on, refused: refusedSwitch),
        Setting(
            ReadErroneousDataReporting.self, WriteErroneousDataReporting.self, initial: .off, other: .on,
            refused: refusedSwitch),
    ]

    @Test(arguments: settings) func settingIsKeptUntilAReset(_ setting: Setting) throws {
        var (bench, controller) = Self.bench()
        try setting.check(&bench, controller)
    }

    @Test func everyCommandThatReadsASettingHasARow() {
        let queries = HCICommands.all.filter { $0 is any SettingQuery.Type }
        // The others return what the controller has, not what the host has set.
        #expect(queries.count == Self.settings.count + 2)
    }

    @Test func otherSettingsAreChecked() throws {
        var (bench, controller) = Self.bench()
        #expect(try bench.returned(ReadNumberOfSupportedIAC(), controller).value.count == 2)
        #expect(
            try bench.returned(ReadInquiryResponseTransmitPower(), controller).value.power == TransmitPower(0))
        for (power, status) in [(Int8(-70), HCIStatus.success), (20, .success), (-71, .invalidCommandParameters)] {
            let command = WriteInquiryTransmitPower(TransmitPowerLevel(TransmitPower(power)))
            #expect(bench.send(command, controller) == status)
        }
        let filter = SetEventFilter(.connectionSetup(.address(Self.peer), autoAccept: 4))
        #expect(bench.send(filter, controller) == .invalidCommandParameters)
        for (filter, status) in [
            ([0], HCIStatus.success), ([1, 0], .success), ([1, 1, 0, 0, 0, 0, 0, 0], .success), ([2, 0, 2], .success),
            ([], .invalidCommandParameters), ([3], .invalidCommandParameters), ([1], .invalidCommandParameters),
            ([1, 3], .invalidCommandParameters), ([0, 0], .invalidCommandParameters),
            ([2, 0], .invalidCommandParameters),
        ] as [([UInt8], HCIStatus)] {
            let packet = HCICommandPacket(opcode: SetEventFilter.opcode, parameters: filter)
            #expect(bench.sendPacket(packet, controller)?.status == status, "\(filter)")
        }
        #expect(
            try bench.returned(ReadStoredLinkKey(readAll: 1), controller)
                == ReadStoredLinkKey.Returned(maximumKeys: 0, keysRead: 0))
        let key = WriteStoredLinkKey.Key(address: Self.peer, linkKey: .zero)
        #expect(try bench.returned(WriteStoredLinkKey(keys: [key]), controller).keysWritten == 0)
        #expect(bench.send(WriteStoredLinkKey(keys: []), controller) == .invalidCommandParameters)
        #expect(try bench.returned(DeleteStoredLinkKey(deleteAll: 1), controller).keysDeleted == 0)
        #expect(try bench.returned(ReadLocalSupportedCodecs(), controller).standardCodecs == [])
        #expect(try bench.returned(ReadLocalSimplePairingOptions(), controller).maximumEncryptionKeySize == 16)
    }

    // MARK: - Inquiry

    @Test func inquiryFindsNothingAndEndsAfterItsLength() {
        var (bench, controller) = Self.bench()
        let other = bench.add(2, character: .dualMode)
        bench.expectSuccess(WriteScanEnable([.inquiry, .page]), other)
        bench.expectSuccess(Inquiry(length: 4), controller)
        #expect(bench.send(Inquiry(length: 4), controller) == .commandDisallowed)
        bench.run(milliseconds: 4 * 1280 - 1)
        #expect(bench.takePackets(controller).isEmpty)
        bench.run(milliseconds: 1)
        #expect(bench.takePackets(controller) == [.event(HCIEventPacket(InquiryComplete()))])
        #expect(bench.takePackets(other).isEmpty)
        bench.expectSuccess(Inquiry(length: 0x30), controller)
        for command in [
            Inquiry(length: 0), Inquiry(length: 0x31),
            Inquiry(accessCode: Octets(padding: [0x40, 0x8B, 0x9E]), length: 1),
        ] {
            #expect(bench.send(command, other) == .invalidCommandParameters)
        }
    }

    @Test(arguments: [true, false]) func cancelledInquiryHasNoEvent(byReset: Bool) {
        var (bench, controller) = Self.bench()
        #expect(bench.send(InquiryCancel(), controller) == .commandDisallowed)
        bench.expectSuccess(Inquiry(length: 1), controller)
        let cancel: any HCICommand = byReset ? HCIReset() : InquiryCancel()
        bench.expectSuccess(cancel, controller)
        bench.run(milliseconds: 10_000)
        #expect(bench.takePackets(controller).isEmpty && bench.air.nextDeadline == nil)
        #expect(bench.send(InquiryCancel(), controller) == .commandDisallowed)
    }

    @Test func maskedEventsAreNotSent() {
        var (bench, controller) = Self.bench()
        bench.expectSuccess(SetEventMask(eventMask: EventMask(rawValue: 0)), controller)
        bench.expectSuccess(Inquiry(length: 1), controller)
        bench.expectSuccess(CreateConnection(address: Self.peer), controller)
        bench.run(milliseconds: 10_000)
        #expect(bench.takePackets(controller).isEmpty)
    }

    // MARK: - Pages

    @Test func connectionFailsAfterThePageTimeout() {
        var (bench, controller) = Self.bench()
        // Also to a controller that scans for pages: it does not answer.
        let other = bench.add(2, character: .dualMode)
        bench.expectSuccess(WriteScanEnable(.page), other)
        for (timeout, milliseconds) in [(nil, Int64(5120)), (UInt16(1600), 1000)] {
            if let timeout { bench.expectSuccess(WritePageTimeout(BasebandSlots(timeout)), controller) }
            bench.expectSuccess(CreateConnection(address: Bench.address(2)), controller)
            bench.run(milliseconds: milliseconds - 1)
            #expect(bench.takePackets(controller).isEmpty)
            bench.run(milliseconds: 1)
            let failure = ConnectionComplete(
                status: .pageTimeout, connectionHandle: ConnectionHandle(0), address: Bench.address(2))
            #expect(bench.takePackets(controller) == [.event(HCIEventPacket(failure))])
        }
        #expect(bench.takePackets(other).isEmpty)
    }

    @Test func nameIsNotKnown() {
        var (bench, controller) = Self.bench()
        bench.expectSuccess(RemoteNameRequest(address: Self.peer), controller)
        // One page at a time.
        #expect(bench.send(RemoteNameRequest(address: Bench.address(2)), controller) == .commandDisallowed)
        #expect(bench.send(CreateConnection(address: Self.peer), controller) == .commandDisallowed)
        bench.run(milliseconds: 5120)
        #expect(
            bench.takePackets(controller) == [
                .event(HCIEventPacket(RemoteNameRequestComplete(status: .pageTimeout, address: Self.peer)))
            ])
    }

    @Test func cancelledPageEndsWithItsEvent() throws {
        var (bench, controller) = Self.bench()
        let other = Bench.address(2)
        #expect(bench.send(CreateConnectionCancel(address: other), controller) == .unknownConnectionIdentifier)
        #expect(bench.send(RemoteNameRequestCancel(address: other), controller) == .invalidCommandParameters)
        bench.expectSuccess(CreateConnection(address: Self.peer), controller)
        let refused = bench.sendPacket(HCICommandPacket(CreateConnectionCancel(address: other)), controller)
        #expect(refused?.octets == [0x02] + other.serialized())
        #expect(bench.send(RemoteNameRequestCancel(address: Self.peer), controller) == .invalidCommandParameters)
        #expect(try bench.returned(CreateConnectionCancel(address: Self.peer), controller).value == Self.peer)
        let connection = ConnectionComplete(
            status: .unknownConnectionIdentifier, connectionHandle: ConnectionHandle(0), address: Self.peer)
        #expect(bench.takePackets(controller) == [.event(HCIEventPacket(connection))])
        bench.expectSuccess(RemoteNameRequest(address: Self.peer), controller)
        #expect(try bench.returned(RemoteNameRequestCancel(address: Self.peer), controller).value == Self.peer)
        let name = RemoteNameRequestComplete(status: .unknownConnectionIdentifier, address: Self.peer)
        #expect(bench.takePackets(controller) == [.event(HCIEventPacket(name))])
        bench.run(milliseconds: 10_000)
        #expect(bench.takePackets(controller).isEmpty && bench.air.nextDeadline == nil)
    }

    /// Beside LE, which is not affected.
    @Test func inquiryAndScanAreSimultaneous() throws {
        var (bench, controller) = Self.bench()
        let advertiser = bench.add(2)
        try bench.advertise(advertiser)
        bench.expectSuccess(Inquiry(length: 1), controller)
        bench.scan(controller)
        bench.run(milliseconds: 2000)
        #expect(bench.takeReports(controller).count > 10)
        #expect(bench.takeEvents(InquiryComplete.self, controller).count == 1)
        // The address cannot change during an inquiry.
        bench.expectSuccess(LESetScanEnable(enable: 0, filterDuplicates: 0), controller)
        bench.expectSuccess(Inquiry(length: 1), controller)
        #expect(bench.send(VendorWriteBDADDR(address: Bench.address(7)), controller) == .commandDisallowed)
        bench.air.removeController(controller)
        bench.run(milliseconds: 5000)
        let next = bench.add(3, character: .dualMode)
        #expect(bench.send(InquiryCancel(), next) == .commandDisallowed)
    }
}
