// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A controller's number for a connection (Core 5.4, Vol 4, Part E, 5.3.1): 0x0000 to 0x0EFF.
///
/// A handle has 12 bits; the upper four are reserved, and are preserved in commands and events.
package struct ConnectionHandle: WireCodable, Hashable, Comparable {
    /// The number.
    package let rawValue: UInt16
    /// Any number, in use or not.
    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The valid handles.
    package static let range = ConnectionHandle(0)...ConnectionHandle(0x0EFF)

    package init(parsing reader: inout ByteReader) throws(WireError) { rawValue = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(rawValue) }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A device's role in a connection (Core 5.4, Vol 4, Part E, 7.7.65.1).
package struct ConnectionRole: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The device that initiated the connection.
    package static let central = ConnectionRole(rawValue: 0)
    /// The device that advertised.
    package static let peripheral = ConnectionRole(rawValue: 1)
}

/// The central's clock accuracy (Core 5.4, Vol 4, Part E, 7.7.65.1): maximum deviation in parts per million,
/// 500, 250, 150, 100, 75, 50, 30 and 20 in the order of the codes from 0.
package struct ClockAccuracy: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 500 parts per million.
    package static let parts500 = ClockAccuracy(rawValue: 0)
    /// 250 parts per million.
    package static let parts250 = ClockAccuracy(rawValue: 1)
    /// 50 parts per million.
    package static let parts50 = ClockAccuracy(rawValue: 5)
}

/// The channel selection algorithm of a connection (Core 5.4, Vol 4, Part E, 7.7.65.20).
package struct ChannelSelectionAlgorithm: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The algorithm of Core 4.
    package static let algorithm1 = ChannelSelectionAlgorithm(rawValue: 0)
    /// The algorithm of Core 5.
    package static let algorithm2 = ChannelSelectionAlgorithm(rawValue: 1)
}

/// The addresses that a peer in the resolving list may use (Core 5.4, Vol 4, Part E, 7.8.77).
package struct PrivacyMode: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Only resolvable private addresses.
    package static let network = PrivacyMode(rawValue: 0)
    /// The identity address too.
    package static let device = PrivacyMode(rawValue: 1)
}

/// A version of the Core specification, for HCI, link layer and link manager (Assigned Numbers, 2.1). Each code is the next
/// number.
package struct CoreVersion: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Core 4.0, the first with LE.
    package static let core40 = CoreVersion(rawValue: 6)
    /// Core 4.2.
    package static let core42 = CoreVersion(rawValue: 8)
    /// Core 5.0.
    package static let core50 = CoreVersion(rawValue: 9)
    /// Core 5.3.
    package static let core53 = CoreVersion(rawValue: 12)
    /// Core 5.4.
    package static let core54 = CoreVersion(rawValue: 13)
}

/// The number of completed data packets of a connection.
package struct CompletedPackets: WireCodable, Hashable {
    /// The connection.
    package let connectionHandle: ConnectionHandle
    /// The number of packets.
    package let count: UInt16

    /// The number of completed packets of a connection.
    package init(connectionHandle: ConnectionHandle, count: UInt16) {
        self.connectionHandle = connectionHandle
        self.count = count
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        connectionHandle = try ConnectionHandle(parsing: &reader)
        count = try reader.readLittleEndian()
    }

    package func serialize(into writer: inout ByteWriter) {
        connectionHandle.serialize(into: &writer)
        writer.writeLittleEndian(count)
    }
}

/// A PHY (Core 5.4, Vol 4, Part E, 7.8.47).
package struct PHY: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// In reports: no packet was received on a secondary channel.
    package static let none = PHY(rawValue: 0)
    /// LE 1M.
    package static let oneMegabit = PHY(rawValue: 1)
    /// LE 2M.
    package static let twoMegabit = PHY(rawValue: 2)
    /// LE Coded.
    package static let coded = PHY(rawValue: 3)
}

/// Several PHYs, one bit each (Core 5.4, Vol 4, Part E, 7.8.48).
package struct PHYSet: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE 1M.
    package static let oneMegabit = PHYSet(rawValue: 1 << 0)
    /// LE 2M.
    package static let twoMegabit = PHYSet(rawValue: 1 << 1)
    /// LE Coded.
    package static let coded = PHYSet(rawValue: 1 << 2)
}

/// Directions in which the host has no preference (Core 5.4, Vol 4, Part E, 7.8.48).
package struct PHYIndifference: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Any PHY to send on.
    package static let transmit = PHYIndifference(rawValue: 1 << 0)
    /// Any PHY to receive on.
    package static let receive = PHYIndifference(rawValue: 1 << 1)
}
