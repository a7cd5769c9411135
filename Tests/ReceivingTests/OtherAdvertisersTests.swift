// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Receiving
import Testing

@Suite struct OtherAdvertisersTests {
    private static let uuid = UUID128.museum

    private static func sighting(_ number: UInt8, minor: UInt16?, pdu: Sighting.PDU = .nonConnectable) -> Sighting {
        let frame = minor.map { IBeacon(uuid: uuid, major: 1, minor: $0, measuredPower: MeasuredPower(-59)) }
        let address = BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, number]) ?? .zero
        return Sighting(
            device: RemoteAddress(address, isRandom: true), pdu: pdu,
            data: frame?.advertisingData().serialized() ?? [2, 1, 6], rssi: RSSI(-60))
    }

    @Test func nothingWasReceived() {
        var others = OtherAdvertisers(beside: .anyUUID(major: nil, minor: nil))
        others.take(Self.sighting(1, minor: 7))
        #expect(others.sentence == nil)
    }

    @Test func otherBeaconsAreNamed() {
        var others = OtherAdvertisers(beside: .anyUUID(major: 9, minor: nil))
        others.take(Self.sighting(1, minor: 7))
        others.take(Self.sighting(1, minor: 7))
        #expect(others.sentence == "received instead: 1 iBeacon (\(Self.uuid) 1/7)")
        for minor in 8...12 { others.take(Self.sighting(UInt8(minor), minor: UInt16(minor))) }
        others.take(Self.sighting(20, minor: nil))
        others.take(Self.sighting(21, minor: nil, pdu: .scanResponse))
        let names = (7...9).map { "\(Self.uuid) 1/\($0)" }.joined(separator: ", ")
        #expect(others.sentence == "received instead: 6 iBeacons (\(names), …) and 1 other advertiser")
    }

    @Test func advertisersWithoutFramesAreCounted() {
        var others = OtherAdvertisers(beside: .anyUUID(major: nil, minor: nil))
        for number in [1, 2, 2] as [UInt8] { others.take(Self.sighting(number, minor: nil)) }
        #expect(others.sentence == "received instead: 2 advertisers without a beacon frame")
    }

    @Test func memoryIsBounded() {
        var others = OtherAdvertisers(beside: .anyUUID(major: 9, minor: nil))
        for minor in 0..<UInt16(3000) { others.take(Self.sighting(1, minor: minor)) }
        #expect(others.sentence?.hasPrefix("received instead: 1000 iBeacons (") == true)
    }
}
