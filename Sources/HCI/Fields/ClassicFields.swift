// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth

/// A setting that is off or on.
package struct HCISwitch: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let off = HCISwitch(rawValue: 0)
    package static let on = HCISwitch(rawValue: 1)
}

/// A time in slots of 0.625 ms, two bytes (Core 5.4, Vol 4, Part E, 7.3).
package struct BasebandSlots: WireCodable, Hashable {
    /// The number of slots.
    package let count: UInt16

    package init(_ count: UInt16) { self.count = count }

    /// Microseconds.
    package var microseconds: Int64 { Int64(count) * 625 }

    package init(parsing reader: inout ByteReader) throws(WireError) { count = try reader.readLittleEndian() }
    package func serialize(into writer: inout ByteWriter) { writer.writeLittleEndian(count) }
}

/// The scans of a BR/EDR controller, one bit each (Core 5.4, Vol 4, Part E, 7.3.18).
package struct ScanEnable: HCIFlags {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Inquiries find the controller.
    package static let inquiry = ScanEnable(rawValue: 1 << 0)
    /// Peers can connect to it.
    package static let page = ScanEnable(rawValue: 1 << 1)
}

/// When a BR/EDR controller scans for inquiries or pages (Core 5.4, Vol 4, Part E, 7.3.20).
package struct ScanActivity: WireCodable, Hashable {
    /// Between the starts of two scans: 11.25 ms to 2.56 s, an even number of slots.
    package let interval: BasebandSlots
    /// The duration of a scan: 10.625 ms up to the interval.
    package let window: BasebandSlots

    package init(interval: UInt16, window: UInt16) {
        (self.interval, self.window) = (BasebandSlots(interval), BasebandSlots(window))
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        interval = try BasebandSlots(parsing: &reader)
        window = try BasebandSlots(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        interval.serialize(into: &writer)
        window.serialize(into: &writer)
    }
}

/// How a BR/EDR controller scans (Core 5.4, Vol 4, Part E, 7.3.47 and 7.3.51).
package struct ScanPattern: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let standard = ScanPattern(rawValue: 0)
    package static let interlaced = ScanPattern(rawValue: 1)
}

/// The form of inquiry results (Core 5.4, Vol 4, Part E, 7.3.49).
package struct InquiryMode: HCICode {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let standard = InquiryMode(rawValue: 0)
    package static let withRSSI = InquiryMode(rawValue: 1)
    package static let extended = InquiryMode(rawValue: 2)
}

/// What peers may change of a connection, one bit each (Core 5.4, Vol 4, Part E, 7.2.10).
package struct LinkPolicy: HCIFlags {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let roleSwitch = LinkPolicy(rawValue: 1 << 0)
    package static let hold = LinkPolicy(rawValue: 1 << 1)
    package static let sniff = LinkPolicy(rawValue: 1 << 2)
}

/// The coding of voice, ten bits (Core 5.4, Vol 4, Part E, 6.12).
package struct VoiceSetting: HCIFlags {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Linear samples of 16 bits, sent as CVSD.
    package static let linearCVSD = VoiceSetting(rawValue: 0x0060)
}

/// The data that answers an inquiry (Core 5.4, Vol 4, Part E, 7.3.56).
package struct ExtendedInquiryResponse: WireCodable, Hashable {
    /// Whether it is sent with forward error correction.
    package let fecRequired: HCISwitch
    /// AD structures, padded with zeros.
    package let data: Octets<240>

    package init(fecRequired: HCISwitch = .off, data: Octets<240> = .zero) {
        self.fecRequired = fecRequired
        self.data = data
    }

    package init(parsing reader: inout ByteReader) throws(WireError) {
        fecRequired = try HCISwitch(parsing: &reader)
        data = try Octets<240>(parsing: &reader)
    }

    package func serialize(into writer: inout ByteWriter) {
        fecRequired.serialize(into: &writer)
        data.serialize(into: &writer)
    }
}

/// The lower part of the address of an inquiry access code, three bytes, least significant first.
package typealias InquiryAccessCode = Octets<3>

extension Octets where count == 3 {
    /// GIAC: finds all devices that can be found (Assigned Numbers, 2.2).
    package static let generalInquiry = InquiryAccessCode(padding: [0x33, 0x8B, 0x9E])
    /// LIAC: finds those that can be found for a limited time.
    package static let limitedInquiry = InquiryAccessCode(padding: [0x00, 0x8B, 0x9E])

    /// Whether it is in the range of inquiry access codes: 0x9E8B00 to 0x9E8B3F.
    package var isInquiryAccessCode: Bool { bytes[2] == 0x9E && bytes[1] == 0x8B && bytes[0] <= 0x3F }
}
