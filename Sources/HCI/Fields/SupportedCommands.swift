// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// Which commands a controller has: 64 octets, a bit each (Core 5.4, Vol 4, Part E, 6.27).
package struct SupportedCommands: WireCodable, Hashable {
    /// The bits, 64 octets.
    package private(set) var octets: [UInt8]

    /// No command.
    package init() { octets = [UInt8](repeating: 0, count: 64) }

    /// These commands; those whose bit is not known here are left out.
    package init(_ opcodes: some Sequence<HCIOpcode>) {
        self.init()
        for opcode in opcodes {
            guard let place = Self.places[opcode.rawValue] else { continue }
            octets[place.octet] |= 1 << place.bit
        }
    }

    /// Whether the controller has a command; `nil` when the command's bit is not known here.
    package func contains(_ opcode: HCIOpcode) -> Bool? {
        guard let place = Self.places[opcode.rawValue] else { return nil }
        return octets[place.octet] >> place.bit & 1 == 1
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        octets = Array(try reader.read(count: 64))
    }

    package func serialize(into writer: inout ByteWriter) { writer.write(octets) }

    /// Where the bit of a command is, for the commands of this module.
    private static let places: [UInt16: (octet: Int, bit: Int)] = [
        0x0406: (0, 5), 0x041D: (2, 7),
        0x0C01: (5, 6), 0x0C03: (5, 7), 0x0C13: (7, 0), 0x0C14: (7, 1), 0x0C2D: (10, 2), 0x0C31: (10, 5),
        0x0C33: (10, 6), 0x0C35: (10, 7), 0x0C63: (22, 2), 0x0C6C: (24, 5), 0x0C6D: (24, 6), 0x0C7B: (32, 4),
        0x0C7C: (32, 5),
        0x1001: (14, 3), 0x1002: (14, 4), 0x1003: (14, 5), 0x1004: (14, 6), 0x1005: (14, 7), 0x1009: (15, 1),
        0x1405: (15, 5),
        0x2001: (25, 0), 0x2002: (25, 1), 0x2003: (25, 2), 0x2005: (25, 4), 0x2006: (25, 5), 0x2007: (25, 6),
        0x2008: (25, 7), 0x2009: (26, 0), 0x200A: (26, 1), 0x200B: (26, 2), 0x200C: (26, 3), 0x200D: (26, 4),
        0x200E: (26, 5), 0x200F: (26, 6), 0x2010: (26, 7), 0x2011: (27, 0), 0x2012: (27, 1), 0x2013: (27, 2),
        0x2014: (27, 3), 0x2015: (27, 4), 0x2016: (27, 5), 0x2017: (27, 6), 0x2018: (27, 7), 0x2019: (28, 0),
        0x201A: (28, 1), 0x201B: (28, 2), 0x201C: (28, 3), 0x201D: (28, 4), 0x201E: (28, 5), 0x201F: (28, 6),
        0x2020: (33, 4), 0x2021: (33, 5), 0x2022: (33, 6),
        0x2023: (33, 7), 0x2024: (34, 0), 0x2025: (34, 1), 0x2026: (34, 2), 0x2027: (34, 3), 0x2028: (34, 4),
        0x2029: (34, 5), 0x202A: (34, 6), 0x202D: (35, 1), 0x202E: (35, 2), 0x202F: (35, 3), 0x2030: (35, 4),
        0x2031: (35, 5), 0x2032: (35, 6), 0x2033: (35, 7), 0x2034: (36, 0), 0x2035: (36, 1), 0x2036: (36, 2),
        0x2037: (36, 3), 0x2038: (36, 4),
        0x2039: (36, 5), 0x203A: (36, 6), 0x203B: (36, 7), 0x203C: (37, 0), 0x203D: (37, 1), 0x2041: (37, 5),
        0x2042: (37, 6), 0x2043: (37, 7), 0x204B: (38, 7), 0x204E: (39, 2), 0x205E: (41, 2), 0x2060: (41, 5),
    ]
}
