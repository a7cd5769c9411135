// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// The parameters of one HCI event.
///
/// As a command, an event is declared in one place: a struct in a file in `Events/`, and a line in the list at its top.
package protocol HCIEvent: WireCodable, Equatable {
    /// The event code.
    static var eventCode: UInt8 { get }
}

/// An event of the LE meta event (Core 5.4, Vol 4, Part E, 7.7.65): its parameters begin with the subevent code.
package protocol LEMetaEvent: HCIEvent {
    /// The subevent code.
    static var subeventCode: UInt8 { get }
    /// Reads the fields after the subevent code.
    init(parsingFields reader: inout ByteReader) throws(WireError)
    /// Appends the fields after the subevent code.
    func serializeFields(into writer: inout ByteWriter)
}

extension LEMetaEvent {
    package static var eventCode: UInt8 { HCIEventPacket.lowEnergyMetaCode }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        let start = reader.offset
        guard try reader.readUInt8() == Self.subeventCode else {
            throw WireError(.badValue(field: "Subevent_Code"), offset: start)
        }
        try self.init(parsingFields: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(Self.subeventCode)
        serializeFields(into: &writer)
    }
}

/// The table of all HCI events of this module.
package enum HCIEvents {
    /// Every event, in groups as in the files that declare them.
    package static let all: [any HCIEvent.Type] =
        controller + connections + classic + advertising + lowEnergyConnections + security
}
