// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore

/// One advertising PDU that a scan heard, or an advertiser's whole data where the controller sent it in parts.
package struct ScanReport: Hashable, Sendable {
    /// What was heard (Core 5.4, Vol 6, Part B, 2.3).
    package enum Kind: Hashable, Sendable {
        /// ADV_IND: connectable and scannable.
        case connectableScannable
        /// ADV_DIRECT_IND: connectable by one peer.
        case directed
        /// ADV_SCAN_IND: scannable only.
        case scannable
        /// ADV_NONCONN_IND: neither.
        case nonConnectable
        /// SCAN_RSP: the answer to a scan request.
        case scanResponse
        /// An extended PDU with these properties.
        case extended(connectable: Bool, scannable: Bool, directed: Bool, scanResponse: Bool)

        /// Whether it is an extended advertising PDU.
        package var isExtended: Bool {
            if case .extended = self { true } else { false }
        }

        /// Its name in the specification, such as `ADV_IND` or `AUX_SCAN_RSP`.
        package var name: String {
            switch self {
            case .connectableScannable: "ADV_IND"
            case .directed: "ADV_DIRECT_IND"
            case .scannable: "ADV_SCAN_IND"
            case .nonConnectable: "ADV_NONCONN_IND"
            case .scanResponse: "SCAN_RSP"
            case .extended(_, _, _, scanResponse: true): "AUX_SCAN_RSP"
            case .extended: "ADV_EXT_IND"
            }
        }
    }

    /// Who sent it.
    package var address: BluetoothAddress
    /// The kind of that address.
    package var addressType: AddressType
    /// What it is.
    package var kind: Kind
    /// The data as heard, which need not be well-formed.
    package var data: [UInt8]
    /// Whether `data` is all of it; `false` when the controller, or this host, had no room for the rest.
    package var isComplete: Bool
    /// The received strength; `nil` when the controller does not know.
    package var rssi: RSSI?
    /// The power in the PDU; `nil` when it has none, as legacy PDUs have not.
    package var transmitPower: TransmitPower?
    /// The PHY of the primary channel.
    package var primaryPHY: PHY
    /// The PHY of the secondary channel; `nil` when none was used.
    package var secondaryPHY: PHY?
    /// The Advertising_SID; `nil` in a legacy PDU.
    package var setIdentifier: UInt8?

    /// Values as given.
    package init(
        address: BluetoothAddress, addressType: AddressType, kind: Kind, data: [UInt8], isComplete: Bool = true,
        rssi: RSSI?, transmitPower: TransmitPower? = nil, primaryPHY: PHY = .oneMegabit,
        secondaryPHY: PHY? = nil, setIdentifier: UInt8? = nil
    ) {
        self.address = address
        self.addressType = addressType
        self.kind = kind
        self.data = data
        self.isComplete = isComplete
        self.rssi = rssi
        self.transmitPower = transmitPower
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.setIdentifier = setIdentifier
    }
}
