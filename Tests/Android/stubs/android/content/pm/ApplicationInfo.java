// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package android.content.pm;

import android.os.Bundle;

/** A stand-in for Android's class. */
public class ApplicationInfo {
    public static final int FLAG_DEBUGGABLE = 1 << 1;

    public int flags;
    public Bundle metaData;
}
