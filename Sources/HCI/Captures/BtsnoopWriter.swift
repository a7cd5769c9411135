// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// Encodes HCI packets as a btsnoop file for btmon and Wireshark.
///
/// Returns bytes and writes no file: a file is the header, then the records in order of time.
package struct BtsnoopWriter: Sendable {
    /// The content of the records: `.h4` for packets of one controller, `.monitor` for several.
    package let datalink: BtsnoopDatalink
    /// Packets that were not recorded; written into the records that follow.
    package var cumulativeDrops: UInt32 = 0

    /// A writer of a new file, with records of H4 or of Linux's monitor channel.
    package init(_ datalink: BtsnoopDatalink = .h4) {
        self.datalink = datalink
    }

    /// The first bytes of the file.
    package var header: [UInt8] { BtsnoopHeader(datalink: datalink).serialized() }

    /// The record of one packet.
    /// - Parameters:
    ///   - time: since 1970-01-01 00:00 UTC; truncated to microseconds.
    ///   - controllerIndex: the controller of the packet; recorded by `.monitor` only.
    package func record(
        _ packet: HCIPacket, direction: CapturedPacket.Direction, time: Duration, controllerIndex: UInt16 = 0
    ) -> [UInt8] {
        guard datalink == .monitor else {
            return record(flags: Self.flags(packet, direction), packet.serialized(), time)
        }
        // The flags replace the H4 byte.
        return record(
            monitorCode: Self.monitorCode(packet, direction), controllerIndex: controllerIndex,
            data: Array(packet.serialized().dropFirst()), time: time)
    }

    /// The record that announces a controller in a monitor file; it precedes the controller's packets.
    /// - Parameter name: at most 7 bytes, such as `hci0`.
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

    /// The record of any message of the monitor channel, by its code (Linux, `monitor.h`).
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
    private static func flags(_ packet: HCIPacket, _ direction: CapturedPacket.Direction) -> UInt32 {
        let received: UInt32 = direction == .controllerToHost ? 1 : 0
        return switch packet {
        case .command, .event: received | 2
        case .acl, .synchronous, .isochronous: received
        }
    }

    /// The monitor channel's code of a packet: odd codes are received data.
    private static func monitorCode(_ packet: HCIPacket, _ direction: CapturedPacket.Direction) -> UInt16 {
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
