// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// The central of a receiver, and the vocabulary of the API: positions, addresses and regions need no other import.
@_exported public import BeaconryCentral
