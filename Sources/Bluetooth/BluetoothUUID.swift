// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A UUID of a service, characteristic or descriptor: 16, 32 or 128 bits.
///
/// Core 5.4, Vol 3, Part B, 2.5.1. UUIDs of different widths are equal if they expand to the same 128 bits.
public enum BluetoothUUID: Sendable {
    /// Two bytes, assigned by the Bluetooth SIG.
    case bit16(UInt16)
    /// Four bytes, assigned by the Bluetooth SIG.
    case bit32(UInt32)
    /// 16 bytes, defined by anyone.
    case bit128(UUID128)

    /// Parses four or eight hexadecimal digits, or the long form; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        if let uuid = UUID128(text) {
            self = .bit128(uuid)
        } else if text.utf8.count == 4, text.allSatisfy(\.isHexDigit), let short = UInt16(text, radix: 16) {
            self = .bit16(short)
        } else if text.utf8.count == 8, text.allSatisfy(\.isHexDigit), let short = UInt32(text, radix: 16) {
            self = .bit32(short)
        } else {
            return nil
        }
    }

    /// The same UUID in 128 bits: `xxxxxxxx-0000-1000-8000-00805F9B34FB` for a shorter one.
    public var expanded: UUID128 {
        let prefix: UInt32
        switch self {
        case .bit16(let value): prefix = UInt32(value)
        case .bit32(let value): prefix = value
        case .bit128(let uuid): return uuid
        }
        return UUID128(high: UInt64(prefix) << 32 | 0x1000, low: 0x8000_0080_5F9B_34FB)
    }

    /// The shortest form of the same UUID.
    public var abbreviated: BluetoothUUID {
        let expanded = expanded
        let prefix = UInt32(expanded.high >> 32)
        guard BluetoothUUID.bit32(prefix).expanded == expanded else { return .bit128(expanded) }
        return UInt16(exactly: prefix).map { .bit16($0) } ?? .bit32(prefix)
    }
}

extension BluetoothUUID: Hashable {
    public static func == (left: BluetoothUUID, right: BluetoothUUID) -> Bool {
        left.expanded == right.expanded
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(expanded)
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// Upper case: four or eight digits, or the long form.
    public var description: String {
        switch self {
        case .bit16(let value): Hexadecimal.string([UInt8(value >> 8), UInt8(value & 0xFF)]).uppercased()
        case .bit32(let value):
            Hexadecimal.string([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }).uppercased()
        case .bit128(let uuid): uuid.description
        }
    }
}

extension BluetoothUUID: ExpressibleByStringLiteral {
    /// The UUID of a literal in the source: `let service: BluetoothUUID = "2173E519-9155-4862-AB64-7953AB146156"`. The program stops at
    /// a literal that is none; for texts from elsewhere there is `init?(_:)`, as in `BluetoothUUID(text)`.
    public init(stringLiteral text: String) {
        guard let uuid = BluetoothUUID(text) else {
            preconditionFailure("\"\(text)\" is not a UUID of 4, 8 or 32 hexadecimal digits")
        }
        self = uuid
    }
}

/// A UUID of 128 bits, in text order: the first byte is printed first.
///
/// Beacon formats use this order. Fields of Bluetooth itself use the reverse order (Core 5.4, Vol 3, Part B, 2.5.1), and so
/// do `serialize(into:)` and `init(parsing:)`.
public struct UUID128: Hashable, Sendable {
    /// The first eight bytes of the text, as a number.
    package let high: UInt64
    /// The last eight bytes.
    package let low: UInt64

    /// The 16 bytes in text order.
    public var octets: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A UUID of exactly 16 bytes in text order; `nil` for any other count.
    public init?(octets: some Collection<UInt8>) {
        guard octets.count == 16 else { return nil }
        var halves = (high: UInt64.zero, low: UInt64.zero)
        // Two steps for all 16 bytes: this function is not specialised for collections of other modules, so each byte is a call.
        for octet in octets {
            halves.high = halves.high << 8 | halves.low >> 56
            halves.low = halves.low << 8 | UInt64(octet)
        }
        (high, low) = halves
    }

    /// The next 16 bytes, in text order.
    package init(parsingText reader: inout ByteReader) throws(WireError) {
        var bytes = try reader.reader(count: 16)
        high = try bytes.readBigEndian()
        low = try bytes.readBigEndian()
    }

    /// Parses `8-4-4-4-12` hexadecimal digits of either case, or 32 without hyphens; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        guard groups == [8, 4, 4, 4, 12] || groups == [32] else { return nil }
        guard text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit || $0 == UInt8(ascii: "-") }) else {
            return nil
        }
        guard let octets = try? Hexadecimal.bytes(text.split(separator: "-").joined()) else { return nil }
        self.init(octets: octets)
    }
}

extension UUID128: ExpressibleByStringLiteral {
    /// The UUID of a literal in the source. The program stops at a literal that is none; for texts from elsewhere there is `init?(_:)`.
    public init(stringLiteral text: String) {
        guard let uuid = UUID128(text) else {
            preconditionFailure("\"\(text)\" is not a UUID of 32 hexadecimal digits")
        }
        self = uuid
    }
}

extension UUID128: CustomStringConvertible {
    /// Upper case, with hyphens.
    public var description: String { Hexadecimal.grouped(octets, by: "-", before: [4, 6, 8, 10]) }
}

extension UUID128: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        var bytes = try reader.reader(count: 16)
        low = try bytes.readLittleEndian()
        high = try bytes.readLittleEndian()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(low)
        writer.writeLittleEndian(high)
    }
}
