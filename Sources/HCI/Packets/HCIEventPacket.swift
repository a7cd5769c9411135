// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// An event with its code and length, as a controller sends it (Core 5.4, Vol 4, Part E, 5.4.4).
package struct HCIEventPacket: WireCodable, Hashable {
    /// The event code of all LE meta events.
    package static let lowEnergyMetaCode: UInt8 = 0x3E

    /// Which event.
    package let code: UInt8
    /// Its parameters, at most 255 octets.
    package let parameters: [UInt8]

    /// An event of these octets; what exceeds 255 of them is left out.
    package init(code: UInt8, parameters: [UInt8]) {
        self.code = code
        self.parameters = parameters.count > 255 ? Array(parameters[..<255]) : parameters
    }

    /// The packet of an event.
    package init<Event: HCIEvent>(_ event: Event) {
        self.init(code: Event.eventCode, parameters: event.serialized())
    }

    /// Which LE meta event this is; `nil` when it is none.
    package var subeventCode: UInt8? { code == Self.lowEnergyMetaCode ? parameters.first : nil }

    /// Reads the parameters as those of an event.
    /// - Throws: `WireError`, with an offset from the start of the parameters, also when the event is another.
    package func parameters<Event: HCIEvent>(as _: Event.Type) throws(WireError) -> Event {
        guard code == Event.eventCode else { throw WireError(.badValue(field: "Event_Code"), offset: 0) }
        return try Event(parsing: parameters)
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        code = try reader.readUInt8()
        let length = Int(try reader.readUInt8())
        parameters = Array(try reader.read(count: length))
    }

    package func serialize(into writer: inout ByteWriter) {
        writer.write(code)
        writer.write(UInt8(truncatingIfNeeded: parameters.count))
        writer.write(parameters)
    }
}
