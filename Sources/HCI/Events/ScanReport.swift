// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// One received advertising PDU, or an advertiser's whole data if the controller reported it in parts.
package struct ScanReport: Equatable, Sendable {
    /// The received advertisement (Core 5.4, Vol 6, Part B, 2.3).
    package enum Kind: Equatable, Sendable {
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

        /// Whether the PDU is an extended advertising PDU.
        package var isExtended: Bool {
            if case .extended = self { true } else { false }
        }

        /// Whether the advertiser accepts connections.
        package var isConnectable: Bool {
            switch self {
            case .connectableScannable, .directed, .extended(connectable: true, _, _, _): true
            case .scannable, .nonConnectable, .scanResponse, .extended: false
            }
        }

        /// The name in the specification, such as `ADV_IND` or `AUX_SCAN_RSP`.
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

    /// The advertiser's address.
    package var address: BluetoothAddress
    /// The type of the address.
    package var addressType: AddressType
    /// The kind of advertisement.
    package var kind: Kind
    /// The data as received; it may be malformed.
    package var data: [UInt8]
    /// Whether `data` is complete; `false` if the controller or this host had no room for the rest.
    package var isComplete: Bool
    /// The RSSI; `nil` if the controller does not know it.
    package var rssi: RSSI?
    /// The transmit power in the PDU; `nil` if it is absent, as in legacy PDUs.
    package var transmitPower: TransmitPower?
    /// The PHY of the primary channel.
    package var primaryPHY: PHY
    /// The PHY of the secondary channel; `nil` without one.
    package var secondaryPHY: PHY?
    /// The Advertising_SID; `nil` in a legacy PDU.
    package var setIdentifier: UInt8?

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

extension ScanReport {
    /// A report from a legacy advertising report.
    package init(_ report: LEAdvertisingReport.Report) {
        let kind: Kind =
            switch report.eventType {
            case .connectableUndirected: .connectableScannable
            case .connectableDirected: .directed
            case .scannableUndirected: .scannable
            case .scanResponse: .scanResponse
            default: .nonConnectable
            }
        self.init(
            address: report.address, addressType: report.addressType, kind: kind, data: report.data,
            rssi: report.rssi == .unavailable ? nil : report.rssi)
    }

    /// A report from an extended advertising report, of a legacy or an extended PDU.
    package init(_ report: LEExtendedAdvertisingReport.Report) {
        let type = report.eventType
        let isLegacy = type.contains(.legacy)
        self.init(
            address: report.address, addressType: report.addressType,
            kind: isLegacy ? Self.legacyKind(type) : Self.extendedKind(type), data: report.data,
            isComplete: !type.contains(.truncated), rssi: report.rssi == .unavailable ? nil : report.rssi,
            transmitPower: report.transmitPower == .unspecified ? nil : report.transmitPower,
            primaryPHY: report.primaryPHY, secondaryPHY: report.secondaryPHY == .none ? nil : report.secondaryPHY,
            setIdentifier: isLegacy || report.advertisingSetIdentifier == 0xFF ? nil : report.advertisingSetIdentifier)
    }

    private static func legacyKind(_ type: ExtendedAdvertisingEventType) -> Kind {
        if type.contains(.scanResponse) { return .scanResponse }
        if type.contains(.directed) { return .directed }
        if type.contains(.connectable) { return .connectableScannable }
        return type.contains(.scannable) ? .scannable : .nonConnectable
    }

    private static func extendedKind(_ type: ExtendedAdvertisingEventType) -> Kind {
        .extended(
            connectable: type.contains(.connectable), scannable: type.contains(.scannable),
            directed: type.contains(.directed), scanResponse: type.contains(.scanResponse))
    }
}

/// Assembles extended advertisements that a controller reports in parts.
package struct ReportAssembler: Sendable {
    /// The maximum that an advertiser can send (Core 5.4, Vol 6, Part B, 2.3.4.9).
    static let maximumData = 1650
    /// The maximum number of incomplete advertisers; the oldest is dropped first.
    static let capacity = 16

    private var partial: [ScanReport] = []

    /// An assembler without incomplete advertisements.
    package init() {}

    /// Adds a report; returns the whole report when it is complete or truncated.
    package mutating func take(_ report: LEExtendedAdvertisingReport.Report) -> ScanReport? {
        let hasMore = report.eventType.contains(.incomplete) && !report.eventType.contains(.truncated)
        return take(ScanReport(report), hasMore: hasMore)
    }

    private mutating func take(_ report: ScanReport, hasMore: Bool) -> ScanReport? {
        let index = partial.firstIndex {
            $0.address == report.address && $0.addressType == report.addressType
                && $0.setIdentifier == report.setIdentifier && $0.kind == report.kind
        }
        var whole = report
        if let index { whole.data = partial.remove(at: index).data + report.data }
        guard whole.data.count <= Self.maximumData else {
            whole.isComplete = false
            whole.data.removeLast(whole.data.count - Self.maximumData)
            return whole
        }
        guard hasMore else { return whole }
        if partial.count >= Self.capacity { partial.removeFirst() }
        partial.append(whole)
        return nil
    }
}
