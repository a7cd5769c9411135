// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

private let connection = ConnectionHandle(0x0040)
private let name = "4d79205069" + String(repeating: "00", count: 243)

extension WireSample {
    /// Link control, baseband, information, status, and properties of an LE controller.
    static let controllerCommands: [WireSample] = [
        .command("01 0604 03 4000 13", Disconnect(connectionHandle: connection)),
        .command("01 1d04 02 4000", ReadRemoteVersionInformation(connectionHandle: connection)),
        // From the log of a conformance tester.
        .command("01 010c 08 9088010000800020", SetEventMask(eventMask: EventMask(rawValue: 0x2000_8000_0001_8890))),
        .command("01 030c 00", HCIReset()),
        .command("01 130c f8" + name, WriteLocalName(localName: Octets(padding: "My Pi".utf8))),
        .command("01 140c 00", ReadLocalName()),
        .returned(
            ReadLocalName.self, "04 0e fc 01 140c 00" + name,
            ReadLocalName.Returned(localName: Octets(padding: "My Pi".utf8))),
        .command("01 2d0c 03 4000 01", ReadTransmitPowerLevel(connectionHandle: connection, type: 1)),
        .returned(
            ReadTransmitPowerLevel.self, "04 0e 07 01 2d0c 00 4000 f4",
            ReadTransmitPowerLevel.Returned(connectionHandle: connection, transmitPowerLevel: TransmitPower(-12))),
        .command(
            "01 630c 08 0000800000000000",
            SetEventMaskPage2(
                eventMaskPage2: EventMaskPage2(eventCode: AuthenticatedPayloadTimeoutExpired.eventCode))),
        .command("01 6c0c 00", ReadLEHostSupport()),
        .returned(
            ReadLEHostSupport.self, "04 0e 06 01 6c0c 00 01 00", ReadLEHostSupport.Returned(supportedHost: 1)),
        .command("01 6d0c 02 01 00", WriteLEHostSupport(supportedHost: 1)),
        .command("01 7b0c 02 4000", ReadAuthenticatedPayloadTimeout(connectionHandle: connection)),
        .returned(
            ReadAuthenticatedPayloadTimeout.self, "04 0e 08 01 7b0c 00 4000 b80b",
            ReadAuthenticatedPayloadTimeout.Returned(
                connectionHandle: connection, authenticatedPayloadTimeout: Ticks(3000))),
        .command(
            "01 7c0c 04 4000 b80b",
            WriteAuthenticatedPayloadTimeout(connectionHandle: connection, authenticatedPayloadTimeout: Ticks(3000))),
        .returned(
            WriteAuthenticatedPayloadTimeout.self, "04 0e 06 01 7c0c 00 4000",
            StatusAndConnectionHandle(connectionHandle: connection)),
        .command("01 310c 01 01", SetControllerToHostFlowControl(flowControlEnable: 1)),
        .command(
            "01 330c 07 fb00 40 0800 0100",
            HostBufferSize(
                aclDataPacketLength: 251, synchronousDataPacketLength: 64, totalACLDataPackets: 8,
                totalSynchronousDataPackets: 1)),
        .command(
            "01 350c 09 02 4000 0100 4100 0300",
            HostNumberOfCompletedPackets(completedPackets: [
                CompletedPackets(connectionHandle: connection, count: 1),
                CompletedPackets(connectionHandle: ConnectionHandle(0x0041), count: 3),
            ])),
        .command("01 0110 00", ReadLocalVersionInformation()),
        // From a CSR controller.
        .returned(
            ReadLocalVersionInformation.self, "04 0e 0c 05 0110 00 06 0907 06 0a00 0907",
            ReadLocalVersionInformation.Returned(
                hciVersion: .core40, hciSubversion: 0x0709, lmpVersion: .core40,
                companyIdentifier: CompanyIdentifier(10), lmpSubversion: 0x0709)),
        .command("01 0210 00", ReadLocalSupportedCommands()),
        .returned(
            ReadLocalSupportedCommands.self,
            "04 0e 44 01 0210 00 2000000000c0" + String(repeating: "00", count: 30) + "08"
                + String(repeating: "00", count: 27),
            ReadLocalSupportedCommands.Returned(
                supportedCommands: SupportedCommands([
                    Disconnect.opcode, HCIReset.opcode, SetEventMask.opcode, LESetExtendedAdvertisingData.opcode,
                ]))),
        .command("01 0310 00", ReadLocalSupportedFeatures()),
        // From the same CSR controller.
        .returned(
            ReadLocalSupportedFeatures.self, "04 0e 0c 05 0310 00 ffffcdfadbbf7b87",
            ReadLocalSupportedFeatures.Returned(lmpFeatures: LMPFeatures(rawValue: 0x877B_BFDB_FACD_FFFF))),
        .command("01 0410 01 01", ReadLocalExtendedFeatures(pageNumber: 1)),
        .returned(
            ReadLocalExtendedFeatures.self, "04 0e 0e 01 0410 00 01 02 0200000000000080",
            ReadLocalExtendedFeatures.Returned(
                pageNumber: 1, maximumPageNumber: 2, extendedLMPFeatures: 0x8000_0000_0000_0002)),
        .command("01 0510 00", ReadBufferSize()),
        .returned(
            ReadBufferSize.self, "04 0e 0b 01 0510 00 fd03 40 0800 0100",
            ReadBufferSize.Returned(
                aclDataPacketLength: 1021, synchronousDataPacketLength: 64, totalACLDataPackets: 8,
                totalSynchronousDataPackets: 1)),
        .command("01 0910 00", ReadBDADDR()),
        .returned(
            ReadBDADDR.self, "04 0e 0a 01 0910 00 010000eeffc0",
            ReadBDADDR.Returned(address: .of("C0:FF:EE:00:00:01"))),
        .command("01 0514 02 4000", ReadRSSI(connectionHandle: connection)),
        .returned(
            ReadRSSI.self, "04 0e 07 01 0514 00 4000 c8",
            ReadRSSI.Returned(connectionHandle: connection, rssi: RSSI(-56))),
        .command(
            "01 0120 08 ffff0f0000000000", LESetEventMask(eventMask: LEEventMask(rawValue: 0x0F_FFFF))),
        .command("01 0220 00", LEReadBufferSize()),
        .returned(
            LEReadBufferSize.self, "04 0e 07 01 0220 00 fb00 03",
            LEReadBufferSize.Returned(aclDataPacketLength: 251, totalACLDataPackets: 3)),
        .command("01 6020 00", LEReadBufferSizeV2()),
        .returned(
            LEReadBufferSizeV2.self, "04 0e 0a 01 6020 00 fb00 03 f000 02",
            LEReadBufferSizeV2.Returned(
                aclDataPacketLength: 251, totalACLDataPackets: 3, isochronousDataPacketLength: 240,
                totalIsochronousDataPackets: 2)),
        .command("01 0320 00", LEReadLocalSupportedFeatures()),
        .returned(
            LEReadLocalSupportedFeatures.self, "04 0e 0c 01 0320 00 6151000000000000",
            LEReadLocalSupportedFeatures.Returned(
                features: [
                    .encryption, .dataPacketLengthExtension, .privacy, .twoMegabitPHY, .extendedAdvertising,
                    .channelSelectionAlgorithm2,
                ])),
        // The specification's example of a session key (Core 5.4, Vol 6, Part C, 1).
        .command(
            "01 1720 20 bf01fb9d4ef3bc36d874f5394138684c 1302f1e0dfcebdac7968574635241302",
            LEEncrypt(
                key: .of("bf01fb9d4ef3bc36d874f5394138684c"),
                plaintextData: .of("1302f1e0dfcebdac7968574635241302"))),
        .returned(
            LEEncrypt.self, "04 0e 14 02 1720 00 66c6c2278e3b8e053e7ea326521bad99",
            LEEncrypt.Returned(encryptedData: .of("66c6c2278e3b8e053e7ea326521bad99"))),
        .command("01 1820 00", LERand()),
        .returned(
            LERand.self, "04 0e 0c 01 1820 00 18e289aa582d9a44",
            LERand.Returned(randomNumber: 0x449A_2D58_AA89_E218)),
        .command("01 1c20 00", LEReadSupportedStates()),
        .returned(
            LEReadSupportedStates.self, "04 0e 0c 01 1c20 00 ffffffffff030000",
            LEReadSupportedStates.Returned(states: .all)),
        .command("01 1d20 01 13", LEReceiverTest(channel: 19)),
        .command("01 1e20 03 00 25 02", LETransmitterTest(channel: 0, length: 37, payload: 2)),
        .command("01 1f20 00", LETestEnd()),
        .returned(LETestEnd.self, "04 0e 06 01 1f20 00 dc05", LETestEnd.Returned(packets: 1500)),
        .command("01 3320 03 27 02 00", LEReceiverTestV2(channel: 39, phy: .twoMegabit)),
        .command("01 3420 04 27 ff 01 02", LETransmitterTestV2(channel: 39, length: 255, payload: 1, phy: .twoMegabit)),
        // As Zephyr sends it.
        .command(
            "01 06fc 06 0605040302c0",
            VendorWriteBDADDR(address: BluetoothAddress("C0:02:03:04:05:06") ?? .zero)),
        .command("01 beff 0c b80b0000 18fcffff 01000000", VendorSetPosition(x: 3000, y: -1000, z: 1)),
        .command("01 4b20 00", LEReadTransmitPower()),
        .returned(
            LEReadTransmitPower.self, "04 0e 06 01 4b20 00 ec 0a",
            LEReadTransmitPower.Returned(
                minimumTransmitPower: TransmitPower(-20), maximumTransmitPower: TransmitPower(10))),
    ]
}
