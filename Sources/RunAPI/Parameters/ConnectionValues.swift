// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import Devices
package import Emulator
package import JSON

// The parameters of operations on the connections of listening receivers.

extension DeviceReference: NameParameter {
    package static let noun = "the address of a device, or the id of a beacon"
}

/// A connection of a listening receiver, as the path of a request names it.
package struct ConnectionEnds: Hashable, Sendable {
    static let fields: [Field<ConnectionEnds>] = [
        .required("receiver", .path, \.receiver, "its name on the air"),
        .required("device", .path, \.device, "the address of a device, or the id of a beacon of the run"),
    ]

    package var receiver = AirName()
    package var device = DeviceReference()

    package init() {}

    /// The connection.
    /// - Throws: as `Emulator.connection(of:to:)`.
    func connection(on run: RunContext) async throws(EmulatorError) -> ReceiverConnection {
        try await run.emulator.connection(of: receiver.text, to: device)
    }
}

extension [EmulatorError.Code] {
    /// The failures of a request for a characteristic of a connected device.
    static let ofCharacteristic: [EmulatorError.Code] = [
        .badProfile, .unknownBeacon, .unknownPeer, .unknownCharacteristic, .conflict, .refusedAttribute, .radio,
    ]
}

extension DeviceAddressType: Parameter {}

extension CharacteristicReference: Parameter {
    package init(json: JSONValue) throws(ValueFault) {
        guard let reference = json.setting.flatMap({ Self($0) }) else {
            throw ValueFault("write a handle, such as 14 or 0x000E, or a UUID")
        }
        self = reference
    }

    package var json: JSONValue { .text(text) }
    package static var schema: Schema {
        // Handles are 1 to 65535; four digits may be a UUID, too.
        let handles = [
            "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]",
            "0x(0{0,3}[1-9A-Fa-f]|0{0,2}[1-9A-Fa-f][0-9A-Fa-f]|0?[1-9A-Fa-f][0-9A-Fa-f]{2}|[1-9A-Fa-f][0-9A-Fa-f]{3})",
        ]
        let uuids = [
            "[0-9A-Fa-f]{4}", "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", "[0-9A-Fa-f]{32}", "[0-9A-Fa-f]{8}",
        ]
        return .text(pattern: (handles + uuids).joined(separator: "|"), example: "2A19")
    }
}

/// The value of an attribute, in hexadecimal digits (Core 5.4, Vol 3, Part F, 3.2.9).
package struct WrittenValue: Parameter, Hashable {
    /// The longest value, in bytes.
    private static let limit = 512

    package var bytes: [UInt8]

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    package init(json: JSONValue) throws(ValueFault) {
        guard let bytes = try? Hexadecimal.bytes(try String(json: json)), bytes.count <= Self.limit else {
            throw ValueFault("write at most \(Self.limit) bytes in hexadecimal digits, such as \"0164\"")
        }
        self.bytes = bytes
    }

    package var json: JSONValue { .text(Hexadecimal.string(bytes)) }
    package static var schema: Schema { .text(pattern: "([0-9A-Fa-f]{2}){0,\(limit)}", example: "0164") }
}
