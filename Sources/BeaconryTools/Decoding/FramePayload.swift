// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Advertising
import Bluetooth

/// The advertising data of a frame, as `encode` prints and `advertise` sends it.
package struct FramePayload: Encodable, Report {
    /// The frame.
    package let frame: any TransmittableBeacon
    /// The flags in front of it; `nil` for none.
    package let flags: AdvertisingFlags?

    /// - Throws: `Failure` if a PDU cannot carry the frame.
    package init(_ frame: some TransmittableBeacon, flags: AdvertisingFlags?) throws(Failure) {
        let size = frame.advertisingData(flags: flags).size
        guard size <= AdvertisingPDU.capacity else {
            throw .usage(
                "the advertising data takes \(size) bytes, and a PDU carries \(AdvertisingPDU.capacity); "
                    + "leave out keys"
                    + (flags == nil ? "" : ", or the flags (--flags none)"))
        }
        self.frame = frame
        self.flags = flags
    }

    private var digits: String { Hexadecimal.string(frame.advertisingData(flags: flags).serialized()) }

    /// What the device has in its scan response; `nil` for most formats.
    private var scanResponse: String? {
        frame.scanResponse.size > 0 ? Hexadecimal.string(frame.scanResponse.serialized()) : nil
    }

    package var lines: [String] { [digits] + [scanResponse.map { "scan response: \($0)" }].compactMap(\.self) }

    private enum Key: CodingKey {
        case format, fields, advertisingData, scanResponse
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let frame = BeaconFrame(frame)
        try container.encode(frame.format, forKey: .format)
        try container.encode(FieldObject(fields: frame.fields), forKey: .fields)
        try container.encode(digits, forKey: .advertisingData)
        try container.encodeIfPresent(scanResponse, forKey: .scanResponse)
    }
}
