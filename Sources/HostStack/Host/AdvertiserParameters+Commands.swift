// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import HCI

extension LESetExtendedAdvertisingParameters {
    /// The parameters of a set that sends legacy PDUs.
    init(set: AdvertisingSetIdentifier, _ parameters: AdvertiserParameters) {
        let properties: AdvertisingEventProperties =
            switch parameters.pdu {
            case .connectableScannable: .legacyConnectable
            case .scannable: .legacyScannable
            case .nonConnectable: .legacyNonConnectable
            }
        self.init(
            advertisingHandle: set.rawValue, properties: properties, minimumInterval: parameters.interval,
            maximumInterval: parameters.interval, ownAddressType: parameters.addressType,
            transmitPower: parameters.transmitPower ?? .unspecified)
    }
}

extension LESetAdvertisingParameters {
    /// The parameters of the one advertiser.
    init(_ parameters: AdvertiserParameters) {
        let type: AdvertisingType =
            switch parameters.pdu {
            case .connectableScannable: .connectableUndirected
            case .scannable: .scannableUndirected
            case .nonConnectable: .nonConnectableUndirected
            }
        self.init(
            minimumInterval: parameters.interval, maximumInterval: parameters.interval, advertisingType: type,
            ownAddressType: parameters.addressType)
    }
}
