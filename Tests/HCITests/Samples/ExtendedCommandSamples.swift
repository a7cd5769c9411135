// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

private let peer = BluetoothAddress.of("E4:2A:F9:F4:85:C8")

extension WireSample {
    /// Extended advertising, scanning and connecting. Many are from the log of a conformance tester.
    static let extendedCommands: [WireSample] = [
        .command(
            "01 3520 07 02 010000eeffc0",
            LESetAdvertisingSetRandomAddress(advertisingHandle: 2, randomAddress: .of("C0:FF:EE:00:00:01"))),
        .command(
            "01 3620 19 01 0000 2b0000 2b0000 07 00 00 c885f4f92ae4 00 7f 01 01 01 0f 00",
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 1, properties: [], minimumInterval: Ticks(0x2B), maximumInterval: Ticks(0x2B),
                peerAddress: peer, secondaryMaximumSkip: 1, advertisingSetIdentifier: 15)),
        .command(
            "01 3620 19 00 1300 a00000 d20000 07 01 00 000000000000 00 01 01 00 01 00 00",
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 0, properties: .legacyConnectable, minimumInterval: Ticks(160),
                maximumInterval: Ticks(210), ownAddressType: .random, transmitPower: TransmitPower(1))),
        .command(
            "01 3620 19 05 4500 a00000 563412 03 03 01 c885f4f92ae4 03 f4 03 02 02 0a 01",
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 5, properties: [.connectable, .directed, .includesTransmitPower],
                minimumInterval: Ticks(160), maximumInterval: Ticks(0x12_3456), channelMap: [.channel37, .channel38],
                ownAddressType: .resolvableOrRandom, peerAddressType: .random, peerAddress: peer,
                filterPolicy: [.scanRequestsOfList, .connectionRequestsOfList], transmitPower: TransmitPower(-12),
                primaryPHY: .coded, secondaryMaximumSkip: 2, secondaryPHY: .twoMegabit, advertisingSetIdentifier: 10,
                scanRequestNotificationEnable: 1)),
        .returned(
            LESetExtendedAdvertisingParameters.self, "04 0e 05 01 3620 00 f9",
            LESetExtendedAdvertisingParameters.Returned(selectedTransmitPower: TransmitPower(-7))),
        .command("01 3720 04 01 03 01 00", LESetExtendedAdvertisingData(advertisingHandle: 1, data: [])),
        .command(
            "01 3720 07 01 01 00 03 020106",
            LESetExtendedAdvertisingData(
                advertisingHandle: 1, operation: .firstFragment, fragmentPreference: 0, data: [2, 1, 6])),
        .command(
            "01 3820 07 02 03 01 03 020a04", LESetExtendedScanResponseData(advertisingHandle: 2, data: [2, 10, 4])),
        .command(
            "01 3920 06 01 01 01 0000 00",
            LESetExtendedAdvertisingEnable(
                enable: 1, sets: [LESetExtendedAdvertisingEnable.AdvertisingSet(advertisingHandle: 1)])),
        .command(
            "01 3920 0a 01 02 01 0000 00 02 e803 05",
            LESetExtendedAdvertisingEnable(
                enable: 1,
                sets: [
                    LESetExtendedAdvertisingEnable.AdvertisingSet(advertisingHandle: 1),
                    LESetExtendedAdvertisingEnable.AdvertisingSet(
                        advertisingHandle: 2, duration: Ticks(1000), maximumEvents: 5),
                ])),
        .command("01 3920 02 00 00", LESetExtendedAdvertisingEnable(enable: 0, sets: [])),
        .command("01 3a20 00", LEReadMaximumAdvertisingDataLength()),
        .returned(
            LEReadMaximumAdvertisingDataLength.self, "04 0e 06 01 3a20 00 7206",
            LEReadMaximumAdvertisingDataLength.Returned(maximumAdvertisingDataLength: 1650)),
        .command("01 3b20 00", LEReadNumberOfSupportedAdvertisingSets()),
        .returned(
            LEReadNumberOfSupportedAdvertisingSets.self, "04 0e 05 01 3b20 00 10",
            LEReadNumberOfSupportedAdvertisingSets.Returned(supportedAdvertisingSets: 16)),
        .command("01 3c20 01 09", LERemoveAdvertisingSet(advertisingHandle: 9)),
        .command("01 3d20 00", LEClearAdvertisingSets()),
        .command(
            "01 4120 08 01 00 01 01 6000 3000",
            LESetExtendedScanParameters(
                ownAddressType: .random,
                parameters: [
                    LESetExtendedScanParameters.Parameters(
                        scanType: .active, scanInterval: Ticks(0x60), scanWindow: Ticks(0x30))
                ])),
        .command(
            "01 4120 0d 01 02 05 00 6000 3000 01 2001 9000",
            LESetExtendedScanParameters(
                ownAddressType: .random, scanningFilterPolicy: .extendedUnfiltered,
                scanningPHYs: [.oneMegabit, .coded],
                parameters: [
                    LESetExtendedScanParameters.Parameters(
                        scanType: .passive, scanInterval: Ticks(0x60), scanWindow: Ticks(0x30)),
                    LESetExtendedScanParameters.Parameters(
                        scanType: .active, scanInterval: Ticks(0x120), scanWindow: Ticks(0x90)),
                ])),
        .command("01 4220 06 01 00 0000 0000", LESetExtendedScanEnable(enable: 1, filterDuplicates: 0)),
        .command(
            "01 4220 06 01 02 e803 0a00",
            LESetExtendedScanEnable(enable: 1, filterDuplicates: 2, duration: Ticks(1000), period: Ticks(10))),
        .command(
            "01 4320 1a 00 00 00 c885f4f92ae4 01 6000 3000 1800 2800 0300 2a00 0100 0200",
            LEExtendedCreateConnection(peerAddress: peer, parameters: [connectionParameters(0)])),
        .command(
            "01 4320 3a 01 03 01 c885f4f92ae4 07 6000 3000 1800 2800 0300 2a00 0100 0200"
                + "6100 3100 1900 2900 0400 2b00 0200 0300 6200 3200 1a00 2a00 0500 2c00 0300 0400",
            LEExtendedCreateConnection(
                initiatorFilterPolicy: .filterAcceptList, ownAddressType: .resolvableOrRandom,
                peerAddressType: .random, peerAddress: peer, initiatingPHYs: [.oneMegabit, .twoMegabit, .coded],
                parameters: [connectionParameters(0), connectionParameters(1), connectionParameters(2)])),
    ]

    /// The parameters of the first PHY, increased for others.
    private static func connectionParameters(_ increment: UInt16) -> LEExtendedCreateConnection.Parameters {
        let more = UInt32(increment)
        return LEExtendedCreateConnection.Parameters(
            scanInterval: Ticks(0x60 + more), scanWindow: Ticks(0x30 + more),
            minimumConnectionInterval: Ticks(0x18 + more), maximumConnectionInterval: Ticks(0x28 + more),
            maximumLatency: 3 + increment, supervisionTimeout: Ticks(0x2A + more), minimumEventLength: Ticks(1 + more),
            maximumEventLength: Ticks(2 + more))
    }
}
