// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// The handle of an attribute on its server: 1 to 65,535; 0 is invalid (Core 5.4, Vol 3, Part F, 3.2.2).
public struct AttributeHandle: Hashable, Comparable, Sendable {
    /// The number; little-endian on the wire.
    public let rawValue: UInt16

    /// A handle with any number, valid or not.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// 0x0000: no attribute.
    public static let none = AttributeHandle(0x0000)
    /// 0x0001, the lowest handle of an attribute.
    public static let first = AttributeHandle(0x0001)
    /// 0xFFFF, the highest handle of an attribute.
    public static let last = AttributeHandle(0xFFFF)

    /// The next handle; `nil` after the last one.
    public var successor: AttributeHandle? { self == .last ? nil : AttributeHandle(rawValue + 1) }

    public static func < (left: AttributeHandle, right: AttributeHandle) -> Bool { left.rawValue < right.rawValue }
}

extension ClosedRange<AttributeHandle> {
    /// All valid handles.
    public static var all: Self { .first ... .last }
}

extension AttributeHandle: CustomStringConvertible {
    /// `0x002A`
    public var description: String {
        "0x" + Hexadecimal.string([UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)]).uppercased()
    }
}

extension AttributeHandle: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt16) { self.init(value) }
}

extension AttributeHandle: WireCodable {
    public init(parsing reader: inout ByteReader) throws(WireError) {
        rawValue = try reader.readLittleEndian()
    }

    public func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(rawValue) }
}
