// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import BluetoothCore

/// A beacon frame: its format and the fields of that format. Bytes are lower-case hexadecimal.
package struct DecodedFrame: Encodable {
    let format: String

    // ibeacon
    var uuid: String?
    var major: UInt16?
    var minor: UInt16?
    // altbeacon
    var company: UInt16?
    var id1: String?
    var id2: UInt16?
    var id3: UInt16?
    var manufacturerReserved: UInt8?
    // ibeacon and altbeacon: the RSSI at 1 m, in dBm
    var measuredPower: Int8?
    // eddystone-uid, -url and -eid: ranging data, the RSSI at 0 m, in dBm
    var powerAt0m: Int8?
    // eddystone-uid
    var namespace: String?
    var instance: String?
    // eddystone-url; the URL is absent if it has reserved bytes
    var url: String?
    var encodedURL: String?
    // eddystone-tlm; values that the beacon does not measure are absent
    var batteryMillivolts: UInt16?
    var temperature: Double?
    var advertisements: UInt32?
    var uptimeSeconds: Double?
    // eddystone-etlm
    var ciphertext: String?
    var salt: String?
    var integrityCheck: String?
    // eddystone-eid
    var ephemeralIdentifier: String?

    package init(_ frame: BeaconFrame) {
        format = frame.format.rawValue
        switch frame {
        case .iBeacon(let frame):
            uuid = frame.uuid.description
            major = frame.major
            minor = frame.minor
            measuredPower = frame.measuredPower.decibelMilliwatts
        case .altBeacon(let frame):
            company = frame.company.rawValue
            id1 = frame.id1.description
            id2 = frame.id2
            id3 = frame.id3
            measuredPower = frame.measuredPower.decibelMilliwatts
            manufacturerReserved = frame.manufacturerReserved
        case .eddystoneUID(let frame):
            powerAt0m = frame.power.decibelMilliwatts
            namespace = Hexadecimal.string(frame.namespace)
            instance = Hexadecimal.string(frame.instance)
        case .eddystoneURL(let frame):
            powerAt0m = frame.power.decibelMilliwatts
            url = frame.url
            encodedURL = Hexadecimal.string([frame.scheme] + frame.encoded)
        case .eddystoneTLM(let frame):
            batteryMillivolts = frame.batteryMillivolts > 0 ? frame.batteryMillivolts : nil
            temperature = frame.celsius
            advertisements = frame.advertisements
            uptimeSeconds = Double(frame.uptimeTenths) / 10
        case .eddystoneEncryptedTLM(let frame):
            ciphertext = Hexadecimal.string(frame.ciphertext)
            salt = Self.hexadecimal(frame.salt)
            integrityCheck = Self.hexadecimal(frame.integrityCheck)
        case .eddystoneEID(let frame):
            powerAt0m = frame.power.decibelMilliwatts
            ephemeralIdentifier = Hexadecimal.string(frame.identifier)
        }
    }

    /// One line of text.
    package var line: String {
        let parts = [
            uuid, major.map { "major \($0)" }, minor.map { "minor \($0)" },
            company.map { "company 0x" + Self.hexadecimal($0) }, id1, id2.map { "id2 \($0)" }, id3.map { "id3 \($0)" },
            measuredPower.map { "measured power \($0) dBm" },
            namespace.map { "namespace \($0)" }, instance.map { "instance \($0)" },
            url ?? encodedURL.map { "URL with reserved bytes \($0)" },
            batteryMillivolts.map { "battery \($0) mV" }, temperature.map { "\($0) °C" },
            advertisements.map { "\($0) advertisements" }, uptimeSeconds.map { "on for \($0) s" },
            ciphertext.map { "encrypted \($0)" }, salt.map { "salt \($0)" }, integrityCheck.map { "check \($0)" },
            ephemeralIdentifier, powerAt0m.map { "power at 0 m \($0) dBm" },
            manufacturerReserved.map { "reserved 0x" + Hexadecimal.string([$0]) },
        ]
        return ([format] + parts.compactMap(\.self)).joined(separator: " ")
    }

    private static func hexadecimal(_ value: UInt16) -> String {
        Hexadecimal.string([UInt8(value >> 8), UInt8(value & 0xFF)])
    }
}
