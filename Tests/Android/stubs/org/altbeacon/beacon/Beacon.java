// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package org.altbeacon.beacon;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A stand-in for the library's class: the properties of one packet. */
public class Beacon {
    private final Identifier[] identifiers = new Identifier[3];
    private List<Long> dataFields = new ArrayList<>();
    private int rssi;
    private int txPower;
    private int beaconTypeCode;
    private int manufacturer;
    private String bluetoothAddress;
    private String bluetoothName;

    protected Beacon() {}

    public Identifier getId1() {
        return identifiers[0];
    }

    public Identifier getId2() {
        return identifiers[1];
    }

    public Identifier getId3() {
        return identifiers[2];
    }

    public int getRssi() {
        return rssi;
    }

    public int getTxPower() {
        return txPower;
    }

    public int getBeaconTypeCode() {
        return beaconTypeCode;
    }

    public int getManufacturer() {
        return manufacturer;
    }

    public String getBluetoothAddress() {
        return bluetoothAddress;
    }

    public String getBluetoothName() {
        return bluetoothName;
    }

    public List<Long> getDataFields() {
        return Collections.unmodifiableList(dataFields);
    }

    @Override
    public String toString() {
        return "id1: " + getId1() + " id2: " + getId2() + " id3: " + getId3();
    }

    /** A stand-in for the library's class. */
    public static class Builder {
        private final Beacon beacon = new Beacon();

        public Beacon build() {
            return beacon;
        }

        public Builder setId1(String text) {
            beacon.identifiers[0] = Identifier.parse(text);
            return this;
        }

        public Builder setId2(String text) {
            beacon.identifiers[1] = Identifier.parse(text);
            return this;
        }

        public Builder setId3(String text) {
            beacon.identifiers[2] = Identifier.parse(text);
            return this;
        }

        public Builder setRssi(int rssi) {
            beacon.rssi = rssi;
            return this;
        }

        public Builder setTxPower(int txPower) {
            beacon.txPower = txPower;
            return this;
        }

        public Builder setBeaconTypeCode(int beaconTypeCode) {
            beacon.beaconTypeCode = beaconTypeCode;
            return this;
        }

        public Builder setManufacturer(int manufacturer) {
            beacon.manufacturer = manufacturer;
            return this;
        }

        public Builder setBluetoothAddress(String bluetoothAddress) {
            beacon.bluetoothAddress = bluetoothAddress;
            return this;
        }

        public Builder setBluetoothName(String bluetoothName) {
            beacon.bluetoothName = bluetoothName;
            return this;
        }

        public Builder setDataFields(List<Long> dataFields) {
            beacon.dataFields = dataFields;
            return this;
        }
    }
}
