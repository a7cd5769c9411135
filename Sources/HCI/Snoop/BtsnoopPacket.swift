// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// An HCI packet of a btsnoop file, and when it went which way.
package struct BtsnoopPacket: Hashable, Sendable {
    /// Which way a packet goes.
    package enum Direction: Hashable, Sendable {
        case hostToController
        case controllerToHost
    }

    /// Since 1970-01-01 00:00 UTC, in whole microseconds.
    package let time: Duration
    /// Which way it went.
    package let direction: Direction
    /// Which controller: N of hciN where the file is of Linux's monitor channel, else 0.
    package let controllerIndex: UInt16
    /// The packet.
    package let packet: HCIPacket

    /// A packet with its circumstances.
    package init(time: Duration, direction: Direction, controllerIndex: UInt16 = 0, packet: HCIPacket) {
        self.time = time
        self.direction = direction
        self.controllerIndex = controllerIndex
        self.packet = packet
    }

    /// Reads a record; `nil` for what is no HCI packet, or not all of one.
    package init?(_ record: BtsnoopRecord, datalink: BtsnoopDatalink) {
        let header: (kind: HCIPacket.Kind?, direction: Direction)?
        switch datalink {
        case .plain: header = Self.plain(flags: record.flags)
        case .h4: header = (nil, record.flags & 1 == 0 ? .hostToController : .controllerToHost)
        case .monitor: header = Self.monitor(code: UInt16(truncatingIfNeeded: record.flags))
        default: header = nil
        }
        guard let header else { return nil }
        let kind = header.kind.map { [$0.rawValue] } ?? []
        guard let packet = try? HCIPacket(parsing: kind + record.data) else { return nil }
        self.init(
            time: BtsnoopTime.sinceUnixEpoch(record.timestamp), direction: header.direction,
            controllerIndex: datalink == .monitor ? UInt16(record.flags >> 16) : 0, packet: packet)
    }

    private static func plain(flags: UInt32) -> (HCIPacket.Kind?, Direction)? {
        switch flags & 3 {
        case 0: (.acl, .hostToController)
        case 1: (.acl, .controllerToHost)
        case 2: (.command, .hostToController)
        default: (.event, .controllerToHost)
        }
    }

    private static func monitor(code: UInt16) -> (HCIPacket.Kind?, Direction)? {
        switch code {
        case 2: (.command, .hostToController)
        case 3: (.event, .controllerToHost)
        case 4: (.acl, .hostToController)
        case 5: (.acl, .controllerToHost)
        case 6: (.synchronous, .hostToController)
        case 7: (.synchronous, .controllerToHost)
        case 18: (.isochronous, .hostToController)
        case 19: (.isochronous, .controllerToHost)
        default: nil
        }
    }
}

/// The clock of btsnoop files: microseconds since the year 0.
enum BtsnoopTime {
    /// 1970-01-01 00:00 UTC.
    private static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

    static func sinceUnixEpoch(_ timestamp: Int64) -> Duration { .microseconds(timestamp) - .microseconds(unixEpoch) }

    /// What is finer than a microsecond is cut off; what the clock cannot say becomes the nearest that it can.
    static func timestamp(sinceUnixEpoch time: Duration) -> Int64 {
        guard time > sinceUnixEpoch(.min) else { return .min }
        guard time < sinceUnixEpoch(.max) else { return .max }
        let (seconds, attoseconds) = (time + .microseconds(unixEpoch)).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
