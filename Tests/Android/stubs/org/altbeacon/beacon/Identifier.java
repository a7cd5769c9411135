// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package org.altbeacon.beacon;

import java.util.UUID;

/** A stand-in for the library's class: a UUID, or a decimal number of 16 bits. */
public final class Identifier {
    private final String text;

    private Identifier(String text) {
        this.text = text;
    }

    public static Identifier parse(String text) {
        if (text.length() == 36) {
            return new Identifier(UUID.fromString(text).toString());
        }
        int number = Integer.parseInt(text);
        if (number < 0 || number > 65535) {
            throw new IllegalArgumentException("not 0 to 65535: " + text);
        }
        return new Identifier(Integer.toString(number));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Identifier && text.equals(((Identifier) other).text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
