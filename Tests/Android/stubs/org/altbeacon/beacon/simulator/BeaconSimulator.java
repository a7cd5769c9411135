// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package org.altbeacon.beacon.simulator;

import java.util.List;
import org.altbeacon.beacon.Beacon;

/** A stand-in for the library's interface. */
public interface BeaconSimulator {
    List<Beacon> getBeacons();
}
