// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import FoundationEssentials
import HCI

/// The AD structures of a payload, and the beacon frames in them.
struct DecodedPayload: Encodable, Report {
    /// An AD structure.
    struct Structure: Encodable {
        let type: UInt8
        let name: String?
        let data: String
    }

    let frames: [DecodedFrame]
    let structures: [Structure]
    /// The bytes after the significant part; absent if there are none.
    let padding: String?

    init(_ data: AdvertisingData) {
        frames = data.frames.map(DecodedFrame.init)
        structures = data.structures.map {
            Structure(
                type: $0.type, name: AdvertisingStructure.name(ofType: $0.type), data: Hexadecimal.string($0.data))
        }
        padding = data.padding.isEmpty ? nil : Hexadecimal.string(data.padding)
    }

    var lines: [String] { Self.lines(frames, structures, padding) }

    static func lines(_ frames: [DecodedFrame], _ structures: [Structure], _ padding: String?) -> [String] {
        frames.map(\.line)
            + structures.map {
                let type = "0x" + Hexadecimal.string([$0.type])
                return "  \(type) \($0.name ?? "unknown type"): \($0.data)"
            } + [padding.map { "  padding: \($0)" }].compactMap(\.self)
    }
}

/// An advertising report of a controller.
struct DecodedReport: Encodable, Report {
    /// In UTC; absent if the input has no times.
    var time: String?
    /// The controller, N of hciN; 0 for a btsnoop file of one controller; absent for an event given as digits.
    var controller: UInt16?
    let address: String
    let addressType: String
    let pdu: String
    /// In dBm; absent if the controller does not report it.
    let rssi: Int8?
    /// In dBm; absent if the event does not contain it.
    let txPower: Int8?
    let frames: [DecodedFrame]
    let structures: [DecodedPayload.Structure]
    let padding: String?
    /// The error in the data after the last parsed structure; absent if there is none.
    let malformed: String?

    /// The reports of an LE Advertising Report or LE Extended Advertising Report event; empty for other and for malformed
    /// events.
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
        addressType = Self.name(of: type)
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

    /// Core 5.4, Vol 4, Part E, 7.7.65.13.
    private static func name(of type: AddressType) -> String {
        switch type.rawValue {
        case 0x00, 0x02: "public"
        case 0xFF: "anonymous"
        default: "random"
        }
    }

    var lines: [String] {
        let when = [time, controller.map { "hci\($0)" }].compactMap(\.self).map { $0 + " " }.joined()
        let signal = rssi.map { "\($0) dBm" } ?? "RSSI unknown"
        let power = txPower.map { ", TX power \($0) dBm" } ?? ""
        return ["\(when)\(pdu) from \(address) (\(addressType)), \(signal)\(power)"]
            + DecodedPayload.lines(frames, structures, padding).map { "  " + $0 }
            + [malformed.map { "  malformed: \($0)" }].compactMap(\.self)
    }

    /// The PDU type of a legacy report.
    static func pdu(_ type: AdvertisingReportType) -> String {
        let names = ["ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "SCAN_RSP"]
        return Int(type.rawValue) < names.count ? names[Int(type.rawValue)] : "event type \(type.rawValue)"
    }

    /// The PDU type of an extended report.
    static func pdu(_ type: ExtendedAdvertisingEventType) -> String {
        guard type.contains(.legacy) else { return type.contains(.scanResponse) ? "AUX_SCAN_RSP" : "ADV_EXT_IND" }
        if type.contains(.scanResponse) { return "SCAN_RSP" }
        if type.contains(.directed) { return "ADV_DIRECT_IND" }
        if type.contains(.connectable) { return "ADV_IND" }
        return type.contains(.scannable) ? "ADV_SCAN_IND" : "ADV_NONCONN_IND"
    }
}
