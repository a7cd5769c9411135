// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// L2CAP_CONNECTION_PARAMETER_UPDATE_REQ (Core 5.4, Vol 3, Part A, 4.20).
package struct ConnectionParameterUpdateRequest: SignallingMessage {
    package static let code: UInt8 = 0x12
    /// The shortest connection interval wanted, in steps of 1.25 ms: 6 to 3,200.
    package let minimumInterval: Ticks<1250>
    /// The longest connection interval wanted, in steps of 1.25 ms: 6 to 3,200.
    package let maximumInterval: Ticks<1250>
    /// The connection events that the peripheral may leave out: 0 to 499.
    package let latency: UInt16
    /// The supervision timeout, in steps of 10 ms: 10 to 3,200.
    package let timeout: Ticks<10000>

    /// A request for these parameters; each of at most 16 bits.
    package init(minimumInterval: Ticks<1250>, maximumInterval: Ticks<1250>, latency: UInt16, timeout: Ticks<10000>) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.timeout = timeout
    }

    /// Whether a link can have them: each in its range, and the timeout longer than two of the longest silences
    /// (Core 5.4, Vol 4, Part E, 7.8.18).
    package var isPossible: Bool {
        let intervals = UInt32(6)...3200
        let longestSilence = maximumInterval.duration * (1 + Int(latency))
        return intervals.contains(minimumInterval.count) && intervals.contains(maximumInterval.count)
            && minimumInterval <= maximumInterval && latency <= 499 && 10...3200 ~= timeout.count
            && timeout.duration > longestSilence * 2
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        minimumInterval = Ticks(UInt32(try reader.readLittleEndian(UInt16.self)))
        maximumInterval = Ticks(UInt32(try reader.readLittleEndian(UInt16.self)))
        latency = try reader.readLittleEndian()
        timeout = Ticks(UInt32(try reader.readLittleEndian(UInt16.self)))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: minimumInterval.count))
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: maximumInterval.count))
        writer.writeLittleEndian(latency)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: timeout.count))
    }
}

/// L2CAP_CONNECTION_PARAMETER_UPDATE_RSP (Core 5.4, Vol 3, Part A, 4.21).
package struct ConnectionParameterUpdateResponse: SignallingMessage {
    package static let code: UInt8 = 0x13
    /// 0x0000 accepted, 0x0001 rejected.
    package let result: UInt16

    /// The central will try.
    package static let accepted = ConnectionParameterUpdateResponse(result: 0x0000)
    /// The central will not.
    package static let rejected = ConnectionParameterUpdateResponse(result: 0x0001)

    /// A response of this result.
    package init(result: UInt16) { self.result = result }

    package init(parsing reader: inout ByteReader) throws(WireError) { result = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(result) }
}
