// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Radio
import Testing

@Suite struct EffectiveAdvertisementTests {
    private static let address = BluetoothAddress(octets: [0xC0, 0xFF, 0xEE, 0, 0, 1]) ?? .zero
    private static let requested = Advertisement(
        pdu: .scannable, advertisingData: [.flags(.beacon)], scanResponse: [.localName("N", isComplete: true)],
        interval: AdvertisingInterval(160), transmitPower: TransmitPower(0), address: address)
    private static let exact = EffectiveAdvertisement(as: requested)

    private static let changes: [(AdvertisingField, @Sendable (inout EffectiveAdvertisement) -> Void)] = [
        (.pdu, { $0.pdu = .known(.nonConnectable) }), (.advertisingData, { $0.advertisingData = .known([2, 1, 4]) }),
        (.scanResponse, { $0.scanResponse = .known([]) }),
        (.interval, { $0.interval = .known(AdvertisingInterval(160)...AdvertisingInterval(161)) }),
        (.transmitPower, { $0.transmitPower = .known(TransmitPower(1)) }), (.address, { $0.address = .known(.zero) }),
    ]

    @Test func requestedFieldsAreKnown() {
        #expect(Self.exact.pdu == .known(.scannable))
        #expect(Self.exact.advertisingData == .known([2, 1, 6]) && Self.exact.scanResponse == .known([2, 9, 0x4E]))
        #expect(Self.exact.interval == .known(AdvertisingInterval(160)...AdvertisingInterval(160)))
        #expect(Self.exact.transmitPower == .known(TransmitPower(0)) && Self.exact.address == .known(Self.address))
        var open = Self.requested
        open.address = nil
        #expect(EffectiveAdvertisement(as: open).address == .unknown("it was not requested"))
    }

    @Test func exactAndUnknownFieldsDoNotDiffer() {
        #expect(Self.exact.differences(from: Self.requested).isEmpty)
        #expect(EffectiveAdvertisement(unknown: "reason").differences(from: Self.requested).isEmpty)
    }

    @Test(arguments: changes.indices)
    func eachFieldCanDiffer(_ index: Int) {
        let (field, change) = Self.changes[index]
        var effective = Self.exact
        change(&effective)
        #expect(effective.differences(from: Self.requested) == [field])
    }

    @Test func unrequestedFieldsDoNotDiffer() {
        var open = Self.requested
        open.transmitPower = nil
        open.address = nil
        var effective = Self.exact
        effective.transmitPower = .known(TransmitPower(9))
        effective.address = .known(.zero)
        #expect(effective.differences(from: open).isEmpty)
    }

    @Test func eachFieldIsTested() {
        #expect(Self.changes.map(\.0) == AdvertisingField.allCases)
    }
}
