// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// A library that dyld inserts into an app in a simulator (DYLD_INSERT_LIBRARIES): its constructor installs Beaconry's beacons
// with the receiver of BEACONRY_URL, BEACONRY_RECEIVER and BEACONRY_TOKEN. There is nothing to call.
