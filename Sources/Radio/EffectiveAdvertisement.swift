// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import BluetoothCore

/// A value on the air that was read back, or the reason why it is unknown.
package enum Effective<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value.
    case known(Value)
    /// It is unknown; the reason is a clause for people.
    // Indirect: each of thousands of beacons has six values, which are known on most radios.
    indirect case unknown(String)

    /// The value, when it is known.
    package var value: Value? {
        if case .known(let value) = self { value } else { nil }
    }
}

/// What is on the air, field by field: the read-back of any radio, in which each field may be unknown.
///
/// `EffectiveAdvertising` of `HostStack` is the read-back of our own host stack: what a controller has acknowledged for an
/// advertising set, always known, and with how sets take turns. `HCIRadio` makes this value from that one.
package struct EffectiveAdvertisement: Hashable, Sendable {
    /// The PDU type.
    package var pdu: Effective<AdvertisingPDU>
    /// The bytes of the advertising data.
    package var advertisingData: Effective<[UInt8]>
    /// The bytes of the scan response; empty if there is none.
    package var scanResponse: Effective<[UInt8]>
    /// The interval that the controller was given: it may choose any in this range.
    package var interval: Effective<ClosedRange<AdvertisingInterval>>
    /// The transmit power that the controller reports.
    package var transmitPower: Effective<TransmitPower>
    /// The address in the PDU.
    package var address: Effective<BluetoothAddress>

    /// The fields.
    package init(
        pdu: Effective<AdvertisingPDU>, advertisingData: Effective<[UInt8]>, scanResponse: Effective<[UInt8]>,
        interval: Effective<ClosedRange<AdvertisingInterval>>, transmitPower: Effective<TransmitPower>,
        address: Effective<BluetoothAddress>
    ) {
        self.pdu = pdu
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
        self.interval = interval
        self.transmitPower = transmitPower
        self.address = address
    }

    /// Unknown fields, for one reason.
    package init(unknown reason: String) {
        self.init(
            pdu: .unknown(reason), advertisingData: .unknown(reason), scanResponse: .unknown(reason),
            interval: .unknown(reason), transmitPower: .unknown(reason), address: .unknown(reason))
    }

    /// The fields that differ from the request; fields that were not requested, or are unknown, do not.
    package func differences(from requested: Advertisement) -> Set<AdvertisingField> {
        var fields: Set<AdvertisingField> = []
        if let pdu = pdu.value, pdu != requested.pdu { fields.insert(.pdu) }
        if let bytes = advertisingData.value, bytes != requested.advertisingData.serialized() {
            fields.insert(.advertisingData)
        }
        if let bytes = scanResponse.value, bytes != requested.scanResponse.serialized() {
            fields.insert(.scanResponse)
        }
        if let range = interval.value, range != requested.interval...requested.interval { fields.insert(.interval) }
        if let power = requested.transmitPower, let effective = transmitPower.value, effective != power {
            fields.insert(.transmitPower)
        }
        if let wanted = requested.address, let effective = address.value, effective != wanted {
            fields.insert(.address)
        }
        return fields
    }
}

/// A field of an advertisement that can differ between request and air.
package enum AdvertisingField: String, Hashable, Sendable, CaseIterable {
    case pdu
    case advertisingData
    case scanResponse
    case interval
    case transmitPower = "txPower"
    case address
}

/// The requested and the effective advertisement, and why they differ.
package struct AdvertisingStatus: Hashable, Sendable {
    private struct Fields: Hashable, Sendable {
        let requested: Advertisement
        let effective: EffectiveAdvertisement
        let differences: Set<AdvertisingField>
        let warnings: [Warning]
    }

    private let fields: Boxed<Fields>

    /// The requested advertisement.
    package var requested: Advertisement { fields.value.requested }
    /// The effective advertisement.
    package var effective: EffectiveAdvertisement { fields.value.effective }
    /// The fields that certainly differ, because they were read back or because the radio cannot do otherwise.
    package var differences: Set<AdvertisingField> { fields.value.differences }
    /// A warning for every difference, with its cause and a hint, and other warnings.
    package var warnings: [Warning] { fields.value.warnings }

    /// A status of these values.
    package init(
        requested: Advertisement, effective: EffectiveAdvertisement, differences: Set<AdvertisingField>,
        warnings: [Warning]
    ) {
        fields = Boxed(
            Fields(requested: requested, effective: effective, differences: differences, warnings: warnings))
    }
}
