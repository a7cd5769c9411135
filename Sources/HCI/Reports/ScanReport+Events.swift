// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

extension ScanReport {
    /// What a legacy report says.
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

    /// What an extended report says, of a legacy PDU or an extended one.
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
