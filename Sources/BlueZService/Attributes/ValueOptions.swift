// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import DBus

/// The options of `ReadValue` and `WriteValue` (bluez 5.82 src/gatt-client.c, `parse_options`); unknown ones are ignored.
struct ValueOptions: Hashable {
    /// Where the value is read or written from.
    private(set) var offset: UInt16 = 0
    /// How it is written: `command`, `request`, `reliable`, or another text in lower case; `nil` as the flags say.
    private(set) var type: String?

    /// - Parameter value: `a{sv}`.
    /// - Throws: `InvalidArguments` for an option of a wrong type.
    init(_ value: DBusValue?) throws(DBusError) {
        for (key, value) in value?.dictionaryValue ?? [:] {
            switch key.lowercased() {
            case "offset":
                guard let offset = value.uint16Value else { throw BlueZError.invalidArguments() }
                self.offset = offset
            case "type":
                guard let type = value.stringValue else { throw BlueZError.invalidArguments() }
                self.type = type.lowercased()
            default: break
            }
        }
    }
}

/// How a value is written (bluez 5.82 src/gatt-client.c, `characteristic_write_value`).
enum WriteProcedure: Hashable {
    /// Write Without Response.
    case command
    /// Write Request; prepared writes for a long value, or from an offset.
    case request
    /// Prepared writes, verified.
    case reliable

    /// The procedure for a characteristic.
    /// - Throws: `NotSupported` without one; `Failed` for a command with an offset.
    init(_ options: ValueOptions, flags: [String]) throws(DBusError) {
        switch options.type {
        case "reliable": self = .reliable
        case "request": self = .request
        case "command": self = .command
        case nil where flags.contains("reliable-write"): self = .reliable
        case nil where flags.contains("write"): self = .request
        case nil where flags.contains("write-without-response"): self = .command
        default: throw BlueZError.notSupported
        }
        if self == .command, options.offset > 0 { throw BlueZError.failed("Failed to initiate write") }
    }
}
