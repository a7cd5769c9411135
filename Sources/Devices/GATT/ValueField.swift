// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A part of a characteristic's value: how it is written, and where it comes from.
package struct ValueField: Hashable, Sendable {
    /// Its name among the fields of the value; empty when it is all of it.
    package var name: String
    /// How it is written.
    package var format: ValueFormat
    /// Where it comes from.
    package var source: ValueSource
    /// The numbers that may be written into it; `nil` for all that the format has.
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

    /// How many octets it always has; `nil` where they may be more or fewer.
    package var size: Int? {
        if case .clock(let form) = source { return form.size ?? format.size }
        return format.size
    }

    /// The octets, so long after it began, at a time of day.
    package func octets(at elapsed: Duration, sinceUnixEpoch: Duration) -> [UInt8] {
        switch source {
        case .fixed(let octets): octets
        case .quantity(let quantity): format.octets(of: quantity.value(at: elapsed))
        case .clock(let form): form.octets(at: sinceUnixEpoch, in: format)
        }
    }

    /// Its octets as people write them; a date as `2026-01-31 12:00:00`.
    package func text(of octets: [UInt8]) -> String {
        guard case .clock(let form) = source, form != .unix else { return format.text(of: octets) }
        return form.text(of: octets) ?? format.text(of: octets)
    }

    /// When, so long after it began, it may be another one for the first time; `nil` when it never is by itself.
    package func nextChange(after elapsed: Duration, sinceUnixEpoch: Duration) -> Duration? {
        switch source {
        case .fixed: nil
        case .quantity(let quantity): quantity.nextChange(after: elapsed)
        case .clock: elapsed + (sinceUnixEpoch.nextStep(every: .seconds(1)) - max(sinceUnixEpoch, .zero))
        }
    }
}

/// Where a value comes from.
package enum ValueSource: Hashable, Sendable {
    /// These octets, until others are written.
    case fixed([UInt8])
    /// A number in the field's format.
    case quantity(Quantity)
    /// The time of day.
    case clock(ClockForm)
}
