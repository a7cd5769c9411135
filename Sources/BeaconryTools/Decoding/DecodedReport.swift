// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
package import Bluetooth
package import Devices
import FoundationEssentials
import HCI

/// The AD structures of a payload, and the beacon frames in them.
struct DecodedPayload: Encodable, Report {
    /// An AD structure.
    struct Structure: Encodable {
        let type: UInt8
        let name: String?
        let data: String
        /// What else it is known as, such as `Apple: nearby info`; absent for other data.
        let recognized: String?
    }

    /// A classic mistake: data that is almost a frame, or almost well-formed.
    struct Mistake: Encodable {
        let text: String
        let hint: String

        /// Mistakes as they are reported; `nil` for none.
        static func list(_ misses: [NearMiss]) -> [Mistake]? {
            misses.isEmpty ? nil : misses.map { Mistake(text: $0.text, hint: $0.hint) }
        }
    }

    let frames: [DecodedFrame]
    let structures: [Structure]
    /// The bytes after the significant part; absent if there are none.
    let padding: String?
    /// Classic mistakes in the data; absent if there are none.
    let nearMisses: [Mistake]?

    /// - Parameter key: what frames are decrypted with; `nil` for none.
    init(_ data: AdvertisingData, key: FrameKey? = nil, from address: BluetoothAddress? = nil) {
        let found = data.frames.map { key?.open($0, from: address) ?? (frame: $0, obstacle: nil) }
        frames = found.map { DecodedFrame($0.frame) }
        structures = data.structures.map {
            Structure(
                type: $0.type, name: AdvertisingStructure.name(ofType: $0.type), data: Hexadecimal.string($0.data),
                recognized: $0.recognized)
        }
        padding = data.padding.isEmpty ? nil : Hexadecimal.string(data.padding)
        let mistakes = (Mistake.list(data.nearMisses) ?? []) + found.compactMap(\.obstacle)
        nearMisses = mistakes.isEmpty ? nil : mistakes
    }

    var lines: [String] { Self.lines(frames, structures, padding, nearMisses) }

    static func lines(
        _ frames: [DecodedFrame], _ structures: [Structure], _ padding: String?, _ mistakes: [Mistake]?
    ) -> [String] {
        frames.map(\.line)
            + structures.map {
                let type = "0x" + Hexadecimal.string([$0.type])
                return "  \(type) \($0.name ?? "unknown type"): \($0.data)" + ($0.recognized.map { "  (\($0))" } ?? "")
            } + [padding.map { "  padding: \($0)" }].compactMap(\.self)
            + (mistakes ?? []).map { "  almost: \($0.text); \($0.hint)" }
    }
}

/// The key with which encrypted frames are read, and the address of their sender where the input has none.
package struct FrameKey: Sendable {
    let key: BindKey
    let address: BluetoothAddress?

    package init(_ key: BindKey, address: BluetoothAddress?) {
        self.key = key
        self.address = address
    }

    /// Decrypts a frame.
    /// - Returns: the frame with its values; an encrypted one that the key does not open as it is, with the reason.
    func open(
        _ frame: BeaconFrame, from sender: BluetoothAddress?
    ) -> (frame: BeaconFrame, obstacle: DecodedPayload.Mistake?) {
        guard let encrypted = frame.content as? any EncryptedBeacon else { return (frame, nil) }
        guard let address = sender ?? address else {
            let text = "a frame that the key opens only with the address of its sender"
            return (frame, DecodedPayload.Mistake(text: text, hint: "give it: --address"))
        }
        if let opened = encrypted.opened(with: key, from: address) { return (opened, nil) }
        let text = "a frame that the key does not open for the sender \(address)"
        return (frame, DecodedPayload.Mistake(text: text, hint: "compare both with the device's"))
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
    /// Classic mistakes in the data; absent if there are none.
    let nearMisses: [DecodedPayload.Mistake]?
    /// Whether the controller had no room for all of the data; absent if it is complete.
    let incomplete: Bool?
    /// The error in the data after the last parsed structure; absent if there is none.
    let malformed: String?

    init(_ report: ScanReport, key: FrameKey? = nil) {
        address = report.address.description
        addressType = Self.name(of: report.addressType)
        pdu = report.kind.name
        rssi = report.rssi?.decibelMilliwatts
        txPower = report.transmitPower?.decibelMilliwatts
        incomplete = report.isComplete ? nil : true
        let (parsed, error) = AdvertisingData.prefix(of: report.data)
        let payload = DecodedPayload(parsed, key: key, from: report.address)
        (frames, structures, padding, nearMisses) = (
            payload.frames, payload.structures, payload.padding, payload.nearMisses
        )
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
            + DecodedPayload.lines(frames, structures, padding, nearMisses).map { "  " + $0 }
            + [incomplete.map { _ in "  incomplete: the controller did not report all of the data" }].compactMap(\.self)
            + [malformed.map { "  malformed: \($0)" }].compactMap(\.self)
    }
}
