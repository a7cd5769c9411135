// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// One key and its value in a dictionary.
///
/// D-Bus Specification, "Type System", type `{}` (DICT_ENTRY).
package struct DBusDictionaryEntry: Sendable, Hashable {
    /// A basic value.
    package var key: DBusValue

    /// Any value.
    package var value: DBusValue

    /// Makes an entry. That the key is a basic value is checked when a message is made of it.
    package init(_ key: DBusValue, _ value: DBusValue) {
        self.key = key
        self.value = value
    }
}
