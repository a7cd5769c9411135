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
    let cure: String

    /// What a radio cannot see or do.
    init(_ limit: ReceivingCapabilities.Limit) {
        self.init(code: limit.subject.rawValue, message: limit.reason, cure: limit.cure)
    }

    init(code: String, message: String, cure: String) {
        self.code = code
        self.message = message
        self.cure = cure
    }

    /// Says it: as an object on standard output, or in words on standard error.
    func tell(asJSON: Bool) {
        if asJSON { return Output.line(JSONLine.encode(self)) }
        Output.note("warning: \(message) [\(code)]; \(cure)")
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
