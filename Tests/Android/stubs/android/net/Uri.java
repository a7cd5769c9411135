// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package android.net;

/** A stand-in for Android's class. */
public abstract class Uri {}
