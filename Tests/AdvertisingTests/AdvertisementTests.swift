// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Testing

@Suite struct AdvertisementTests {
    private static let octets31: AdvertisingData = [.unknown(type: 0x30, data: [UInt8](repeating: 1, count: 29))]
    private static let octets32: AdvertisingData = [.unknown(type: 0x30, data: [UInt8](repeating: 1, count: 30))]

    @Test(arguments: AdvertisingPDU.allCases)
    func fullDataHasNoProblem(_ pdu: AdvertisingPDU) {
        for count: UInt32 in [32, 16384] {
            let advertisement = Advertisement(
                pdu: pdu, advertisingData: Self.octets31, scanResponse: pdu.isScannable ? Self.octets31 : [],
                interval: AdvertisingInterval(count))
            #expect(advertisement.problems.isEmpty)
        }
    }

    @Test func everyProblemIsReported() {
        let interval = AdvertisingInterval(31)
        let advertisement = Advertisement(
            pdu: .nonConnectable, advertisingData: Self.octets32, scanResponse: Self.octets32, interval: interval)
        #expect(
            advertisement.problems == [
                .advertisingDataTooLong(32), .scanResponseTooLong(32), .scanResponseNeedsScannablePDU,
                .intervalOutOfRange(interval),
            ])
    }

    @Test(arguments: [0, 31, 16385, 65535, UInt32.max])
    func impossibleIntervalIsAProblem(_ count: UInt32) {
        let interval = AdvertisingInterval(count)
        let advertisement = Advertisement(pdu: .connectableScannable, advertisingData: [], interval: interval)
        #expect(advertisement.problems == [.intervalOutOfRange(interval)])
    }

    @Test(arguments: [
        (AdvertisingPDU.connectableScannable, "ADV_IND", true, true),
        (.scannable, "ADV_SCAN_IND", false, true), (.nonConnectable, "ADV_NONCONN_IND", false, false),
    ])
    func typesMatchTheSpecification(_ pdu: AdvertisingPDU, name: String, isConnectable: Bool, isScannable: Bool) {
        #expect(pdu.rawValue == name)
        #expect(pdu.isConnectable == isConnectable)
        #expect(pdu.isScannable == isScannable)
    }
}
