// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import TestSupport
import Testing

/// Events with one report are read without a list, and give the same.
@Suite struct SingleReportTests {
    private static let address = BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero

    @Test(arguments: [0, 1, 31])
    func legacyReportIsThatOfTheList(length: Int) throws {
        let report = LEAdvertisingReport.Report(
            eventType: .scanResponse, addressType: .random, address: Self.address,
            data: (0..<length).map { UInt8($0) }, rssi: RSSI(-77))
        let bytes = LEAdvertisingReport(reports: [report]).serialized()
        #expect(LEAdvertisingReport.Report(only: bytes) == report)
        // Later versions may add bytes.
        #expect(LEAdvertisingReport.Report(only: bytes + [1]) == report)
        for count in 0..<bytes.count { #expect(LEAdvertisingReport.Report(only: Array(bytes[..<count])) == nil) }
        #expect(LEAdvertisingReport.Report(only: LEAdvertisingReport(reports: [report, report]).serialized()) == nil)
        #expect(LEExtendedAdvertisingReport.Report(only: bytes) == nil)
    }

    @Test(arguments: [0, 1, 229])
    func extendedReportIsThatOfTheList(length: Int) throws {
        let report = LEExtendedAdvertisingReport.Report(
            eventType: [.connectable, .legacy, .truncated], addressType: .publicIdentity, address: Self.address,
            primaryPHY: .coded, secondaryPHY: .twoMegabit, advertisingSetIdentifier: 9,
            transmitPower: TransmitPower(-12), rssi: RSSI(-99),
            periodicAdvertisingInterval: PeriodicAdvertisingInterval(0x1234), directAddressType: .random,
            directAddress: BluetoothAddress("01:02:03:04:05:06") ?? .zero, data: (0..<length).map { UInt8($0) })
        let bytes = LEExtendedAdvertisingReport(reports: [report]).serialized()
        #expect(LEExtendedAdvertisingReport.Report(only: bytes) == report)
        #expect(LEExtendedAdvertisingReport.Report(only: bytes + [1]) == report)
        for count in 0..<bytes.count {
            #expect(LEExtendedAdvertisingReport.Report(only: Array(bytes[..<count])) == nil)
        }
        let several = LEExtendedAdvertisingReport(reports: [report, report]).serialized()
        #expect(LEExtendedAdvertisingReport.Report(only: several) == nil)
        #expect(LEAdvertisingReport.Report(only: bytes) == nil)
    }
}
