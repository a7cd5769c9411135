// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@Suite struct BluetoothAddressTests {
    @Test(arguments: ["C0:FF:EE:00:00:01", "c0:ff:ee:00:00:01", "C0:ff:Ee:00:00:01"])
    func textIsParsed(_ text: String) throws {
        let address = try #require(BluetoothAddress(text))
        #expect(address.octets == [0xC0, 0xFF, 0xEE, 0, 0, 1])
        #expect(address.description == "C0:FF:EE:00:00:01")
    }

    @Test(arguments: [
        "", "C0:FF:EE:00:00", "C0:FF:EE:00:00:01:02", "C0FFEE000001", "C0-FF-EE-00-00-01", "C0:FF:EE:00:00:0",
        "C0:FF:EE:00:00:001", "C0:FF:EE:00:00:0G", "C0:FF:EE::00:01", ":C0:FF:EE:00:00:01", "C0:FF:EE:00:00:+1",
        " C0:FF:EE:00:00:01", "C0:FF:EE:00:00:01 ", "C0:FF:EE:00:00:é",
    ])
    func otherTextIsRefused(_ text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test(arguments: [0, 5, 7])
    func otherByteCountsAreRefused(_ count: Int) {
        #expect(BluetoothAddress(octets: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func wireOrderIsReversed() throws {
        let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
        let wire: [UInt8] = [1, 0, 0, 0xEE, 0xFF, 0xC0]
        #expect(address.serialized() == wire)
        #expect(try checkWire(BluetoothAddress.self, bytes: wire) == address)
        try fuzzWire(BluetoothAddress.self, samples: [wire])
    }

    @Test(arguments: [
        ("C0:00:00:00:00:00", true), ("FF:FF:FF:FF:FF:FF", true), ("BF:FF:FF:FF:FF:FF", false),
        ("7F:00:00:00:00:00", false), ("3F:00:00:00:00:C0", false), ("00:00:00:00:00:00", false),
    ])
    func staticRandomAddressesHaveBothUpperBits(_ text: String, isStaticRandom: Bool) throws {
        #expect(try #require(BluetoothAddress(text)).isStaticRandom == isStaticRandom)
    }

    @Test(arguments: [
        ("00:00:00:00:00:00", false), ("FF:FF:FF:FF:FF:FF", false), ("FF:FF:FF:FF:FF:FE", true),
        ("00:00:00:00:00:01", true),
        ("80:00:00:00:00:00", true),
    ])
    func addressOfADeviceHasDifferentBits(_ text: String, isOfDevice: Bool) throws {
        #expect(try #require(BluetoothAddress(text)).isOfDevice == isOfDevice)
    }

    @Test func zeroIsAllZeros() {
        #expect(BluetoothAddress.zero.description == "00:00:00:00:00:00")
    }
}
