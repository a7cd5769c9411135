// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The type codes on the wire. D-Bus Specification, "Type System", "Summary of types".
enum TypeCode: UInt8 {
    case byte = 0x79
    case boolean = 0x62
    case int16 = 0x6E
    case uint16 = 0x71
    case int32 = 0x69
    case uint32 = 0x75
    case int64 = 0x78
    case uint64 = 0x74
    case double = 0x64
    case string = 0x73
    case objectPath = 0x6F
    case signature = 0x67
    case unixFileDescriptor = 0x68
    case array = 0x61
    case variant = 0x76
    // libdbus names these two by letters that no signature contains.
    case structure = 0x72
    case dictionaryEntry = 0x65

    /// The code as the functions of libdbus take it.
    var code: Int32 { Int32(rawValue) }

    init?(code: Int32) {
        guard let byte = UInt8(exactly: code) else { return nil }
        self.init(rawValue: byte)
    }

    /// What the first character of a complete type begins.
    init?(signatureCharacter: UInt8) {
        switch signatureCharacter {
        case UInt8(ascii: "("): self = .structure
        case UInt8(ascii: "{"): self = .dictionaryEntry
        default: self.init(rawValue: signatureCharacter)
        }
    }

    /// The alignment of a value in the body, in bytes.
    var alignment: Int {
        switch self {
        case .byte, .signature, .variant: 1
        case .int16, .uint16: 2
        case .boolean, .int32, .uint32, .string, .objectPath, .unixFileDescriptor, .array: 4
        case .int64, .uint64, .double, .structure, .dictionaryEntry: 8
        }
    }
}
