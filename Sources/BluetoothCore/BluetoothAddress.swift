// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A 48-bit device address.
///
/// Core 5.4, Vol 6, Part B, 1.3. On the wire the least significant byte comes first; in text it comes last.
public struct BluetoothAddress: Hashable, Sendable {
    /// The six bytes in text order, the most significant first.
    public let octets: [UInt8]

    /// `00:00:00:00:00:00`, which is no valid address.
    public static let zero = BluetoothAddress(zeros: ())

    private init(zeros: ()) { octets = [0, 0, 0, 0, 0, 0] }

    /// An address of exactly six bytes in text order; `nil` for any other count.
    public init?(octets: some Collection<UInt8>) {
        guard octets.count == 6 else { return nil }
        self.octets = Array(octets)
    }

    /// Parses `C0:FF:EE:00:00:01` in either case; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        guard groups.count == 6, groups.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
            return nil
        }
        self.init(octets: groups.compactMap { UInt8($0, radix: 16) })
    }

    /// Whether the two most significant bits are both 1, as in a static random address.
    public var isStaticRandom: Bool { octets[0] & 0xC0 == 0xC0 }
}

extension BluetoothAddress: CustomStringConvertible {
    /// Upper case, with colons.
    public var description: String {
        octets.map { Hexadecimal.string([$0]).uppercased() }.joined(separator: ":")
    }
}

extension BluetoothAddress: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        octets = try reader.read(count: 6).reversed()
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(octets.reversed())
    }
}
