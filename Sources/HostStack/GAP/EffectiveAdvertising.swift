// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
package import HCI

/// The values of an advertising set that is on the air, as the controller acknowledged them; its parameters are members, too.
///
/// All values are known, unlike the values of `EffectiveAdvertisement` of `Radio`, which any radio reports.
@dynamicMemberLookup
package struct EffectiveAdvertising: Hashable, Sendable {
    /// The acknowledged parameters.
    ///
    /// The interval is the mean time between the set's advertising events, without the link layer's random delay: the exact
    /// value of the command, unless sets take turns; then it is measured, and rounded to a tick. The transmit power is the
    /// one that the controller selected or reports; `nil` if it reports none.
    package var parameters: AdvertiserParameters
    /// The advertising data, byte by byte.
    package var advertisingData: [UInt8]
    /// The scan response, byte by byte; empty for a PDU that is not scannable.
    package var scanResponse: [UInt8]
    /// The address in the PDUs.
    package var address: BluetoothAddress
    /// The type of that address.
    package var addressType: AddressType
    /// The identity address behind a private address; `nil` for an address of another kind.
    package var identityAddress: BluetoothAddress?
    /// The number of sets that take turns on the only advertiser of a legacy controller; 1 without turns.
    package var turns = 1
    /// The fraction of the advertiser's time that this set has; 1 without turns.
    package var share = 1.0

    package subscript<Value>(dynamicMember path: KeyPath<AdvertiserParameters, Value>) -> Value {
        parameters[keyPath: path]
    }
}

extension EffectiveAdvertising {
    /// The acknowledged values of a set on the air.
    init(
        _ order: AdvertisingOrder, _ advertiser: Advertiser, of identity: LocalIdentity?, interval: AdvertisingInterval,
        turns: Int = 1, share: Double = 1, _ context: HostContext
    ) {
        let random = order.address.randomAddress
        parameters = advertiser.parameters ?? order.parameters
        parameters.interval = interval
        parameters.transmitPower = advertiser.selectedPower
        advertisingData = advertiser.advertisingData
        scanResponse = order.parameters.pdu.isScannable ? advertiser.scanResponse : []
        address = random ?? context.knownCapabilities.address ?? .zero
        addressType = random == nil ? .public : .random
        identityAddress = identity?.address.address
        self.turns = turns
        self.share = share
    }
}
