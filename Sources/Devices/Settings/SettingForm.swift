// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// What the value of a setting is in a profile; the JSON Schema of the key follows from it.
package enum SettingForm: Hashable, Sendable {
    /// A single value.
    case value(ValueShape)
    /// A number of this shape, or a generator that changes it.
    case quantity(ValueShape)
    /// A list of this number of values.
    case list(ValueShape, ClosedRange<Int> = 0...Int.max)
    /// A mapping whose keys and values have these shapes.
    case mapping(keys: ValueShape, values: ValueShape)
    /// A structure with keys of its own: `advertise`, the `services` of `gatt`, and `telemetry`.
    case structure
}
