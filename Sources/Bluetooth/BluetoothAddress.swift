// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A 48-bit device address.
///
/// Core 5.4, Vol 6, Part B, 1.3. On the wire the least significant byte comes first; in text it comes last.
public struct BluetoothAddress: Hashable, Sendable {
    // In two parts, so that it takes no more than its six bytes.
    private let low: UInt32
    private let high: UInt16

    /// `00:00:00:00:00:00`, which is no valid address.
    public static let zero = BluetoothAddress(bits: 0)

    /// The address as a number of 48 bits, the first byte of the text uppermost.
    package var bits: UInt64 { UInt64(high) << 32 | UInt64(low) }

    /// The address of the lower 48 bits.
    package init(bits: UInt64) {
        low = UInt32(truncatingIfNeeded: bits)
        high = UInt16(truncatingIfNeeded: bits >> 32)
    }

    /// The six bytes in text order, the most significant first.
    public var octets: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * $0)) } }

    /// An address of exactly six bytes in text order; `nil` for any other count.
    public init?(octets: some Collection<UInt8>) {
        guard octets.count == 6 else { return nil }
        self.init(bits: octets.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Parses `C0:FF:EE:00:00:01` in either case; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        guard groups.count == 6, groups.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
            return nil
        }
        self.init(octets: groups.compactMap { UInt8($0, radix: 16) })
    }

    /// Whether a device can have it: all bits 0, or all bits 1, stand for an address that is not set.
    public var isOfDevice: Bool { bits != 0 && bits != 0xFFFF_FFFF_FFFF }

    /// Whether the two most significant bits are both 1, as in a static random address.
    public var isStaticRandom: Bool { high >> 14 == 0b11 }
}

extension BluetoothAddress: CustomStringConvertible {
    /// Upper case, with colons.
    public var description: String { Hexadecimal.grouped(octets, by: ":", before: [1, 2, 3, 4, 5]) }
}

extension BluetoothAddress: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        self.init(bits: try reader.read(count: 6).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(low)
        writer.writeLittleEndian(high)
    }
}
