// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// A scan interval or window, in steps of 0.625 ms (Core 5.4, Vol 4, Part E, 7.8.10).
package typealias ScanTime = Ticks<625>

/// The time between connection events, in steps of 1.25 ms: 6 to 3,200 (Core 5.4, Vol 4, Part E, 7.8.12).
package typealias ConnectionInterval = Ticks<1250>

/// How long a connection event may take, in steps of 0.625 ms; a hint (Core 5.4, Vol 4, Part E, 7.8.12).
package typealias ConnectionEventLength = Ticks<625>

/// How long a silent connection lives, in steps of 10 ms: 10 to 3,200 (Core 5.4, Vol 4, Part E, 7.8.12).
package typealias SupervisionTimeout = Ticks<10_000>

/// The time between periodic advertising events, in steps of 1.25 ms; 0 for none (Core 5.4, Vol 4, Part E, 7.7.65.13).
package typealias PeriodicAdvertisingInterval = Ticks<1250>

/// A time counted in microseconds, such as that of a packet (Core 5.4, Vol 4, Part E, 7.8.33).
package typealias Microseconds = Ticks<1>

extension ByteReader {
    /// A time of two octets.
    mutating func readTicks<let microsecondsEach: Int>() throws(WireError) -> Ticks<microsecondsEach> {
        Ticks(UInt32(try readLittleEndian(UInt16.self)))
    }

    /// A time of three octets.
    mutating func readLongTicks<let microsecondsEach: Int>() throws(WireError) -> Ticks<microsecondsEach> {
        let octets = try read(count: 3)
        return Ticks(octets.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
}

extension ByteWriter {
    /// A time in two octets: its lower 16 bits.
    mutating func writeTicks<let microsecondsEach: Int>(_ time: Ticks<microsecondsEach>) {
        writeLittleEndian(UInt16(truncatingIfNeeded: time.count))
    }

    /// A time in three octets: its lower 24 bits.
    mutating func writeLongTicks<let microsecondsEach: Int>(_ time: Ticks<microsecondsEach>) {
        writeLittleEndian(UInt16(truncatingIfNeeded: time.count))
        write(UInt8(truncatingIfNeeded: time.count >> 16))
    }
}
