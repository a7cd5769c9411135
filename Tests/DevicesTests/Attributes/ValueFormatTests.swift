// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Devices
import TestSupport
import Testing

@Suite struct ValueFormatTests {
    private static func integer(
        _ size: Int, _ isSigned: Bool, _ order: ByteOrder = .littleEndian, scale: Double = 1
    ) -> ValueFormat {
        .integer(IntegerFormat(size: size, isSigned: isSigned, order: order, scale: scale))
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let format: ValueFormat
        let text: String
        let octets: String
        /// The text that comes back, when it is another one.
        var canonical: String?
        var testDescription: String { "\(text) = \(octets)" }
    }

    static let rows = [
        Row(format: .octets, text: "0a1B", octets: "0a1b", canonical: "0a1b"),
        Row(format: .octets, text: "", octets: ""),
        Row(format: .text, text: "Grüße", octets: "4772c3bcc39f65"),
        Row(format: .boolean, text: "true", octets: "01"),
        Row(format: .boolean, text: "0", octets: "00", canonical: "false"),
        Row(format: integer(1, false), text: "255", octets: "ff"),
        Row(format: integer(1, true), text: "-128", octets: "80"),
        Row(format: integer(2, false), text: "0x1234", octets: "3412", canonical: "4660"),
        Row(format: integer(2, false, .bigEndian), text: "258", octets: "0102"),
        Row(format: integer(3, true), text: "-2", octets: "feffff"),
        Row(format: integer(3, false), text: "16777215", octets: "ffffff"),
        Row(format: integer(6, false), text: "1", octets: "010000000000"),
        Row(format: integer(8, false), text: "18446744073709551615", octets: "ffffffffffffffff"),
        Row(format: integer(8, true), text: "-9223372036854775808", octets: "0000000000000080"),
        Row(format: integer(8, true, .bigEndian), text: "-2", octets: "fffffffffffffffe"),
        // The temperature characteristic 0x2A6E counts hundredths of a degree.
        Row(format: integer(2, true, scale: 0.01), text: "-12.34", octets: "2efb"),
        Row(format: .float32(.littleEndian), text: "1.5", octets: "0000c03f"),
        Row(format: .float64(.bigEndian), text: "-2.0", octets: "c000000000000000"),
        // IEEE 11073-20601: SFLOAT of 72 beats is 0x0048, and 114 with a tenth is 0xF474.
        Row(format: .medical(.short, decimals: nil), text: "72", octets: "4800", canonical: "72.0"),
        Row(format: .medical(.short, decimals: nil), text: "114.0", octets: "7200"),
        Row(format: .medical(.short, decimals: 1), text: "114.0", octets: "74f4"),
        Row(format: .medical(.short, decimals: nil), text: "-0.5", octets: "fbff"),
        Row(format: .medical(.short, decimals: nil), text: "nan", octets: "ff07"),
        Row(format: .medical(.short, decimals: nil), text: "123000", octets: "ce24", canonical: "123000.0"),
        // A body temperature of 36.4 degrees, as the Health Thermometer Service has it.
        Row(format: .medical(.long, decimals: nil), text: "36.4", octets: "6c0100ff"),
        Row(format: .medical(.long, decimals: 2), text: "36.4", octets: "380e00fe"),
        Row(format: .medical(.long, decimals: nil), text: "nan", octets: "ffff7f00"),
    ]

    @Test(arguments: rows)
    func textIsWrittenAndReadAgain(_ row: Row) throws {
        let octets = try row.format.octets(ofText: row.text)
        #expect(Hexadecimal.string(octets) == row.octets)
        let text = row.format.text(of: octets)
        #expect(text == row.canonical ?? row.text)
        #expect(try row.format.octets(ofText: text) == octets)
        #expect(row.format.size.map { $0 == octets.count } ?? true)
    }

    @Test(
        arguments: [
            (.octets, "0a1", "\"0a1\" has 3 hexadecimal digits; write two for each byte, such as 0a1b"),
            (.octets, String(repeating: "00", count: 513), "513 bytes are more than the 512 that a value can have"),
            (.boolean, "yes", "\"yes\" is not one of true, false"),
            (integer(1, false), "256", "\"256\" is not a whole number from 0 to 255"),
            (integer(1, true), "-129", "\"-129\" is not a whole number from -128 to 127"),
            (
                integer(8, false), "18446744073709551616",
                "\"18446744073709551616\" is not a whole number from 0 to 18446744073709551615"
            ),
            (integer(2, false), "1.5", "\"1.5\" is not a whole number from 0 to 65535"),
            (integer(2, false), "", "\"\" is not a whole number from 0 to 65535"),
            (integer(1, false, scale: 0.5), "128", "\"128\" is not a number from 0 to 127.5"),
            (.float32(.littleEndian), "0x10", "\"0x10\" is not a number; write 36.6 or nan"),
            (.medical(.long, decimals: nil), "warm", "\"warm\" is not a number; write 36.6 or nan"),
        ] as [(ValueFormat, String, String)])
    func whatIsNoValueIsRefused(_ format: ValueFormat, _ text: String, _ message: String) {
        let fault = #expect(throws: ValueFormatFault.self) { try format.octets(ofText: text) }
        #expect(fault?.message == message)
    }

    /// A quantity beyond what a format holds is written as the nearest that it does hold.
    @Test(
        arguments: [
            (integer(1, false), 300, "ff"), (integer(1, false), -1, "00"), (integer(1, false), 1.5, "02"),
            (integer(2, true), -1e300, "0080"), (integer(8, false), .infinity, "ffffffffffffffff"),
            (integer(8, true), 1e19, "ffffffffffffff7f"), (integer(4, false), .nan, "00000000"),
            (integer(1, false, scale: -1), -7, "07"), (.boolean, 0.2, "01"), (.boolean, 0, "00"),
            (.medical(.short, decimals: nil), 1e300, "fe07"), (.medical(.short, decimals: nil), -.infinity, "0208"),
            (.medical(.long, decimals: nil), 1e300, "feff7f00"), (.medical(.short, decimals: nil), 1e-300, "0080"),
            (.octets, 5, ""),
        ] as [(ValueFormat, Double, String)])
    func numbersAreClamped(_ format: ValueFormat, _ number: Double, _ octets: String) {
        #expect(Hexadecimal.string(format.octets(of: number)) == octets)
    }

    /// Every pair of octets is a number of SFLOAT, and numbers come back as they were.
    @Test func everyShortMedicalNumberIsRead() throws {
        for bits in UInt16.min...UInt16.max {
            let octets = [UInt8(bits & 0xFF), UInt8(bits >> 8)]
            let number = try #require(MedicalFloat.short.number(of: octets))
            guard number.isFinite else { continue }
            let copy = MedicalFloat.short.number(of: MedicalFloat.short.octets(of: number))
            #expect(copy == number, "\(number) of \(octets)")
        }
        #expect(MedicalFloat.short.number(of: [1]) == nil)
        #expect(MedicalFloat.short.number(of: [0x02, 0x08]) == -.infinity)
        #expect(MedicalFloat.long.number(of: [0, 0, 0x80, 0])?.isNaN == true)
    }

    @Test func anyOctetsHaveAText() {
        var generator = SplitMix64(seed: 7)
        for row in Self.rows {
            for count in 0...10 {
                let octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let text = row.format.text(of: octets)
                guard octets.count == row.format.size, let number = row.format.number(of: octets) else { continue }
                #expect(!text.isEmpty)
                if number.isFinite, let bounds = row.format.bounds { #expect(bounds.contains(number)) }
            }
        }
    }
}
