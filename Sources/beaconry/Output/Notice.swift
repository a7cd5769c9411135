// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Emulator
import Radio

/// Something that whoever started a receiving command should know.
struct Notice: Encodable {
    let v = 1
    let event = "warning"
    let time = Timestamp.now
    let code: String
    let message: String
    let hint: String

    /// What a radio cannot see or do.
    init(_ limit: ReceivingCapabilities.Limit) {
        self.init(code: limit.subject.rawValue, message: limit.reason, hint: limit.hint)
    }

    init(code: String, message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Says it: as an object on standard output, or in words on standard error.
    func tell(asJSON: Bool) {
        if asJSON { return Output.line(JSONLine.encode(self)) }
        Output.note("warning: \(message) [\(code)]; \(hint)")
    }
}

/// That a radio is open, and which.
struct ListeningNotice: Encodable {
    let v = 1
    let event = "listening"
    let time = Timestamp.now
    let radio: String
    let way: String
    /// The adapter's own address; absent where it has none.
    let address: String?

    init(_ capabilities: ReceivingCapabilities) {
        radio = capabilities.name
        way = capabilities.way
        address = capabilities.address?.description
    }

    /// Says it: as an object on standard output, or in words on standard error.
    func tell(asJSON: Bool) {
        if asJSON { return Output.line(JSONLine.encode(self)) }
        Output.note("listening on \(radio), by \(way)")
    }
}
