// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// Makes a btsnoop file of HCI packets with their H4 octet, which btmon and Wireshark read.
///
/// It does no writing itself: a file is the header, then the records in the order of their time.
package struct BtsnoopWriter: Sendable {
    /// What the records hold: `.h4` for the packets of one controller, `.monitor` where there are several.
    package let datalink: BtsnoopDatalink
    /// Packets that were not recorded; the records that follow tell.
    package var cumulativeDrops: UInt32 = 0

    /// A writer of a new file, with records of H4 or of Linux's monitor channel.
    package init(_ datalink: BtsnoopDatalink = .h4) {
        self.datalink = datalink
    }

    /// What the file begins with.
    package var header: [UInt8] { BtsnoopHeader(datalink: datalink).serialized() }

    /// The bytes of one packet.
    /// - Parameters:
    ///   - time: since 1970-01-01 00:00 UTC; what is finer than a microsecond is cut off.
    ///   - controllerIndex: whose packet it is; only `.monitor` says.
    package func record(
        _ packet: HCIPacket, direction: BtsnoopPacket.Direction, time: Duration, controllerIndex: UInt16 = 0
    ) -> [UInt8] {
        guard datalink == .monitor else {
            return record(flags: Self.flags(packet, direction), packet.serialized(), time)
        }
        // The octet of H4 is said by the flags.
        return record(
            monitorCode: Self.monitorCode(packet, direction), controllerIndex: controllerIndex,
            data: Array(packet.serialized().dropFirst()), time: time)
    }

    /// The bytes that make a controller known to readers of a monitor's file; they come before its packets.
    /// - Parameter name: at most 7 octets of it count, such as `hci0`.
    package func newController(
        _ controllerIndex: UInt16, address: BluetoothAddress, name: String, time: Duration
    ) -> [UInt8] {
        var writer = ByteWriter()
        // A primary controller on a virtual bus.
        writer.write([0, 0])
        address.serialize(into: &writer)
        let octets = Array(name.utf8.prefix(7))
        writer.write(octets + [UInt8](repeating: 0, count: 8 - octets.count))
        return record(monitorCode: 0, controllerIndex: controllerIndex, data: writer.bytes, time: time)
    }

    /// The bytes of anything that the monitor channel says, by its number (Linux, `monitor.h`).
    package func record(
        monitorCode: UInt16, controllerIndex: UInt16, data: [UInt8], time: Duration
    ) -> [UInt8] {
        record(flags: UInt32(controllerIndex) << 16 | UInt32(monitorCode), data, time)
    }

    private func record(flags: UInt32, _ data: [UInt8], _ time: Duration) -> [UInt8] {
        BtsnoopRecord(
            originalLength: UInt32(truncatingIfNeeded: data.count), flags: flags, cumulativeDrops: cumulativeDrops,
            timestamp: BtsnoopTime.timestamp(sinceUnixEpoch: time), data: data
        ).serialized()
    }

    /// Bit 0: from the controller; bit 1: a command or an event.
    private static func flags(_ packet: HCIPacket, _ direction: BtsnoopPacket.Direction) -> UInt32 {
        let received: UInt32 = direction == .controllerToHost ? 1 : 0
        return switch packet {
        case .command, .event: received | 2
        case .acl, .synchronous, .isochronous: received
        }
    }

    /// The monitor channel's number of a packet: for data the odd one is received.
    private static func monitorCode(_ packet: HCIPacket, _ direction: BtsnoopPacket.Direction) -> UInt16 {
        let received: UInt16 = direction == .controllerToHost ? 1 : 0
        return switch packet {
        case .command: 2
        case .event: 3
        case .acl: 4 + received
        case .synchronous: 6 + received
        case .isochronous: 18 + received
        }
    }
}
