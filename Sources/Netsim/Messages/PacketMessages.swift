// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import HCI
import Protobuf

/// A message of a device in a call (netsim, `packet_streamer.proto`, `PacketRequest`).
package enum PacketRequest: Hashable, Sendable {
    /// The chip, in the first message.
    case chip(ChipInformation)
    /// An HCI packet to the controller.
    case hci(HCIPacket)
    /// A packet of another radio, with its number of bytes.
    case other(Int)
    /// A message without any of these.
    case empty

    /// Reads a message: 1 initial_info, 2 hci_packet, 3 packet. Of several the last one counts.
    /// - Throws: `WireError` for what is no protobuf message, and for HCI packets that are malformed.
    package init(parsing bytes: ArraySlice<UInt8>) throws(WireError) {
        self = .empty
        var reader = ProtobufReader(bytes)
        while let (number, value) = try reader.next() {
            guard case .bytes(let content) = value else { continue }
            switch number {
            case 1: self = .chip(try ChipInformation(parsing: content))
            case 2: self = .hci(try HCIPacket(ofMessage: content))
            case 3: self = .other(content.count)
            default: break
            }
        }
    }

    /// The message on the wire, as a device sends it. The bytes of other radios are zeros.
    package var bytes: [UInt8] {
        var writer = ProtobufWriter()
        switch self {
        case .chip(let chip): writer.message(1) { chip.write(to: &$0) }
        case .hci(let packet): writer.message(2) { packet.write(to: &$0) }
        case .other(let count): writer.bytes(3, repeatElement(0, count: count))
        case .empty: break
        }
        return writer.bytes
    }
}

/// A message to a device in a call (netsim, `packet_streamer.proto`, `PacketResponse`). The third kind, `error`, is never sent:
/// emulators abort at it.
package enum PacketResponse {
    /// The message with an HCI packet of the controller.
    package static func bytes(of packet: HCIPacket) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.message(2) { packet.write(to: &$0) }
        return writer.bytes
    }
}

extension HCIPacket {
    /// Reads `HCIPacket`: 1 packet_type, with the values of H4; 2 packet, without the byte of H4.
    fileprivate init(ofMessage bytes: ArraySlice<UInt8>) throws(WireError) {
        let fields = try ProtobufFields(parsing: bytes)
        guard let type = UInt8(exactly: fields.uint32(1)) else {
            throw WireError(.badValue(field: "packet type"), offset: bytes.startIndex)
        }
        try self.init(parsing: [type] + fields.bytes(2))
    }

    /// Writes `HCIPacket`.
    fileprivate func write(to writer: inout ProtobufWriter) {
        var packet = ByteWriter()
        serialize(into: &packet)
        writer.uint32(1, UInt32(packet.bytes[0]))
        writer.bytes(2, packet.bytes.dropFirst())
    }
}
