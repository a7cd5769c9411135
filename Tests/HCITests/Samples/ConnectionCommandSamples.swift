// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

private let connection = ConnectionHandle(0x0040)
private let peer = BluetoothAddress.of("D8:3A:DD:41:84:51")
private let identity = BluetoothAddress.of("F7:4D:6E:D2:73:B5")
private let longTermKey = "bf01fb9d4ef3bc36d874f5394138684c"
// The debug key of LE Secure Connections (Core 5.4, Vol 3, Part H, 2.3.5.6.1).
private let debugKeyX = "e69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b020"
private let debugKeyY = "8bd28915d08e1c742430ed8fc24563765c15525abf9a32636deb2a65499c80dc"

extension WireSample {
    /// Connections: their creation, parameters, encryption, packet lengths and PHYs.
    static let connectionCommands: [WireSample] = [
        // From captures; some fields are changed so that no two adjacent ones are equal.
        .command(
            "01 0d20 19 6000 3000 00 00 518441dd3ad8 00 1800 2800 0000 2a00 0000 0000",
            LECreateConnection(
                scanInterval: Ticks(0x60), scanWindow: Ticks(0x30), peerAddress: peer,
                minimumConnectionInterval: Ticks(0x18), maximumConnectionInterval: Ticks(0x28),
                supervisionTimeout: Ticks(42))),
        .command(
            "01 0d20 19 1000 1000 01 02 b573d26e4df7 02 3000 3100 0300 6400 0100 0200",
            LECreateConnection(
                scanInterval: Ticks(16), scanWindow: Ticks(16), initiatorFilterPolicy: .filterAcceptList,
                peerAddressType: .publicIdentity, peerAddress: identity, ownAddressType: .resolvableOrPublic,
                minimumConnectionInterval: Ticks(0x30), maximumConnectionInterval: Ticks(0x31), maximumLatency: 3,
                supervisionTimeout: Ticks(100), minimumEventLength: Ticks(1), maximumEventLength: Ticks(2))),
        .command("01 0e20 00", LECreateConnectionCancel()),
        .command(
            "01 1320 0e 4000 0600 0c00 0400 c800 0100 0200",
            LEConnectionUpdate(
                connectionHandle: connection, minimumConnectionInterval: Ticks(6),
                maximumConnectionInterval: Ticks(12), maximumLatency: 4, supervisionTimeout: Ticks(200),
                minimumEventLength: Ticks(1), maximumEventLength: Ticks(2))),
        .command("01 1420 05 ff0300ff1f", LESetHostChannelClassification(channelMap: .of("ff0300ff1f"))),
        .command("01 1520 02 4000", LEReadChannelMap(connectionHandle: connection)),
        .returned(
            LEReadChannelMap.self, "04 0e 0b 01 1520 00 4000 ff0300ff1f",
            LEReadChannelMap.Returned(connectionHandle: connection, channelMap: .of("ff0300ff1f"))),
        .command("01 1620 02 4000", LEReadRemoteFeatures(connectionHandle: connection)),
        .command(
            "01 2020 0e 4000 1800 2800 0500 2a00 0100 0200",
            LERemoteConnectionParameterRequestReply(
                connectionHandle: connection, minimumConnectionInterval: Ticks(0x18),
                maximumConnectionInterval: Ticks(0x28), maximumLatency: 5, supervisionTimeout: Ticks(42),
                minimumEventLength: Ticks(1), maximumEventLength: Ticks(2))),
        .returned(
            LERemoteConnectionParameterRequestReply.self, "04 0e 06 01 2020 00 4000",
            StatusAndConnectionHandle(connectionHandle: connection)),
        .command(
            "01 2120 03 4000 3b", LERemoteConnectionParameterRequestNegativeReply(connectionHandle: connection)),
        .returned(
            LERemoteConnectionParameterRequestNegativeReply.self, "04 0e 06 01 2120 00 4000",
            StatusAndConnectionHandle(connectionHandle: connection)),
        // The specification's example of encryption (Core 5.4, Vol 6, Part C, 1).
        .command(
            "01 1920 1c 0008 9078563412efcdab 7424" + longTermKey,
            LEEnableEncryption(
                connectionHandle: ConnectionHandle(0x0800), randomNumber: 0xABCD_EF12_3456_7890,
                encryptedDiversifier: 0x2474, longTermKey: .of(longTermKey))),
        .command(
            "01 1a20 12 0108" + longTermKey,
            LELongTermKeyRequestReply(connectionHandle: ConnectionHandle(0x0801), longTermKey: .of(longTermKey))),
        .returned(
            LELongTermKeyRequestReply.self, "04 0e 06 02 1a20 00 0108",
            StatusAndConnectionHandle(connectionHandle: ConnectionHandle(0x0801))),
        .command("01 1b20 02 0108", LELongTermKeyRequestNegativeReply(connectionHandle: ConnectionHandle(0x0801))),
        .returned(
            LELongTermKeyRequestNegativeReply.self, "04 0e 06 02 1b20 00 0108",
            StatusAndConnectionHandle(connectionHandle: ConnectionHandle(0x0801))),
        .command("01 2520 00", LEReadLocalP256PublicKey()),
        .command(
            "01 2620 40" + debugKeyX + debugKeyY,
            LEGenerateDHKey(keyXCoordinate: .of(debugKeyX), keyYCoordinate: .of(debugKeyY))),
        .command(
            "01 5e20 41" + debugKeyX + debugKeyY + "01",
            LEGenerateDHKeyVersion2(keyXCoordinate: .of(debugKeyX), keyYCoordinate: .of(debugKeyY), keyType: 1)),
        .command(
            "01 2220 06 4000 fb00 4808",
            LESetDataLength(connectionHandle: connection, transmitOctets: 251, transmitTime: Ticks(2120))),
        .returned(
            LESetDataLength.self, "04 0e 06 01 2220 00 4000", StatusAndConnectionHandle(connectionHandle: connection)),
        .command("01 2320 00", LEReadSuggestedDefaultDataLength()),
        .returned(
            LEReadSuggestedDefaultDataLength.self, "04 0e 08 01 2320 00 1b00 4801",
            LEReadSuggestedDefaultDataLength.Returned(
                suggestedMaximumTransmitOctets: 27, suggestedMaximumTransmitTime: Ticks(328))),
        .command(
            "01 2420 04 fb00 4808",
            LEWriteSuggestedDefaultDataLength(
                suggestedMaximumTransmitOctets: 251, suggestedMaximumTransmitTime: Ticks(2120))),
        .command("01 2f20 00", LEReadMaximumDataLength()),
        .returned(
            LEReadMaximumDataLength.self, "04 0e 0c 01 2f20 00 fb00 4808 fa00 9042",
            LEReadMaximumDataLength.Returned(
                supportedMaximumTransmitOctets: 251, supportedMaximumTransmitTime: Ticks(2120),
                supportedMaximumReceiveOctets: 250, supportedMaximumReceiveTime: Ticks(17_040))),
        .command("01 3020 02 4000", LEReadPHY(connectionHandle: connection)),
        .returned(
            LEReadPHY.self, "04 0e 08 01 3020 00 4000 02 01",
            LEReadPHY.Returned(connectionHandle: connection, transmitPHY: .twoMegabit, receivePHY: .oneMegabit)),
        .command(
            "01 3120 03 02 03 04",
            LESetDefaultPHY(allPHYs: .receive, transmitPHYs: [.oneMegabit, .twoMegabit], receivePHYs: .coded)),
        .command(
            "01 3220 07 0000 00 02 01 0000",
            LESetPHY(connectionHandle: ConnectionHandle(0), transmitPHYs: .twoMegabit, receivePHYs: .oneMegabit)),
        .command(
            "01 3220 07 4000 01 04 06 0200",
            LESetPHY(
                connectionHandle: connection, allPHYs: .transmit, transmitPHYs: .coded,
                receivePHYs: [.twoMegabit, .coded], phyOptions: 2)),
    ]
}
