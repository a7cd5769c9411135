// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import BluetoothCore
import FoundationEssentials
import HCI

/// An advertising report of a controller as `decode` tells it.
struct DecodedReport: Encodable {
    let v = 1
    /// When, in UTC; absent where the input does not say.
    var time: String?
    /// Which controller reported it: N of hciN; absent where the input does not say.
    var controller: UInt16?
    let address: String
    let addressType: String
    let pdu: String
    /// In dBm; absent when the controller does not know.
    let rssi: Int8?
    /// In dBm; absent when the PDU does not say.
    let txPower: Int8?
    let frames: [DecodedFrame]
    let structures: [DecodedPayload.Structure]
    let padding: String?
    /// What is wrong behind the structures; absent when nothing is.
    let malformed: String?

    /// The reports of an event, if it is one of advertising reports.
    static func reports(of event: HCIEventPacket) -> [DecodedReport] {
        if let legacy = try? event.parameters(as: LEAdvertisingReport.self) {
            return legacy.reports.map(DecodedReport.init)
        }
        if let extended = try? event.parameters(as: LEExtendedAdvertisingReport.self) {
            return extended.reports.map(DecodedReport.init)
        }
        return []
    }

    private init(_ report: LEAdvertisingReport.Report) {
        self.init(
            report.address, report.addressType, pdu: Self.pdu(report.eventType), rssi: report.rssi, power: nil,
            report.data)
    }

    private init(_ report: LEExtendedAdvertisingReport.Report) {
        self.init(
            report.address, report.addressType, pdu: Self.pdu(report.eventType), rssi: report.rssi,
            power: report.transmitPower, report.data)
    }

    private init(
        _ address: BluetoothAddress, _ type: AddressType, pdu: String, rssi: RSSI, power: TransmitPower?,
        _ data: [UInt8]
    ) {
        self.address = address.description
        addressType = type.rawValue & 1 == 0 ? "public" : "random"
        self.pdu = pdu
        self.rssi = rssi.decibelMilliwatts == 127 ? nil : rssi.decibelMilliwatts
        txPower = power.flatMap { $0 == .unspecified ? nil : $0.decibelMilliwatts }
        var reader = ByteReader(data)
        let (parsed, error) = AdvertisingData.parsePrefix(of: &reader)
        let payload = DecodedPayload(parsed)
        frames = payload.frames
        structures = payload.structures
        padding = payload.padding
        malformed = error.map { "\($0)" }
    }

    /// In words.
    var lines: [String] {
        let when = [time, controller.map { "hci\($0)" }].compactMap(\.self).map { $0 + " " }.joined()
        let strength = rssi.map { "\($0) dBm" } ?? "strength unknown"
        let power = txPower.map { ", sent with \($0) dBm" } ?? ""
        return ["\(when)\(pdu) from \(address) (\(addressType)), \(strength)\(power)"]
            + DecodedPayload.lines(frames, structures, padding).map { "  " + $0 }
            + [malformed.map { "  malformed: \($0)" }].compactMap(\.self)
    }

    /// The PDU type that a legacy report names.
    static func pdu(_ type: AdvertisingReportType) -> String {
        let names = ["ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "SCAN_RSP"]
        return Int(type.rawValue) < names.count ? names[Int(type.rawValue)] : "event type \(type.rawValue)"
    }

    /// The PDU type that an extended report describes.
    static func pdu(_ type: ExtendedAdvertisingEventType) -> String {
        guard type.contains(.legacy) else { return type.contains(.scanResponse) ? "AUX_SCAN_RSP" : "ADV_EXT_IND" }
        if type.contains(.scanResponse) { return "SCAN_RSP" }
        if type.contains(.directed) { return "ADV_DIRECT_IND" }
        if type.contains(.connectable) { return "ADV_IND" }
        return type.contains(.scannable) ? "ADV_SCAN_IND" : "ADV_NONCONN_IND"
    }
}
