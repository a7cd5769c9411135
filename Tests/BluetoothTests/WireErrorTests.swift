// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@Suite struct WireErrorTests {
    @Test(arguments: [
        (WireError(.truncated(needed: 26, available: 3), offset: 4), "byte 4: 26 more bytes expected, 3 left"),
        (WireError(.truncated(needed: 1, available: 0), offset: 9), "byte 9: 1 more byte expected, 0 left"),
        (WireError(.badLength(0), offset: 3), "byte 3: length 0 is not possible here"),
        (WireError(.badValue(field: "iBeacon type"), offset: 0), "byte 0: the value of iBeacon type is not allowed"),
        (WireError(.notHexadecimal, offset: 2), "byte 2: not two hexadecimal digits"),
        (WireError(.trailingBytes(1), offset: 30), "byte 30: 1 byte too many"),
        (WireError(.trailingBytes(2), offset: 30), "byte 30: 2 bytes too many"),
    ])
    func descriptionIsOneClause(_ error: WireError, text: String) {
        #expect(error.description == text)
    }
}
