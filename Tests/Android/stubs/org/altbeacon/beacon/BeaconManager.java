// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package org.altbeacon.beacon;

import org.altbeacon.beacon.simulator.BeaconSimulator;

/** A stand-in for the library's class: the simulator in use. */
public class BeaconManager {
    private static volatile BeaconSimulator simulator;

    public static void setBeaconSimulator(BeaconSimulator simulator) {
        BeaconManager.simulator = simulator;
    }

    public static BeaconSimulator getBeaconSimulator() {
        return simulator;
    }
}
