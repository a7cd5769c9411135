// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// 128 bits in the order of their text: the first octet is the one printed first.
///
/// Beacons carry UUIDs in this order. Bluetooth's own fields carry the reverse (Core 5.4, Vol 3, Part B, 2.5.1):
/// `serialize(into:)` and `init(parsing:)` do that.
public struct UUID128: Hashable, Sendable {
    /// The 16 octets in text order.
    public let octets: [UInt8]

    /// A UUID of exactly 16 octets in text order; `nil` for any other count.
    public init?(octets: some Collection<UInt8>) {
        guard octets.count == 16 else { return nil }
        self.octets = Array(octets)
    }

    /// Reads `8-4-4-4-12` hexadecimal digits of either case, or 32 without hyphens; `nil` for anything else.
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

extension UUID128: CustomStringConvertible {
    /// Upper-case text with hyphens, as the field writes it.
    public var description: String {
        let digits = Array(Hexadecimal.string(octets).uppercased())
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }
}

extension UUID128: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        octets = try reader.read(count: 16).reversed()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(octets.reversed())
    }
}
