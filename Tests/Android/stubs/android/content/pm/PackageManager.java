// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package android.content.pm;

/** A stand-in for Android's class. */
public abstract class PackageManager {
    public static final int GET_META_DATA = 0x80;

    public abstract ApplicationInfo getApplicationInfo(String packageName, int flags) throws NameNotFoundException;

    /** A stand-in for Android's class. */
    public static class NameNotFoundException extends Exception {
        private static final long serialVersionUID = 1;
    }
}
