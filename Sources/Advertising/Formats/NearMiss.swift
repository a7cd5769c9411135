// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Data that is almost a frame of a known format, or almost well-formed: a classic mistake, which most receivers ignore silently.
package struct NearMiss: Hashable, Sendable {
    /// What it is, after "received" or "it is": `an iBeacon of 26 bytes`.
    package let text: String
    /// What to write instead, without a full stop.
    package let hint: String
}

extension AdvertisingData {
    /// The classic mistakes in it, in order; empty if there are none.
    package var nearMisses: [NearMiss] {
        if let prefixed = lengthInFront { return [prefixed] }
        return structures.compactMap(\.nearMiss) + [bytesAfterEnd].compactMap(\.self)
    }

    /// Parameters of the HCI command LE Set Advertising Data begin with the length of the data (Core, Vol 4, Part E, 7.8.7), as
    /// recipes for hcitool do.
    private var lengthInFront: NearMiss? {
        let bytes = serialized()
        guard let length = bytes.first, bytes.dropFirst().starts(with: [0x02, 0x01]), case .unknown? = structures.first
        else { return nil }
        let rest = AdvertisingData(verbatim: Array(bytes.dropFirst()))
        guard rest.structures.count > 1, Int(length) <= AdvertisingPDU.capacity else { return nil }
        let digits = Hexadecimal.string([length])
        return NearMiss(
            text: "advertising data with its length 0x\(digits) in front, as the HCI command has it",
            hint: "leave the first byte out, so that the data begins with 0201")
    }

    private var bytesAfterEnd: NearMiss? {
        guard padding.contains(where: { $0 != 0 }) else { return nil }
        // The length byte of 0 is the end itself.
        let count = padding.count - 1
        return NearMiss(
            text: "\(count) byte\(count == 1 ? "" : "s") after the end of the data, which receivers ignore",
            hint: "a length byte of 0 ends the data (Core, Vol 3, Part C, 11): correct the length before it")
    }
}

extension AdvertisingStructure {
    /// The frame or the list that it almost is; `nil` for a frame, and for other data.
    package var nearMiss: NearMiss? {
        guard BeaconFrame(self) == nil else { return nil }
        switch self {
        case .manufacturerSpecific(let company, let data):
            return Self.iBeacon(company, data) ?? Self.altBeacon(data, total: data.count + 2)
        case .serviceData16(let service, let data): return Self.service(service, data)
        case .unknown(type: 0x02, let data), .unknown(type: 0x03, let data): return Self.list(data, of: 2, "16-bit")
        case .unknown(type: 0x06, let data), .unknown(type: 0x07, let data): return Self.list(data, of: 16, "128-bit")
        default: return nil
        }
    }

    private static func list(_ data: [UInt8], of size: Int, _ name: String) -> NearMiss {
        NearMiss(
            text: "a list of \(name) UUIDs of \(data.count) bytes, which is no multiple of \(size)",
            hint: "correct the length byte in front of it, or complete the last UUID")
    }

    /// Type and length 0x02 0x15 of another company or with another number of bytes, or Apple's type with another length byte.
    private static func iBeacon(_ company: CompanyIdentifier, _ data: [UInt8]) -> NearMiss? {
        let digits = Hexadecimal.string([UInt8(company.rawValue >> 8), UInt8(company.rawValue & 0xFF)])
        let hasType = data.starts(with: [0x02, 0x15])
        if company == .apple, !hasType, data.first == 0x02, data.count >= 20, let length = data.dropFirst().first {
            return NearMiss(
                text: "an iBeacon with the length byte 0x\(Hexadecimal.string([length])) instead of 0x15",
                hint: "write 4c000215 before the UUID")
        }
        guard hasType, data.count >= 18 else { return nil }
        let size = data.count + 2
        if company != .apple {
            let isExchanged = company.rawValue == 0x4C00
            return NearMiss(
                text: "an iBeacon of company 0x\(digits)"
                    + (isExchanged ? ", Apple's 0x004C with its bytes exchanged" : ""),
                hint: isExchanged
                    ? "write 4c00: the low byte comes first" : "write Apple's company identifier, 4c00, before 0215")
        }
        let lack = size == 24 ? ", without its measured power" : size == 20 ? ", cut after its UUID" : ""
        return NearMiss(
            text: "an iBeacon of \(size) bytes\(lack)",
            hint: "Apple's frame has 25 bytes from 4c00 on: UUID, major, minor and one byte of measured power")
    }

    private static func altBeacon(_ data: [UInt8], total: Int) -> NearMiss? {
        if data.starts(with: [0xAC, 0xBE]), total == 26 {
            return NearMiss(
                text: "an AltBeacon whose code has its bytes exchanged", hint: "write beac after the company identifier"
            )
        }
        guard data.starts(with: [0xBE, 0xAC]), total >= 20 else { return nil }
        return NearMiss(
            text: "an AltBeacon of \(total) bytes", hint: "a frame has 26 bytes from the company identifier on")
    }

    private static func service(_ service: UInt16, _ data: [UInt8]) -> NearMiss? {
        switch service {
        case Eddystone.service:
            let names: [UInt8: (name: String, size: String)] = [
                0x00: ("Eddystone-UID", "20, or the 18 of early beacons"), 0x10: ("Eddystone-URL", "4 to 20"),
                0x20: ("Eddystone-TLM", "14, or the 18 of an encrypted one"), 0x30: ("Eddystone-EID", "10"),
            ]
            guard let type = data.first, let format = names[type] else { return nil }
            return NearMiss(
                text: "an \(format.name) of \(data.count) bytes",
                hint: "a frame has \(format.size) bytes after the service UUID")
        case 0xAAFE:
            return NearMiss(
                text: "Eddystone data whose service UUID has its bytes exchanged",
                hint: "write aafe: the low byte comes first")
        case BTHome.service: return bthome(data)
        case 0x181C, 0x181E:
            return NearMiss(
                text: "data of service 0x\(service == 0x181C ? "181C" : "181E"), which BTHome version 1 uses",
                hint: "version 2 has service 0xFCD2")
        default: return nil
        }
    }

    /// Device information of another version, or too few bytes behind it (bthome.io/format, bthome.io/encryption).
    private static func bthome(_ data: [UInt8]) -> NearMiss? {
        guard let information = data.first else {
            return NearMiss(text: "BTHome data of 0 bytes", hint: "device information, such as 40, comes first")
        }
        guard information >> 5 == 2 else {
            return NearMiss(
                text: "BTHome data of version \(information >> 5)",
                hint: "version 2 begins with 40, or 41 when encrypted")
        }
        guard information & ~(BTHome.encrypted | BTHome.hasAddress | BTHome.isTriggered) == 0 else {
            return NearMiss(
                text: "BTHome data whose device information 0x\(Hexadecimal.string([information])) has reserved bits",
                hint: "it is 40, with 01 for encryption, 02 for an address and 04 for a trigger")
        }
        guard information & BTHome.encrypted == BTHome.encrypted else {
            return NearMiss(text: "BTHome data that is cut in its address", hint: "an address has 6 bytes")
        }
        return NearMiss(
            text: "an encrypted BTHome frame of \(data.count) bytes",
            hint: "behind the values it has 4 bytes of the counter and 4 of the code")
    }
}
