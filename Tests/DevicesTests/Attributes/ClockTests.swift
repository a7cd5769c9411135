// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import Testing

@Suite struct ClockTests {
    private static func field(_ form: ClockForm) -> ValueField {
        ValueField(format: .integer(IntegerFormat(size: 4, isSigned: false)), source: .clock(form))
    }

    @Test(
        arguments: [
            // Of a Thursday: the first second, and 1970-01-02.
            (0, "b207010100000004" + "0000", "00000000"), (86_400, "b2070102000000050000", "80510100"),
            // 2000-02-29 23:59:59, a Tuesday in a leap year that a century without one would not have.
            (951_868_799, "d007021d173b3b020000", "7f5dbc38"),
            // 2024-02-29 12:34:56, a Thursday; 2100-03-01 00:00:00, a Monday after a February of 28 days.
            (1_709_210_096, "e807021d0c2238040000", "f079e065"),
            (4_107_542_400, "3408030100000001" + "0000", "801fd4f4"),
            // 1969-12-31 23:59:59, for clocks that stand wrong.
            (-1, "b1070c1f173b3b030000", "00000000"),
        ] as [(Int, String, String)])
    func timeIsWritten(_ seconds: Int, _ current: String, _ unix: String) {
        let time = Duration.seconds(seconds)
        #expect(Hexadecimal.string(Self.field(.currentTime).octets(at: .zero, sinceUnixEpoch: time)) == current)
        #expect(
            Hexadecimal.string(Self.field(.dateTime).octets(at: .zero, sinceUnixEpoch: time))
                == String(current.prefix(14)))
        #expect(Hexadecimal.string(Self.field(.unix).octets(at: .zero, sinceUnixEpoch: time)) == unix)
        #expect(Self.field(.currentTime).size == 10)
        #expect(Self.field(.dateTime).size == 7)
        #expect(Self.field(.unix).size == 4)
    }

    @Test func itChangesWithTheSecond() {
        let change = Self.field(.unix).nextChange(after: .seconds(5), sinceUnixEpoch: .milliseconds(1_000_250))
        #expect(change == .milliseconds(5750))
        #expect(Self.field(.unix).nextChange(after: .seconds(5), sinceUnixEpoch: .seconds(3)) == .seconds(6))
    }
}
