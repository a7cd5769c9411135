// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@testable import BlueZService
@testable import DBus

private let device = RemoteAddress(BluetoothAddress("C0:FF:EE:00:00:01") ?? .zero, isRandom: true)

/// A report with these structures.
private func report(_ structures: AdvertisingStructure..., pdu: Sighting.PDU = .connectableScannable)
    -> AdvertisingReport
{
    AdvertisingReport(
        Sighting(device: device, pdu: pdu, data: AdvertisingData(structures).bytes, rssi: RSSI(-60)))
}

@Suite struct DiscoveryFilterTests {
    @Test func emptyDictionaryIsNoFilter() throws {
        #expect(try DiscoveryFilter([:]) == nil)
    }

    @Test(arguments: [
        ["RSSI": DBusValue.int16(-128)], ["RSSI": .int16(21)], ["RSSI": .string("-70")], ["Pathloss": .uint16(138)],
        ["RSSI": .int16(-70), "Pathloss": .uint16(10)], ["Transport": "usb"], ["UUIDs": .strings(["xyz"])],
        ["UUIDs": "180F"], ["DuplicateData": .byte(1)], ["Unknown": true], ["Pattern": true],
    ])
    func wrongValueIsRefused(_ values: [String: DBusValue]) {
        #expect(throws: BlueZError.invalidArguments()) { _ = try DiscoveryFilter(values) }
    }

    @Test func everyDocumentedKeyIsAccepted() throws {
        let values: [String: DBusValue] = [
            "UUIDs": .strings(["180f", "0000180a-0000-1000-8000-00805f9b34fb"]), "RSSI": .int16(-127),
            "Transport": "le", "DuplicateData": true, "Discoverable": true, "Pattern": "x", "AutoConnect": true,
        ]
        let filter = try #require(try DiscoveryFilter(values))
        #expect(filter.services == [.bit16(0x180F), .bit16(0x180A)])
        #expect(filter.hasDuplicates && filter.isDiscoverable && filter.connectsAutomatically)
        #expect(Set(values.keys).union(["Pathloss"]) == Set(DiscoveryFilter.keys))
    }

    @Test(arguments: [
        (["UUIDs": DBusValue.strings(["180f"])], true), (["UUIDs": .strings(["180a"])], false),
        (["RSSI": .int16(-60)], true), (["RSSI": .int16(-59)], false), (["Pathloss": .uint16(64)], true),
        (["Pathloss": .uint16(63)], false), (["Transport": "bredr"], false), (["Transport": "auto"], true),
        (["Pattern": "c0:ff"], true), (["Pattern": "Kit"], true), (["Pattern": "kit"], false), (["Pattern": ""], true),
    ])
    func reportMatches(_ values: [String: DBusValue], _ isMatch: Bool) throws {
        let filter = try #require(try DiscoveryFilter(values))
        let report = report(.serviceUUIDs16([0x180F], isComplete: true), .transmitPower(TransmitPower(4)))
        #expect(filter.matches(report, rssi: -60, name: "Kitchen") == isMatch)
    }

    @Test func scanResponseAndAdvertisementMatchTogether() throws {
        let filter = try #require(try DiscoveryFilter(["UUIDs": .strings(["180f"])]))
        let advertisement = report(.serviceUUIDs16([0x180F], isComplete: false))
        let response = report(.localName("Odd", isComplete: true), pdu: .scanResponse)
        #expect(!filter.matches(response, rssi: nil, name: nil))
        #expect(filter.matches(response, advertisement, rssi: nil, name: nil))
        #expect(filter.matches(advertisement, response, rssi: nil, name: nil))
    }

    @Test func reportWithoutRSSIDoesNotMatchADistance() throws {
        let filter = try #require(try DiscoveryFilter(["RSSI": .int16(-127)]))
        #expect(!filter.matches(report(), rssi: nil, name: nil))
    }
}

@Suite struct DiscoverySessionsTests {
    @Test func callerHasOneSession() throws {
        var sessions = DiscoverySessions()
        try sessions.start(":1.1")
        #expect(throws: BlueZError.busy) { try sessions.start(":1.1") }
        try sessions.start(":1.2")
        try sessions.stop(":1.1")
        #expect(sessions.isActive)
        #expect(throws: BlueZError.failed("No discovery started")) { try sessions.stop(":1.1") }
        sessions.remove(":1.2")
        #expect(!sessions.isActive)
    }

    @Test func reportIsAcceptedIfAnySessionMatches() throws {
        var sessions = DiscoverySessions()
        try sessions.setFilter(DiscoveryFilter(["UUIDs": .strings(["180a"])]), of: ":1.1")
        try sessions.start(":1.1")
        #expect(!sessions.accept(report(), rssi: -60, name: nil))
        try sessions.start(":1.2")
        #expect(sessions.accept(report(), rssi: -60, name: nil))
        try sessions.stop(":1.2")
        #expect(!sessions.accept(report(), rssi: -60, name: nil))
    }

    @Test func filterOutlastsItsSessionAndEndsWithItsCaller() throws {
        var sessions = DiscoverySessions()
        try sessions.setFilter(DiscoveryFilter(["DuplicateData": true]), of: ":1.1")
        #expect(!sessions.hasDuplicates)
        try sessions.start(":1.1")
        try sessions.stop(":1.1")
        try sessions.start(":1.1")
        #expect(sessions.hasDuplicates)
        sessions.remove(":1.1")
        try sessions.start(":1.1")
        #expect(!sessions.hasDuplicates)
    }

    @Test func eachRSSIIsSignalledWhileASessionHasAFilter() throws {
        var sessions = DiscoverySessions()
        try sessions.setFilter(DiscoveryFilter(["Transport": "le"]), of: ":1.1")
        try sessions.start(":1.2")
        #expect(sessions.rssiThreshold == 8)
        try sessions.start(":1.1")
        #expect(sessions.rssiThreshold == 0)
        try sessions.setFilter(nil, of: ":1.1")
        #expect(sessions.rssiThreshold == 8)
    }
}

@Suite struct AdvertisedStateTests {
    private let rules = AdvertisedState.Rules(rssiThreshold: 8)

    @Test func rssiIsSignalledWhenItMoved() {
        var state = AdvertisedState()
        let values: [(Int16, Bool)] = [(-60, true), (-60, false), (-67, false), (-68, true), (-61, false), (-60, true)]
        for (rssi, isSignalled) in values {
            #expect(state.merge(report(), rssi: rssi, rules).contains("RSSI") == isSignalled)
        }
        #expect(state.properties["RSSI"] == .int16(-60))
    }

    @Test func everyRSSIIsSignalledWithoutAThreshold() {
        var state = AdvertisedState()
        let rules = AdvertisedState.Rules(rssiThreshold: 0)
        #expect(state.merge(report(), rssi: -60, rules) == ["RSSI"])
        #expect(state.merge(report(), rssi: -60, rules) == ["RSSI"])
    }

    @Test func completeNameReplacesAndShortOneFills() {
        var state = AdvertisedState()
        #expect(state.merge(report(.localName("Kit", isComplete: false)), rssi: nil, rules) == ["Name", "Alias"])
        #expect(state.merge(report(.localName("Cat", isComplete: false)), rssi: nil, rules) == [])
        #expect(state.merge(report(.localName("Kitchen", isComplete: true)), rssi: nil, rules) == ["Name", "Alias"])
        #expect(state.merge(report(.localName("Kit", isComplete: false)), rssi: nil, rules) == [])
        #expect(state.name == "Kitchen")
    }

    @Test func dataOfCompaniesIsMerged() {
        var state = AdvertisedState()
        let apple = CompanyIdentifier(0x004C)
        #expect(state.merge(report(.manufacturerSpecific(apple, [1])), rssi: nil, rules) == ["ManufacturerData"])
        #expect(state.merge(report(.manufacturerSpecific(apple, [1])), rssi: nil, rules) == [])
        #expect(
            state.merge(report(.manufacturerSpecific(CompanyIdentifier(6), [2])), rssi: nil, rules)
                == ["ManufacturerData"])
        #expect(
            state.properties["ManufacturerData"]
                == .dictionary(
                    "q", "v",
                    [
                        DBusDictionaryEntry(.uint16(6), .variant(.bytes([2]))),
                        DBusDictionaryEntry(.uint16(0x4C), .variant(.bytes([1]))),
                    ]))
    }

    @Test func duplicatesAreSignalledAndReplace() {
        var state = AdvertisedState()
        let rules = AdvertisedState.Rules(hasDuplicates: true, rssiThreshold: 8)
        let first = report(.manufacturerSpecific(CompanyIdentifier(1), [1]))
        for _ in 0..<3 { #expect(state.merge(first, rssi: nil, rules) == ["ManufacturerData"]) }
        _ = state.merge(report(.manufacturerSpecific(CompanyIdentifier(2), [2])), rssi: nil, rules)
        #expect(state.properties["ManufacturerData"]?.entriesValue?.map(\.key) == [.uint16(2)])
    }

    @Test func serviceDataAddsItsServiceOnce() {
        var state = AdvertisedState()
        let eddystone = report(.serviceUUIDs16([0xFEAA], isComplete: true), .serviceData16(0xFEAA, [0x10, 0]))
        #expect(state.merge(eddystone, rssi: nil, rules) == ["UUIDs", "ServiceData"])
        #expect(state.services == [.bit16(0xFEAA)])
        #expect(
            state.properties["ServiceData"] == .variants(["0000feaa-0000-1000-8000-00805f9b34fb": .bytes([0x10, 0])]))
    }

    @Test func powerIsForgotten() {
        var state = AdvertisedState()
        _ = state.merge(report(.transmitPower(TransmitPower(-8))), rssi: -50, rules)
        #expect(state.properties["TxPower"] == .int16(-8))
        #expect(state.forgetPower() == ["RSSI", "TxPower"])
        #expect(state.forgetPower() == [])
        #expect(state.properties["RSSI"] == nil)
    }

    @Test func appearanceHasAnIcon() {
        var state = AdvertisedState()
        // 0x03C1: a keyboard (Assigned Numbers, 2.6.3).
        #expect(
            state.merge(report(.unknown(type: 0x19, data: [0xC1, 0x03])), rssi: nil, rules) == ["Appearance", "Icon"])
        #expect(state.properties["Icon"] == "input-keyboard")
    }

    @Test func flagsOfAScanResponseAreNotThoseOfTheDevice() {
        var state = AdvertisedState()
        #expect(state.merge(report(.flags(AdvertisingFlags(rawValue: 6))), rssi: nil, rules) == ["AdvertisingFlags"])
        #expect(state.merge(report(pdu: .scanResponse), rssi: nil, rules) == [])
        #expect(state.properties["AdvertisingFlags"] == .bytes([6]))
    }

    @Test func ownPropertiesAreNotRepeatedAsData() {
        let report = report(
            .flags(AdvertisingFlags(rawValue: 6)), .unknown(type: 0x26, data: [1]), .unknown(type: 0x1B, data: [2]),
            .unknown(type: 0x12, data: [6, 0, 12, 0]))
        #expect(report.otherData == [0x26: [1], 0x12: [6, 0, 12, 0]])
    }

    @Test func growthIsBounded() {
        var state = AdvertisedState()
        for number in 0..<1000 as Range<UInt16> {
            let report = report(
                .manufacturerSpecific(CompanyIdentifier(number), [1]), .serviceData16(number, [2]))
            _ = state.merge(report, rssi: nil, rules)
        }
        #expect(state.properties["ManufacturerData"]?.entriesValue?.count == 128)
        #expect(state.services.count == 128)
    }

    @Test func randomDataIsHarmless() {
        var random = SplitMix64(seed: 7)
        var state = AdvertisedState()
        for _ in 0..<5000 {
            let data = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            let sighting = Sighting(device: device, pdu: .connectableScannable, data: data, rssi: nil)
            _ = state.merge(AdvertisingReport(sighting), rssi: nil, rules)
        }
        #expect(state.properties["Name"]?.stringValue?.contains("\0") != true)
    }
}
