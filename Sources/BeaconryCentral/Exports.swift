// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The vocabulary of the API: addresses, UUIDs, beacons and regions need no other import.
@_exported public import Advertising
@_exported public import Bluetooth
@_exported public import Radio
@_exported public import Receiving
@_exported public import Space
