// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI

private let peer = BluetoothAddress.of("D8:3A:DD:41:84:51")
private let identity = BluetoothAddress.of("F7:4D:6E:D2:73:B5")
private let advertisingData = "0201060319c103040848494403021218"
private let scanResponse = "0a0953656e736f72546167 051250002003 020a00"

extension WireSample {
    /// Legacy advertising and scanning, the filter accept list and the resolving list. Many are from captures,
    /// some with fields changed so that no two adjacent ones are equal.
    static let legacyCommands: [WireSample] = [
        .command("01 0520 06 fe8939c00ce0", LESetRandomAddress(randomAddress: .of("E0:0C:C0:39:89:FE"))),
        .command(
            "01 0620 0f 0002 0002 00 01 00 000000000000 07 00",
            LESetAdvertisingParameters(
                minimumInterval: Ticks(0x0200), maximumInterval: Ticks(0x0200),
                advertisingType: .connectableUndirected, ownAddressType: .random)),
        .command(
            "01 0620 0f a000 f000 04 03 01 518441dd3ad8 05 02",
            LESetAdvertisingParameters(
                minimumInterval: Ticks(160), maximumInterval: Ticks(240),
                advertisingType: .connectableDirectedLowDutyCycle, ownAddressType: .resolvableOrRandom,
                peerAddressType: .random, peerAddress: peer, channelMap: [.channel37, .channel39],
                filterPolicy: .connectionRequestsOfList)),
        .command("01 0720 00", LEReadAdvertisingPhysicalChannelTransmitPower()),
        .returned(
            LEReadAdvertisingPhysicalChannelTransmitPower.self, "04 0e 05 01 0720 00 0c",
            LEReadAdvertisingPhysicalChannelTransmitPower.Returned(transmitPowerLevel: TransmitPower(12))),
        .command(
            "01 0820 20 10" + advertisingData + String(repeating: "00", count: 15),
            LESetAdvertisingData(
                data: Octets<16>.of(advertisingData).bytes, padding: [UInt8](repeating: 0, count: 15))),
        .command(
            "01 0920 20 14" + scanResponse + String(repeating: "00", count: 11),
            LESetScanResponseData(
                data: Octets<20>.of(scanResponse).bytes, padding: [UInt8](repeating: 0, count: 11))),
        .command("01 0a20 01 01", LESetAdvertisingEnable(enable: 1)),
        .command(
            "01 0b20 07 01 6000 3000 00 00",
            LESetScanParameters(scanType: .active, scanInterval: Ticks(0x60), scanWindow: Ticks(0x30))),
        .command(
            "01 0b20 07 00 1000 1000 02 03",
            LESetScanParameters(
                scanType: .passive, scanInterval: Ticks(0x10), scanWindow: Ticks(0x10),
                ownAddressType: .resolvableOrPublic, scanningFilterPolicy: .extendedFiltered)),
        .command("01 0c20 02 01 00", LESetScanEnable(enable: 1, filterDuplicates: 0)),
        .command("01 0f20 00", LEReadFilterAcceptListSize()),
        .returned(
            LEReadFilterAcceptListSize.self, "04 0e 05 01 0f20 00 08",
            LEReadFilterAcceptListSize.Returned(filterAcceptListSize: 8)),
        .command("01 1020 00", LEClearFilterAcceptList()),
        .command("01 1120 07 00 518441dd3ad8", LEAddDeviceToFilterAcceptList(addressType: .public, address: peer)),
        .command(
            "01 1220 07 01 b573d26e4df7", LERemoveDeviceFromFilterAcceptList(addressType: .random, address: identity)),
        .command(
            "01 2720 27 00 b573d26e4df7 4865652d4861772142522d3534394a53 cfb402ea35ad5557569016545b4d3973",
            LEAddDeviceToResolvingList(
                peerIdentityAddressType: .public, peerIdentityAddress: identity,
                peerIdentityResolvingKey: .of("4865652d4861772142522d3534394a53"),
                localIdentityResolvingKey: .of("cfb402ea35ad5557569016545b4d3973"))),
        .command(
            "01 2820 07 01 b573d26e4df7",
            LERemoveDeviceFromResolvingList(peerIdentityAddressType: .random, peerIdentityAddress: identity)),
        .command("01 2920 00", LEClearResolvingList()),
        .command("01 2a20 00", LEReadResolvingListSize()),
        .returned(
            LEReadResolvingListSize.self, "04 0e 05 01 2a20 00 0a",
            LEReadResolvingListSize.Returned(resolvingListSize: 10)),
        .command("01 2d20 01 01", LESetAddressResolutionEnable(addressResolutionEnable: 1)),
        .command(
            "01 2e20 02 0f00", LESetResolvablePrivateAddressTimeout(resolvablePrivateAddressTimeout: Ticks(15))),
        .command(
            "01 4e20 08 00 b573d26e4df7 01",
            LESetPrivacyMode(peerIdentityAddressType: .public, peerIdentityAddress: identity, privacyMode: .device)),
    ]
}
