// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

private let peer = BluetoothAddress.of("C0:FF:EE:00:00:01")

extension WireSample {
    /// Finding and connecting to BR/EDR devices. The commands are as Bumble 0.0.236 writes them.
    static let classicLinkCommands: [WireSample] = [
        .command("01 0104 05 338b9e 08 00", Inquiry(length: 8)),
        .command("01 0204 00", InquiryCancel()),
        .command("01 0504 0d 010000eeffc0 18cc 01 00 0000 01", CreateConnection(address: peer)),
        .command("01 0804 06 010000eeffc0", CreateConnectionCancel(address: peer)),
        .returned(CreateConnectionCancel.self, "04 0e 0a 01 0804 00 010000eeffc0", StatusAndValue(peer)),
        .command("01 1904 0a 010000eeffc0 01 00 0000", RemoteNameRequest(address: peer)),
        .command("01 1a04 06 010000eeffc0", RemoteNameRequestCancel(address: peer)),
        .returned(RemoteNameRequestCancel.self, "04 0e 0a 01 1a04 00 010000eeffc0", StatusAndValue(peer)),
    ]

    /// Settings of a BR/EDR controller.
    static let classicSettingCommands: [WireSample] = settings.flatMap { $0 } + otherSettings

    private static let settings: [[WireSample]] = [
        setting(ReadDefaultLinkPolicy(), WriteDefaultLinkPolicy([.roleSwitch, .sniff]), "0e08", "0f08", "0500"),
        setting(
            ReadConnectionAcceptTimeout(), WriteConnectionAcceptTimeout(BasebandSlots(0x7D00)), "150c", "160c",
            "007d"),
        setting(ReadPageTimeout(), WritePageTimeout(BasebandSlots(0x2000)), "170c", "180c", "0020"),
        setting(ReadScanEnable(), WriteScanEnable([.inquiry, .page]), "190c", "1a0c", "03"),
        setting(
            ReadPageScanActivity(), WritePageScanActivity(ScanActivity(interval: 0x0800, window: 0x12)), "1b0c",
            "1c0c", "00081200"),
        setting(
            ReadInquiryScanActivity(), WriteInquiryScanActivity(ScanActivity(interval: 0x1000, window: 0x24)),
            "1d0c", "1e0c", "00102400"),
        setting(ReadAuthenticationEnable(), WriteAuthenticationEnable(.on), "1f0c", "200c", "01"),
        setting(ReadClassOfDevice(), WriteClassOfDevice(.of("0c025a")), "230c", "240c", "0c025a"),
        setting(ReadVoiceSetting(), WriteVoiceSetting(.linearCVSD), "250c", "260c", "6000"),
        setting(
            ReadCurrentIACLAP(), WriteCurrentIACLAP(InquiryAccessCodes([.generalInquiry, .limitedInquiry])),
            "390c", "3a0c", "02 338b9e 008b9e"),
        setting(ReadInquiryScanType(), WriteInquiryScanType(.interlaced), "420c", "430c", "01"),
        setting(ReadInquiryMode(), WriteInquiryMode(.extended), "440c", "450c", "02"),
        setting(ReadPageScanType(), WritePageScanType(.standard), "460c", "470c", "00"),
        setting(
            ReadExtendedInquiryResponse(),
            WriteExtendedInquiryResponse(
                ExtendedInquiryResponse(data: Octets(padding: [3, 9, 0x48, 0x69]))), "510c", "520c",
            "00 03094869" + String(repeating: "00", count: 236)),
        setting(ReadSimplePairingMode(), WriteSimplePairingMode(.on), "550c", "560c", "01"),
        setting(ReadErroneousDataReporting(), WriteErroneousDataReporting(.off), "5a0c", "5b0c", "00"),
    ]

    private static let otherSettings: [WireSample] = [
        .command("01 050c 01 00", SetEventFilter(.clear)),
        .command("01 050c 02 01 00", SetEventFilter(.inquiryResult(.all))),
        .command(
            "01 050c 08 01 01 0c025a ffffff",
            SetEventFilter(.inquiryResult(.classOfDevice(.of("0c025a"), mask: .of("ffffff"))))),
        .command(
            "01 050c 09 02 02 010000eeffc0 02",
            SetEventFilter(.connectionSetup(.address(peer), autoAccept: 2))),
        .command("01 0d0c 07 010000eeffc0 01", ReadStoredLinkKey(address: peer, readAll: 1)),
        .returned(
            ReadStoredLinkKey.self, "04 0e 08 01 0d0c 00 0400 0100",
            ReadStoredLinkKey.Returned(maximumKeys: 4, keysRead: 1)),
        .command(
            "01 110c 17 01 010000eeffc0 000102030405060708090a0b0c0d0e0f",
            WriteStoredLinkKey(keys: [.init(address: peer, linkKey: .of("000102030405060708090a0b0c0d0e0f"))])),
        .returned(
            WriteStoredLinkKey.self, "04 0e 05 01 110c 00 01", WriteStoredLinkKey.Returned(keysWritten: 1)),
        .command("01 120c 07 010000eeffc0 01", DeleteStoredLinkKey(address: peer, deleteAll: 1)),
        .returned(
            DeleteStoredLinkKey.self, "04 0e 06 01 120c 00 0300", DeleteStoredLinkKey.Returned(keysDeleted: 3)),
        .command("01 380c 00", ReadNumberOfSupportedIAC()),
        .returned(ReadNumberOfSupportedIAC.self, "04 0e 05 01 380c 00 02", StatusAndValue(.init(2))),
        .command("01 580c 00", ReadInquiryResponseTransmitPower()),
        .returned(
            ReadInquiryResponseTransmitPower.self, "04 0e 05 01 580c 00 fc",
            StatusAndValue(TransmitPowerLevel(TransmitPower(-4)))),
        .command("01 590c 01 ba", WriteInquiryTransmitPower(TransmitPowerLevel(TransmitPower(-70)))),
        .command("01 0b10 00", ReadLocalSupportedCodecs()),
        .returned(
            ReadLocalSupportedCodecs.self, "04 0e 0c 01 0b10 00 02 0205 01 0f000300",
            ReadLocalSupportedCodecs.Returned(standardCodecs: [2, 5], vendorCodecs: [.of("0f000300")])),
        .command("01 0c10 00", ReadLocalSimplePairingOptions()),
        .returned(
            ReadLocalSimplePairingOptions.self, "04 0e 06 01 0c10 00 01 10",
            ReadLocalSimplePairingOptions.Returned(options: 1, maximumEncryptionKeySize: 16)),
    ]

    /// The samples of a setting: the command that reads it, with its return parameters, and the command that writes it.
    private static func setting<Query: SettingQuery & Equatable, Command: SettingCommand & Equatable>(
        _ query: Query, _ command: Command, _ read: String, _ written: String, _ value: String
    ) -> [WireSample] where Query.Value == Command.Value {
        func length(_ octets: Int) -> String {
            let count = value.count { $0 != " " } / 2 + octets
            return Hexadecimal.string([UInt8(count)])
        }
        return [
            .command("01 \(read) 00", query),
            .returned(
                Query.self, "04 0e \(length(4)) 01 \(read) 00 \(value)", StatusAndValue(command.value)),
            .command("01 \(written) \(length(0)) \(value)", command),
        ]
    }
}
