// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// A picture of a file: its bytes, and what its head says of its format and size. The picture itself is not decoded.
package struct Picture: Hashable, Sendable {
    /// The formats. SVG is none of them: it may have scripts, which would run on the origin of the page.
    package enum Format: String, CaseIterable, Sendable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case webP = "image/webp"
    }

    /// The limit of a file's size, in bytes.
    package static let maximumSize = 4 << 20
    /// The limits of the size in pixels: of each side, and of all. A browser needs four bytes for each pixel.
    package static let maximumSide = 16_384, maximumPixels = 1 << 25

    /// The file.
    package let bytes: [UInt8]
    /// Its format; the raw value is the media type.
    package let format: Format
    /// The size in pixels, each at least 1.
    package let width, height: Int
    /// Differs for other bytes.
    package let tag: String

    /// A picture of these bytes.
    /// - Parameter name: of the file, for messages.
    /// - Throws: `ValueFault` if it is too large, or none of these formats.
    package init(_ bytes: [UInt8], named name: String) throws(ValueFault) {
        guard bytes.count <= Self.maximumSize else { throw Self.tooLarge(name, bytes.count) }
        guard let (format, size) = Self.head(of: bytes) else {
            let isSVG = name.lowercased().hasSuffix(".svg")
            throw ValueFault(
                "\"\(name)\" is not a picture of a known format; write the name of a .png, .jpg or .webp file"
                    + (isSVG ? ": an SVG may have scripts" : ""))
        }
        guard let (width, height) = size, width > 0, height > 0 else {
            throw ValueFault("\"\(name)\" is a damaged picture: its size cannot be read; export it again")
        }
        guard max(width, height) <= Self.maximumSide, width * height <= Self.maximumPixels else {
            throw ValueFault(
                "\"\(name)\" has \(width) x \(height) pixels; at most \(Self.maximumSide) a side and "
                    + "\(ValueText.grouped(Self.maximumPixels)) in all are accepted")
        }
        self.bytes = bytes
        self.format = format
        (self.width, self.height) = (width, height)
        let hash = bytes.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { hash, byte in
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        tag = String(hash, radix: 16)
    }

    /// A file of more bytes than a picture may have.
    package static func tooLarge(_ name: String, _ size: Int) -> ValueFault {
        ValueFault(
            "\"\(name)\" has \(ValueText.grouped(size)) bytes; a picture has at most \(ValueText.grouped(maximumSize)); "
                + "export it smaller")
    }
}

// MARK: - Heads of files

extension Picture {
    private typealias Size = (width: Int, height: Int)

    /// The format by the first bytes, and the size in pixels; without a size for a file that is cut or damaged.
    private static func head(of bytes: [UInt8]) -> (format: Format, size: Size?)? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return (.png, sizeOfPNG(bytes)) }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return (.jpeg, sizeOfJPEG(bytes)) }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return (.webP, sizeOfWebP(bytes))
        }
        return nil
    }

    /// The size in the chunk IHDR, which is the first (PNG, third edition, 11.2.1).
    private static func sizeOfPNG(_ bytes: [UInt8]) -> Size? {
        guard bytes.dropFirst(12).starts(with: Array("IHDR".utf8)), let width = big(bytes, at: 16, count: 4),
            let height = big(bytes, at: 20, count: 4)
        else { return nil }
        return (width, height)
    }

    /// The size in the frame header (ITU-T T.81, B.2.2), after the segments before it.
    private static func sizeOfJPEG(_ bytes: [UInt8]) -> Size? {
        var place = 2
        while place + 1 < bytes.count {
            guard bytes[place] == 0xFF else { return nil }
            let marker = bytes[place + 1]
            switch marker {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD7: place += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = big(bytes, at: place + 5, count: 2), let width = big(bytes, at: place + 7, count: 2)
                else { return nil }
                return (width, height)
            // The data, or the end, without a frame header.
            case 0xD9, 0xDA: return nil
            default:
                guard let length = big(bytes, at: place + 2, count: 2), length >= 2 else { return nil }
                place += 2 + length
            }
        }
        return nil
    }

    /// The size in the first chunk: of a lossy, a lossless or an extended file (RFC 9649, 2.5 to 2.7).
    private static func sizeOfWebP(_ bytes: [UInt8]) -> Size? {
        func size(_ place: Int, _ count: Int) -> Int? { little(bytes, at: place, count: count) }
        switch bytes.dropFirst(12).prefix(4) {
        case Array("VP8 ".utf8)[...]:
            guard size(23, 3) == 0x2A019D, let width = size(26, 2), let height = size(28, 2) else { return nil }
            return (width & 0x3FFF, height & 0x3FFF)
        case Array("VP8L".utf8)[...]:
            guard size(20, 1) == 0x2F, let bits = size(21, 4) else { return nil }
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case Array("VP8X".utf8)[...]:
            guard let width = size(24, 3), let height = size(27, 3) else { return nil }
            return (width + 1, height + 1)
        default: return nil
        }
    }

    private static func big(_ bytes: [UInt8], at place: Int, count: Int) -> Int? {
        guard place + count <= bytes.count else { return nil }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func little(_ bytes: [UInt8], at place: Int, count: Int) -> Int? {
        guard place + count <= bytes.count else { return nil }
        return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
