// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@Suite struct DecibelMilliwattsTests {
    @Test func levelsAreOrderedAndDescribed() {
        #expect(TransmitPower(-23) < TransmitPower(-6))
        #expect(TransmitPower(0) < TransmitPower(4))
        #expect(MeasuredPower(Int8.min) < MeasuredPower(Int8.max))
        #expect(TransmitPower(-6).description == "-6 dBm")
        #expect(MeasuredPower(-59).description == "-59 dBm")
        #expect(TransmitPower(0).description == "0 dBm")
        #expect(MeasuredPower(-59).decibelMilliwatts == -59)
    }
}

@Suite struct CompanyIdentifierTests {
    @Test func appleHasItsAssignedNumber() {
        #expect(CompanyIdentifier.apple.rawValue == 0x004C)
        #expect(CompanyIdentifier(0x4C00) != .apple)
    }
}
