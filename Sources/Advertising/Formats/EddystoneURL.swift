// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import Bluetooth

/// Eddystone-URL, frame type 0x10: a compressed web address.
public struct EddystoneURL: Hashable, Sendable {
    /// The maximum number of bytes after the scheme.
    public static let maximumLength = 17

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let expansions = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info", ".biz",
        ".gov",
    ]

    /// The power at 0 m.
    public private(set) var power: TransmitPower
    /// The code of the scheme, an index of `schemes`; 4 to 255 are reserved.
    public let scheme: UInt8
    /// The rest of the URL: characters, codes for common ends of host names, and perhaps reserved bytes; 1 to 17 bytes.
    public let encoded: [UInt8]

    /// The shortest frame of a URL; `nil` if it has more than 17 bytes, nothing after the scheme, a scheme other than
    /// http and https, or a character that URLs cannot contain.
    public init?(power: TransmitPower, url: String) {
        var rest = Array(url.utf8)[...]
        // Both tables are sorted so that the first match is the longest.
        guard let scheme = Self.schemes.firstIndex(where: { rest.starts(with: $0.utf8) }) else { return nil }
        rest = rest.dropFirst(Self.schemes[scheme].utf8.count)
        var encoded: [UInt8] = []
        while let byte = rest.first {
            if let code = Self.expansions.firstIndex(where: { rest.starts(with: $0.utf8) }) {
                encoded.append(UInt8(code))
                rest = rest.dropFirst(Self.expansions[code].utf8.count)
            } else {
                guard Self.isPrintable(byte) else { return nil }
                encoded.append(byte)
                rest = rest.dropFirst()
            }
        }
        guard 1...Self.maximumLength ~= encoded.count else { return nil }
        self.power = power
        self.scheme = UInt8(scheme)
        self.encoded = encoded
    }

    /// The URL; `nil` if it contains a reserved byte.
    public var url: String? {
        guard Self.schemes.indices.contains(Int(scheme)) else { return nil }
        var url = Self.schemes[Int(scheme)]
        for byte in encoded {
            if Self.expansions.indices.contains(Int(byte)) {
                url += Self.expansions[Int(byte)]
            } else {
                guard Self.isPrintable(byte) else { return nil }
                url.unicodeScalars.append(UnicodeScalar(byte))
            }
        }
        return url
    }

    /// The RSSI at 1 m.
    public var measuredPower: MeasuredPower {
        get { Eddystone.measuredPower(power) }
        set { power = Eddystone.power(newValue) }
    }

    /// Whether a byte is a graphic character of ASCII; all other bytes are codes or reserved.
    private static func isPrintable(_ byte: UInt8) -> Bool { 0x21...0x7E ~= byte }
}

extension EddystoneURL: EddystoneFrame {
    /// Parses all bytes after the service UUID, 4 to 20.
    /// - Throws: `WireError`: truncated, `.badValue` if the frame type is not 0x10, `.badLength` if the URL has more
    ///   than 17 bytes.
    public init(parsing reader: inout ByteReader) throws(WireError) {
        try Eddystone.readType([0x10], &reader)
        power = TransmitPower(try reader.readInt8())
        scheme = try reader.readUInt8()
        let start = reader.offset
        let first = try reader.readUInt8()
        encoded = [first] + reader.readAll()
        guard encoded.count <= Self.maximumLength else { throw WireError(.badLength(encoded.count), offset: start) }
    }

    public func serialize(into writer: inout ByteWriter) {
        writer.write(UInt8(0x10))
        writer.write(power.decibelMilliwatts)
        writer.write(scheme)
        writer.write(encoded)
    }
}

extension EddystoneURL: MeasuredBeacon {
    public static let formatName = "eddystone-url"

    public var fields: [BeaconField] {
        let digits = Hexadecimal.string([scheme] + encoded)
        return [
            url.map { BeaconField("url", .text($0), text: $0) },
            BeaconField("encodedURL", .text(digits), text: url == nil ? "URL with reserved bytes \(digits)" : nil),
            .integer("powerAt0m", "power at 0 m", power.decibelMilliwatts, unit: "dBm"),
        ].compactMap { $0 }
    }
}

extension EddystoneURL: TransmittableBeacon {
    private init(template: Void) { (power, scheme, encoded) = (TransmitPower(-18), 2, [0x61]) }

    package static let template = EddystoneURL(template: ())

    package static let keys: [BeaconKey<EddystoneURL>] = [
        BeaconKey(
            "url", "Web address",
            "an address that begins with http:// or https://, of at most \(maximumLength) bytes when encoded, such as "
                + "https://example.com/a", .pattern("https?://.+"), isRequired: true
        ) { text, frame in
            guard let changed = EddystoneURL(power: frame.power, url: text) else { return false }
            frame = changed
            return true
        } text: {
            $0.url
        },
        BeaconKey("power-at-0m", "RSSI at 0 m", .power, \.power),
    ]

    package static let example: KeyValuePairs = ["url": "https://example.com/a"]
}
