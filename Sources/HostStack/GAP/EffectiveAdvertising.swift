// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import BluetoothCore
package import HCI

/// What a controller acknowledged of a beacon and sends now.
package struct EffectiveAdvertising: Hashable, Sendable {
    /// The PDU type.
    package var pdu: AdvertisingPDU
    /// The advertising data, octet for octet.
    package var advertisingData: [UInt8]
    /// The scan response, octet for octet; empty for a PDU that is not scannable.
    package var scanResponse: [UInt8]
    /// The mean time between this beacon's advertising events, without the link layer's random delay.
    ///
    /// It is exactly what the controller was told, unless beacons take turns: then it is the nearest tick.
    package var interval: AdvertisingInterval
    /// The power that the controller selected or reports; `nil` when it tells none.
    package var transmitPower: TransmitPower?
    /// The address in the PDU.
    package var address: BluetoothAddress
    /// Whether that is a public or a random address.
    package var addressType: AddressType
    /// How many beacons take turns on the one advertiser of a legacy controller; 1 when this one has it to itself.
    package var turns: Int
    /// The part of the advertiser's time that is this beacon's: 1 when it has it to itself.
    package var share: Double

    /// Values as given.
    package init(
        pdu: AdvertisingPDU, advertisingData: [UInt8], scanResponse: [UInt8], interval: AdvertisingInterval,
        transmitPower: TransmitPower?, address: BluetoothAddress, addressType: AddressType, turns: Int = 1,
        share: Double = 1
    ) {
        self.pdu = pdu
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
        self.interval = interval
        self.transmitPower = transmitPower
        self.address = address
        self.addressType = addressType
        self.turns = turns
        self.share = share
    }
}
