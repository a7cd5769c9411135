// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore

/// What a beacon should be on the air, in the form that commands take.
struct AdvertisingOrder: Hashable, Sendable {
    /// What cannot be changed while it is on the air.
    var parameters: AdvertiserParameters
    /// The address of its PDUs.
    var address: OwnAddress
    /// The advertising data.
    var advertisingData: [UInt8]
    /// The scan response; empty for a PDU that is not scannable.
    var scanResponse: [UInt8]

    init(_ advertisement: Advertisement, address: OwnAddress) {
        parameters = AdvertiserParameters(
            pdu: advertisement.pdu, interval: advertisement.interval, transmitPower: advertisement.transmitPower,
            addressType: address.type)
        self.address = address
        advertisingData = advertisement.advertisingData.serialized(capacity: AdvertisingPDU.capacity)
        scanResponse = advertisement.scanResponse.serialized(capacity: 0)
    }
}
