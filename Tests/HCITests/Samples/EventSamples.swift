// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

private let connection = ConnectionHandle(0x0040)
private let peer = BluetoothAddress.of("D8:3A:DD:41:84:51")
private let identity = BluetoothAddress.of("F7:4D:6E:D2:73:B5")
private let debugKeyX = "e69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b020"
private let debugKeyY = "8bd28915d08e1c742430ed8fc24563765c15525abf9a32636deb2a65499c80dc"
private let sharedSecret = "98a6bf73f3348d86f166f8b4136b79999b7d390aa610103405adc857a33402ec"
private let picoMidi = "020106 0909 5069636f4d696469 1107 00c7c44ee36c51a7334be8ed5a0eb803"

extension WireSample {
    /// Events other than LE meta events. Many are from captures.
    static let events: [WireSample] = [
        .event("04 01 01 00", InquiryComplete()),
        .event(
            "04 03 0b 04 0000 b573d26e4df7 01 00",
            ConnectionComplete(status: .pageTimeout, connectionHandle: ConnectionHandle(0), address: identity)),
        .event(
            "04 07 ff 00 b573d26e4df7 4869" + String(repeating: "00", count: 246),
            RemoteNameRequestComplete(address: identity, name: Octets(padding: "Hi".utf8))),
        .event(
            "04 05 04 00 4000 13",
            DisconnectionComplete(connectionHandle: connection, reason: .remoteUserTerminatedConnection)),
        .event(
            "04 08 04 00 0100 01", EncryptionChange(connectionHandle: ConnectionHandle(1), encryptionEnabled: 1)),
        .event(
            "04 0c 08 00 4000 0d 0f00 0922",
            ReadRemoteVersionInformationComplete(
                connectionHandle: connection, version: .core54, companyIdentifier: CompanyIdentifier(15),
                subversion: 0x2209)),
        .event(
            "04 0e 04 01 0c20 0c",
            HCICommandComplete(opcode: LESetScanEnable.opcode, status: .commandDisallowed)),
        .event("04 0f 04 00 01 0d20", CommandStatus(opcode: LECreateConnection.opcode)),
        .event(
            "04 0f 04 11 02 3220",
            CommandStatus(
                status: .unsupportedFeatureOrParameterValue, commandCredits: 2, opcode: LESetPHY.opcode)),
        .event("04 10 01 42", HardwareError(hardwareCode: 0x42)),
        .event(
            "04 13 05 01 4000 0100",
            NumberOfCompletedPackets(completedPackets: [CompletedPackets(connectionHandle: connection, count: 1)])),
        .event(
            "04 13 09 02 4000 0100 4100 0300",
            NumberOfCompletedPackets(completedPackets: [
                CompletedPackets(connectionHandle: connection, count: 1),
                CompletedPackets(connectionHandle: ConnectionHandle(0x0041), count: 3),
            ])),
        .event("04 1a 01 01", DataBufferOverflow(linkType: 1)),
        .event("04 30 03 00 4000", EncryptionKeyRefreshComplete(connectionHandle: connection)),
        .event("04 57 02 4000", AuthenticatedPayloadTimeoutExpired(connectionHandle: connection)),
    ]

    /// LE meta events. Many are from captures.
    static let lowEnergyEvents: [WireSample] = [
        .event(
            "04 3e 13 01 00 4000 00 00 518441dd3ad8 2700 0000 2a00 00",
            LEConnectionComplete(
                connectionHandle: connection, role: .central, peerAddressType: .public, peerAddress: peer,
                connectionInterval: Ticks(39), peripheralLatency: 0, supervisionTimeout: Ticks(42))),
        .event(
            "04 3e 13 01 00 4000 01 01 b565b11ff74f 2700 0200 f401 01",
            LEConnectionComplete(
                connectionHandle: connection, role: .peripheral, peerAddressType: .random,
                peerAddress: .of("4F:F7:1F:B1:65:B5"), connectionInterval: Ticks(39), peripheralLatency: 2,
                supervisionTimeout: Ticks(500), centralClockAccuracy: .parts250)),
        .event(
            "04 3e 1f 0a 00 0000 00 02 b573d26e4df7 5343c945746f 24636cc4cb70 3000 0000 6400 00",
            LEEnhancedConnectionComplete(
                connectionHandle: ConnectionHandle(0), role: .central, peerAddressType: .publicIdentity,
                peerAddress: identity, localResolvablePrivateAddress: .of("6F:74:45:C9:43:53"),
                peerResolvablePrivateAddress: .of("70:CB:C4:6C:63:24"), connectionInterval: Ticks(48),
                peripheralLatency: 0, supervisionTimeout: Ticks(100))),
        .event(
            "04 3e 2b 02 01 00 00 518441dd3ad8 1f" + picoMidi + "d9",
            LEAdvertisingReport(reports: [
                LEAdvertisingReport.Report(
                    eventType: .connectableUndirected, addressType: .public, address: peer,
                    data: Octets<31>.of(picoMidi).bytes, rssi: RSSI(-39))
            ])),
        // With several reports, the fields of each report stay together.
        .event(
            "04 3e 19 02 02 00 01 010000eeffc0 03 020106 c8 04 01 020000eeffc0 00 7f",
            LEAdvertisingReport(reports: [
                LEAdvertisingReport.Report(
                    eventType: .connectableUndirected, addressType: .random, address: .of("C0:FF:EE:00:00:01"),
                    data: [2, 1, 6], rssi: RSSI(-56)),
                LEAdvertisingReport.Report(
                    eventType: .scanResponse, addressType: .random, address: .of("C0:FF:EE:00:00:02"), data: [],
                    rssi: .unavailable),
            ])),
        .event(
            "04 3e 12 0b 01 01 01 010000eeffc0 fe 24636cc4cb70 c8",
            LEDirectedAdvertisingReport(reports: [
                LEDirectedAdvertisingReport.Report(
                    addressType: .random, address: .of("C0:FF:EE:00:00:01"), directAddressType: .unresolved,
                    directAddress: .of("70:CB:C4:6C:63:24"), rssi: RSSI(-56))
            ])),
        .event(
            "04 3e 1a 0d 01 0200 00 c885f4f92ae4 01 01 0f 7f d1 6400 00 000000000000 00",
            LEExtendedAdvertisingReport(reports: [
                LEExtendedAdvertisingReport.Report(
                    eventType: .scannable, addressType: .public, address: .of("E4:2A:F9:F4:85:C8"),
                    secondaryPHY: .oneMegabit, advertisingSetIdentifier: 15, rssi: RSSI(-47),
                    periodicAdvertisingInterval: Ticks(100), data: [])
            ])),
        .event(
            "04 3e 35 0d 02 1300 01 010000eeffc0 01 00 ff 7f c8 0000 00 000000000000 03 020106"
                + "2500 ff 000000000000 03 02 0a f4 c7 0000 01 24636cc4cb70 00",
            LEExtendedAdvertisingReport(reports: [
                LEExtendedAdvertisingReport.Report(
                    eventType: .legacyConnectable, addressType: .random, address: .of("C0:FF:EE:00:00:01"),
                    rssi: RSSI(-56), data: [2, 1, 6]),
                LEExtendedAdvertisingReport.Report(
                    eventType: [.connectable, .directed, .incomplete], addressType: .anonymous, address: .zero,
                    primaryPHY: .coded, secondaryPHY: .twoMegabit, advertisingSetIdentifier: 10,
                    transmitPower: TransmitPower(-12), rssi: RSSI(-57), directAddressType: .random,
                    directAddress: .of("70:CB:C4:6C:63:24"), data: []),
            ])),
        .event(
            "04 3e 0a 03 00 4000 0600 0100 f401",
            LEConnectionUpdateComplete(
                connectionHandle: connection, connectionInterval: Ticks(6), peripheralLatency: 1,
                supervisionTimeout: Ticks(500))),
        .event(
            "04 3e 0c 04 00 4000 fff9010800000000",
            LEReadRemoteFeaturesComplete(connectionHandle: connection, features: LEFeatures(rawValue: 0x0801_F9FF))),
        // The specification's example of encryption (Core 5.4, Vol 6, Part C, 1), and from a phone.
        .event(
            "04 3e 0d 05 0108 9078563412efcdab 7424",
            LELongTermKeyRequest(
                connectionHandle: ConnectionHandle(0x0801), randomNumber: 0xABCD_EF12_3456_7890,
                encryptedDiversifier: 0x2474)),
        .event(
            "04 3e 0d 05 0100 18e289aa582d9a44 b30c",
            LELongTermKeyRequest(
                connectionHandle: ConnectionHandle(1), randomNumber: 0x449A_2D58_AA89_E218,
                encryptedDiversifier: 0x0CB3)),
        .event(
            "04 3e 0b 06 4000 1800 2800 0500 2a00",
            LERemoteConnectionParameterRequest(
                connectionHandle: connection, minimumConnectionInterval: Ticks(0x18),
                maximumConnectionInterval: Ticks(0x28), maximumLatency: 5, supervisionTimeout: Ticks(42))),
        .event(
            "04 3e 0b 07 4000 fb00 4808 1b00 4801",
            LEDataLengthChange(
                connectionHandle: connection, maximumTransmitOctets: 251, maximumTransmitTime: Ticks(2120),
                maximumReceiveOctets: 27, maximumReceiveTime: Ticks(328))),
        .event(
            "04 3e 42 08 00" + debugKeyX + debugKeyY,
            LEReadLocalP256PublicKeyComplete(keyXCoordinate: .of(debugKeyX), keyYCoordinate: .of(debugKeyY))),
        .event("04 3e 22 09 00" + sharedSecret, LEGenerateDHKeyComplete(dhKey: .of(sharedSecret))),
        .event(
            "04 3e 06 0c 00 4000 02 01",
            LEPHYUpdateComplete(connectionHandle: connection, transmitPHY: .twoMegabit, receivePHY: .oneMegabit)),
        .event("04 3e 01 11", LEScanTimeout()),
        .event(
            "04 3e 06 12 00 01 4000 00", LEAdvertisingSetTerminated(advertisingHandle: 1, connectionHandle: connection)),
        .event(
            "04 3e 06 12 43 02 0000 05",
            LEAdvertisingSetTerminated(
                status: .limitReached, advertisingHandle: 2, completedExtendedAdvertisingEvents: 5)),
        .event(
            "04 3e 09 13 01 00 5634125f0000",
            LEScanRequestReceived(
                advertisingHandle: 1, scannerAddressType: .public, scannerAddress: .of("00:00:5F:12:34:56"))),
        .event(
            "04 3e 04 14 4000 01", LEChannelSelectionAlgorithm(connectionHandle: connection, algorithm: .algorithm2)),
    ]
}
