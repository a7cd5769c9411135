// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// The data of one signalling command: what stands behind code, identifier and length (Core 5.4, Vol 3, Part A, 4).
package protocol SignallingMessage: WireCodable, Hashable {
    /// What says which command it is.
    static var code: UInt8 { get }
}

/// L2CAP_COMMAND_REJECT_RSP (Core 5.4, Vol 3, Part A, 4.1).
package struct CommandReject: SignallingMessage {
    package static let code: UInt8 = 0x01
    /// 0x0000 command not understood, 0x0001 signalling MTU exceeded, 0x0002 invalid channel in request.
    package let reason: UInt16
    /// What belongs to the reason: for 0x0001 the MTU, for 0x0002 two channels.
    package let data: [UInt8]

    /// The command is not known here.
    package static let notUnderstood = CommandReject(reason: 0x0000)

    /// The command names channels that are not open.
    package static func invalidChannel(local: ChannelIdentifier, remote: ChannelIdentifier) -> CommandReject {
        CommandReject(reason: 0x0002, data: local.serialized() + remote.serialized())
    }

    /// A rejection for this reason.
    package init(reason: UInt16, data: [UInt8] = []) {
        self.reason = reason
        self.data = data
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        reason = try reader.readLittleEndian()
        data = Array(reader.readAll())
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.writeLittleEndian(reason)
        writer.write(data)
    }
}

/// L2CAP_DISCONNECTION_REQ (Core 5.4, Vol 3, Part A, 4.6).
package struct DisconnectionRequest: SignallingMessage {
    package static let code: UInt8 = 0x06
    /// The channel's end at the receiver of the request.
    package let destination: ChannelIdentifier
    /// The channel's end at the sender of the request.
    package let source: ChannelIdentifier

    /// A request to close this channel.
    package init(destination: ChannelIdentifier, source: ChannelIdentifier) {
        self.destination = destination
        self.source = source
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        destination = try ChannelIdentifier(parsing: &reader)
        source = try ChannelIdentifier(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        destination.serialize(into: &writer)
        source.serialize(into: &writer)
    }
}

/// L2CAP_DISCONNECTION_RSP (Core 5.4, Vol 3, Part A, 4.7).
package struct DisconnectionResponse: SignallingMessage {
    package static let code: UInt8 = 0x07
    /// The channel's end at the receiver of the request.
    package let destination: ChannelIdentifier
    /// The channel's end at the sender of the request.
    package let source: ChannelIdentifier

    /// A response that says that this channel is closed.
    package init(destination: ChannelIdentifier, source: ChannelIdentifier) {
        self.destination = destination
        self.source = source
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        destination = try ChannelIdentifier(parsing: &reader)
        source = try ChannelIdentifier(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        destination.serialize(into: &writer)
        source.serialize(into: &writer)
    }
}
