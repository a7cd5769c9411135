// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
package import Bluetooth

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
/// A new field is a property here, a row of `rows`, and a case of `AdvertisingField`.
///
/// `EffectiveAdvertising` of `HostStack` is the read-back of our own host stack: what a controller has acknowledged for an
/// advertising set, always known, and with how sets take turns. `HCIRadio` makes this value from that one.
package struct EffectiveAdvertisement: Hashable, Sendable {
    /// The PDU type.
    package var pdu = Effective<AdvertisingPDU>.unread
    /// The bytes of the advertising data.
    package var advertisingData = Effective<[UInt8]>.unread
    /// The bytes of the scan response; empty if there is none.
    package var scanResponse = Effective<[UInt8]>.unread
    /// The interval that the controller was given: it may choose any in this range.
    package var interval = Effective<ClosedRange<AdvertisingInterval>>.unread
    /// The transmit power that the controller reports.
    package var transmitPower = Effective<TransmitPower>.unread
    /// The address in the PDU.
    package var address = Effective<BluetoothAddress>.unread

    private static let rows: [Row] = [
        Row(.pdu, \.pdu) { $0.pdu },
        Row(.advertisingData, \.advertisingData) { $0.advertisingData.serialized() },
        Row(.scanResponse, \.scanResponse) { $0.scanResponse.serialized() },
        Row(.interval, \.interval) { $0.interval...$0.interval },
        Row(.transmitPower, \.transmitPower) { $0.transmitPower },
        Row(.address, \.address) { $0.address },
    ]

    /// Unknown fields, for one reason: a clause for people.
    package init(unknown reason: String) {
        for row in Self.rows { row.forget(&self, reason) }
    }

    /// Exactly what was requested; what was not is unknown for a reason.
    package init(as requested: Advertisement, unknown reason: String = "it was not requested") {
        self.init(unknown: reason)
        for row in Self.rows { row.take(&self, requested) }
    }

    /// The fields that differ from the request; fields that were not requested, or are unknown, do not.
    package func differences(from requested: Advertisement) -> Set<AdvertisingField> {
        Set(Self.rows.filter { $0.differs(self, requested) }.map(\.field))
    }

    /// A field: where it is, and the requested value, if there is one.
    private struct Row: Sendable {
        let field: AdvertisingField
        let forget: @Sendable (inout EffectiveAdvertisement, String) -> Void
        let take: @Sendable (inout EffectiveAdvertisement, Advertisement) -> Void
        let differs: @Sendable (EffectiveAdvertisement, Advertisement) -> Bool

        init<Value>(
            _ field: AdvertisingField,
            _ path: any WritableKeyPath<EffectiveAdvertisement, Effective<Value>> & Sendable,
            requested: @escaping @Sendable (Advertisement) -> Value?
        ) {
            self.field = field
            forget = { $0[keyPath: path] = .unknown($1) }
            take = { effective, advertisement in
                if let value = requested(advertisement) { effective[keyPath: path] = .known(value) }
            }
            differs = { effective, advertisement in
                guard let value = effective[keyPath: path].value, let wanted = requested(advertisement) else {
                    return false
                }
                return value != wanted
            }
        }
    }
}

extension Effective {
    fileprivate static var unread: Effective { .unknown("it was not read") }
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

    package init(
        requested: Advertisement, effective: EffectiveAdvertisement, differences: Set<AdvertisingField>,
        warnings: [Warning]
    ) {
        fields = Boxed(
            Fields(requested: requested, effective: effective, differences: differences, warnings: warnings))
    }
}
