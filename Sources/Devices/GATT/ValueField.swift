// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A field of a characteristic's value: its format and its source.
package struct ValueField: Hashable, Sendable {
    /// The name among the fields of the value; empty when it is the only one.
    package var name: String
    /// The format.
    package var format: ValueFormat
    /// The source.
    package var source: ValueSource
    /// The numbers that may be written; `nil` for all that the format can hold.
    package var accepted: ClosedRange<Double>?

    /// A field.
    package init(
        name: String = "", format: ValueFormat, source: ValueSource, accepted: ClosedRange<Double>? = nil
    ) {
        self.name = name
        self.format = format
        self.source = source
        self.accepted = accepted
    }

    /// The size in bytes; `nil` when it is variable.
    package var size: Int? {
        if case .clock(let form) = source { return form.size ?? format.size }
        return format.size
    }

    /// The bytes at a time since the start, and at a time of day.
    package func octets(at elapsed: Duration, sinceUnixEpoch: Duration) -> [UInt8] {
        switch source {
        case .fixed(let octets): octets
        case .quantity(let quantity): format.octets(of: quantity.value(at: elapsed))
        case .clock(let form): form.octets(at: sinceUnixEpoch, in: format)
        }
    }

    /// The bytes as text; a date as `2026-01-31 12:00:00`.
    package func text(of octets: [UInt8]) -> String {
        guard case .clock(let form) = source, form != .unix else { return format.text(of: octets) }
        return form.text(of: octets) ?? format.text(of: octets)
    }

    /// The time since the start of the next change; `nil` for a fixed value.
    package func nextChange(after elapsed: Duration, sinceUnixEpoch: Duration) -> Duration? {
        switch source {
        case .fixed: nil
        case .quantity(let quantity): quantity.nextChange(after: elapsed)
        case .clock: elapsed + (sinceUnixEpoch.nextStep(every: .seconds(1)) - max(sinceUnixEpoch, .zero))
        }
    }
}

/// The source of a value.
package enum ValueSource: Hashable, Sendable {
    /// These bytes, until others are written.
    case fixed([UInt8])
    /// A number in the field's format.
    case quantity(Quantity)
    /// The time of day.
    case clock(ClockForm)
}
