// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package android.os;

import java.util.HashMap;
import java.util.Map;

/** A stand-in for Android's class. */
public final class Bundle {
    private final Map<String, Object> values = new HashMap<>();

    public void putString(String key, String value) {
        values.put(key, value);
    }

    public void putInt(String key, int value) {
        values.put(key, value);
    }

    public Object get(String key) {
        return values.get(key);
    }
}
