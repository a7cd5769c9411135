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
        guard let (scheme, encoded) = Self.encode(url) else { return nil }
        guard 1...Self.maximumLength ~= encoded.count else { return nil }
        self.power = power
        self.scheme = scheme
        self.encoded = encoded
    }

    /// The code of the scheme, and the bytes after it; `nil` for another scheme, and for a character that URLs cannot contain.
    private static func encode(_ url: String) -> (scheme: UInt8, encoded: [UInt8])? {
        var rest = Array(url.utf8)[...]
        // Both tables are sorted so that the first match is the longest.
        guard let scheme = schemes.firstIndex(where: { rest.starts(with: $0.utf8) }) else { return nil }
        rest = rest.dropFirst(schemes[scheme].utf8.count)
        var encoded: [UInt8] = []
        while let byte = rest.first {
            if let code = expansions.firstIndex(where: { rest.starts(with: $0.utf8) }) {
                encoded.append(UInt8(code))
                rest = rest.dropFirst(expansions[code].utf8.count)
            } else {
                guard isPrintable(byte) else { return nil }
                encoded.append(byte)
                rest = rest.dropFirst()
            }
        }
        return (UInt8(scheme), encoded)
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

    public var identity: BeaconIdentity? {
        BeaconIdentity(format: Self.formatName, .text(url ?? Hexadecimal.string([scheme] + encoded)))
    }

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
        address, BeaconKey("power-at-0m", "RSSI at 0 m", .power, \.power),
    ]

    private static let address = {
        var key = BeaconKey<EddystoneURL>(
            "url", "Web address",
            "an address that begins with http:// or https://, of at most \(maximumLength) bytes when encoded, such as "
                + "https://example.com/a", .pattern("https?://.+"), isRequired: true
        ) { text, frame in
            guard let changed = EddystoneURL(power: frame.power, url: text) else { return false }
            frame = changed
            return true
        } text: {
            $0.url
        }
        key.reason = reason
        return key
    }()

    /// Why a frame cannot have an address.
    private static func reason(_ text: String) -> String? {
        let scheme = text.prefix { $0 != ":" }
        guard ["http", "https"].contains(scheme.lowercased()), text.dropFirst(scheme.count).hasPrefix("://") else {
            return
                "\"\(text)\" begins with neither http:// nor https://, the only schemes of Eddystone-URL; write one of them"
        }
        guard scheme == scheme.lowercased() else {
            return "\"\(text)\" has its scheme in upper case; write \(scheme.lowercased())://"
        }
        if let character = text.first(where: { !$0.isASCII }) {
            return "\"\(text)\" has \"\(character)\", which is not ASCII; write %-escapes, and the host name as xn--…"
        }
        if text.contains(where: { $0.isWhitespace }) { return "\"\(text)\" has a blank; write %20" }
        guard let count = encode(text)?.encoded.count else { return nil }
        guard count > 0 else { return "\"\(text)\" has nothing after its scheme; write a host name" }
        return
            "\"\(text)\" takes \(count) bytes when encoded, and a frame has room for \(maximumLength); write a shorter address, as of a "
            + "service that shortens them"
    }

    package static let example: KeyValuePairs = ["url": "https://example.com/a"]
}
