// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A field of one byte whose values have names; unnamed values are preserved.
package protocol HCICode: WireCodable, Hashable, RawRepresentable where RawValue == UInt8 {
    /// Any value, known or not.
    init(rawValue: UInt8)
}

extension HCICode {
    package init(parsing reader: inout ByteReader) throws(WireError) { self.init(rawValue: try reader.readUInt8()) }
    package func serialize(into writer: inout ByteWriter) { writer.write(rawValue) }
}

/// A field of bits, some of which have names; unnamed bits are preserved.
package protocol HCIFlags: OptionSet, WireCodable, Hashable where RawValue: FixedWidthInteger {
    /// Any bits, known or not.
    init(rawValue: RawValue)
}

extension HCIFlags {
    package init(parsing reader: inout ByteReader) throws(WireError) {
        self.init(rawValue: try reader.readLittleEndian())
    }

    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(rawValue) }
}

/// A fixed number of bytes in wire order: numbers and keys have the least significant byte first.
package struct Octets<let count: Int>: WireCodable, Hashable {
    /// The bytes, exactly `count`.
    package let bytes: [UInt8]

    /// Exactly `count` bytes; `nil` for any other number.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == count else { return nil }
        self.bytes = Array(bytes)
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// As many bytes as fit, padded with zeros.
    package init(padding bytes: some Collection<UInt8>) {
        let octets = bytes.prefix(count)
        self.bytes = Array(octets) + [UInt8](repeating: 0, count: count - octets.count)
    }

    /// Zeros.
    package static var zero: Self { Self(unchecked: [UInt8](repeating: 0, count: count)) }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        bytes = Array(try reader.read(count: count))
    }

    package func serialize(into writer: inout ByteWriter) { writer.write(bytes) }
}

extension Octets: CustomStringConvertible {
    /// Hexadecimal digits in wire order.
    package var description: String { Hexadecimal.string(bytes) }
}

/// A scan interval or window, in steps of 0.625 ms (Core 5.4, Vol 4, Part E, 7.8.10).
package typealias ScanTime = Ticks<625>

/// The time between connection events, in steps of 1.25 ms: 6 to 3,200 (Core 5.4, Vol 4, Part E, 7.8.12).
package typealias ConnectionInterval = Ticks<1250>

/// The length of a connection event, in steps of 0.625 ms; a hint (Core 5.4, Vol 4, Part E, 7.8.12).
package typealias ConnectionEventLength = Ticks<625>

/// A supervision timeout, in steps of 10 ms: 10 to 3,200 (Core 5.4, Vol 4, Part E, 7.8.12).
package typealias SupervisionTimeout = Ticks<10_000>

/// The time between periodic advertising events, in steps of 1.25 ms; 0 for none (Core 5.4, Vol 4, Part E, 7.7.65.13).
package typealias PeriodicAdvertisingInterval = Ticks<1250>

/// A time counted in microseconds, such as the duration of a packet (Core 5.4, Vol 4, Part E, 7.8.33).
package typealias Microseconds = Ticks<1>

extension ByteReader {
    /// Reads a time of two bytes.
    mutating func readTicks<let microsecondsEach: Int>() throws(WireError) -> Ticks<microsecondsEach> {
        Ticks(UInt32(try readLittleEndian(UInt16.self)))
    }

    /// Reads a time of three bytes.
    mutating func readLongTicks<let microsecondsEach: Int>() throws(WireError) -> Ticks<microsecondsEach> {
        let octets = try read(count: 3)
        return Ticks(octets.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}

extension ByteWriter {
    /// Writes the lower 16 bits of a time.
    mutating func writeTicks<let microsecondsEach: Int>(_ time: Ticks<microsecondsEach>) {
        writeLittleEndian(UInt16(truncatingIfNeeded: time.count))
    }

    /// Writes the lower 24 bits of a time.
    mutating func writeLongTicks<let microsecondsEach: Int>(_ time: Ticks<microsecondsEach>) {
        writeLittleEndian(UInt16(truncatingIfNeeded: time.count))
        write(UInt8(truncatingIfNeeded: time.count >> 16))
    }
}

extension ByteReader {
    /// Reads `count` values.
    mutating func readList<Element: WireCodable>(count: Int) throws(WireError) -> [Element] {
        var list: [Element] = []
        for _ in 0..<count { list.append(try Element(parsing: &self)) }
        return list
    }

    /// Reads the count as a byte, then the values.
    mutating func readCountedList<Element: WireCodable>() throws(WireError) -> [Element] {
        try readList(count: Int(try readUInt8()))
    }
}

extension ByteWriter {
    /// Writes the count as a byte, then the values; those beyond 255 are left out.
    mutating func writeCountedList<Element: WireCodable>(_ list: [Element]) {
        let sent = list.prefix(255)
        write(UInt8(truncatingIfNeeded: sent.count))
        for element in sent { element.serialize(into: &self) }
    }

    /// Writes the count as a byte, then the bytes; those beyond 255 are left out.
    mutating func writeCountedOctets(_ octets: [UInt8]) {
        guard octets.count > 255 else {
            write(UInt8(truncatingIfNeeded: octets.count))
            return write(octets)
        }
        write(UInt8(255))
        write(octets[..<255])
    }
}
