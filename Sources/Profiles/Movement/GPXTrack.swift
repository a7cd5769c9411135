// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Devices

/// A track as GPX 1.0 or 1.1: `trkpt` elements with `lat`, `lon`, `time` and, if present, `ele`.
///
/// A file without `trkpt` may have `wpt` elements instead, as the files that Xcode plays.
enum GPXTrack {
    /// The positions in the order of the file.
    static func fixes(in text: String) throws(ValueFault) -> [MapFix] {
        var tags = XMLTags(text)
        var fixes: [String: [MapFix]] = [:]
        var point: Point?
        while let tag = try tags.next() {
            switch tag.kind {
            case .start:
                if tags.depth == 1, tag.name != "gpx" {
                    throw ValueFault("line \(tag.line): the file begins with <\(tag.name)>, and a GPX file with <gpx>")
                }
                if point == nil, tag.name == "trkpt" || tag.name == "wpt" {
                    point = Point(tag, depth: tags.depth)
                }
            case .end(let content):
                guard let open = point else { continue }
                // What is nested deeper belongs to an extension.
                if tags.depth == open.depth, tag.name == "time" || tag.name == "ele" {
                    point?.content[tag.name] = content
                } else if tags.depth < open.depth {
                    fixes[open.tag.name, default: []].append(try open.fix())
                    point = nil
                }
            }
        }
        return fixes["trkpt"] ?? fixes["wpt"] ?? []
    }

    /// A point whose end has not been read yet.
    private struct Point {
        let tag: XMLTags.Tag
        let depth: Int
        /// The texts of its parts, by their names.
        var content: [String: String] = [:]

        init(_ tag: XMLTags.Tag, depth: Int) {
            self.tag = tag
            self.depth = depth
        }

        func fix() throws(ValueFault) -> MapFix {
            do throws(ValueFault) {
                guard let latitude = tag.attribute("lat"), let longitude = tag.attribute("lon") else {
                    throw ValueFault("the point has no lat and lon")
                }
                guard let time = content["time"] else { throw ValueFault("the point has no <time>") }
                return MapFix(
                    latitude: try MapText.latitude(latitude), longitude: try MapText.longitude(longitude),
                    elevation: try content["ele"].map(MapText.elevation), time: try MapText.time(time), line: tag.line)
            } catch {
                throw ValueFault("line \(tag.line): \(error.message)")
            }
        }
    }
}

/// The tags of an XML text (XML 1.0, 5th edition), one after the other, which must be nested correctly.
///
/// It reads what GPX files have: elements, attributes, comments and processing instructions. Document type declarations are
/// refused, and with them entities of one's own, which can expand without bound; references are not replaced.
struct XMLTags {
    /// A tag.
    struct Tag {
        /// What it does.
        enum Kind {
            /// It opens an element.
            case start
            /// It closes the element of that name, with the text since the last tag.
            case end(String)
        }

        let kind: Kind
        /// The name without its prefix.
        let name: String
        /// The line that it begins in, counted from 1.
        let line: Int
        /// The text between name and end.
        fileprivate let rest: ArraySlice<UInt8>

        /// The value of an attribute; `nil` if it has none, or if it is not well-formed.
        func attribute(_ name: String) -> String? {
            var bytes = rest
            while true {
                bytes = bytes.drop(while: XMLTags.isBlank)
                let key = bytes.prefix { !XMLTags.isBlank($0) && $0 != UInt8(ascii: "=") }
                bytes = bytes.dropFirst(key.count).drop(while: XMLTags.isBlank)
                guard !key.isEmpty, bytes.popFirst() == UInt8(ascii: "=") else { return nil }
                bytes = bytes.drop(while: XMLTags.isBlank)
                guard let quote = bytes.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                    return nil
                }
                let value = bytes.prefix { $0 != quote }
                bytes = bytes.dropFirst(value.count)
                guard bytes.popFirst() != nil else { return nil }
                if key.elementsEqual(name.utf8) { return String(decoding: value, as: UTF8.self) }
            }
        }
    }

    private static let deepest = 64

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    /// The names of the open elements, with their prefixes, and their lines.
    private var open: [(name: ArraySlice<UInt8>, line: Int)] = []
    /// The end tag of an element that is closed where it opens.
    private var pending: Tag?
    private var content: ArraySlice<UInt8> = []

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The number of elements that are open after the last tag.
    var depth: Int { open.count }

    /// The next tag; `nil` at the end.
    mutating func next() throws(ValueFault) -> Tag? {
        if let tag = pending {
            pending = nil
            open.removeLast()
            return tag
        }
        while true {
            content = take(until: [UInt8(ascii: "<")])
            guard index < bytes.count else { break }
            let start = line
            if skips("<!--") {
                try skip(behind: "-->", "the comment", from: start)
            } else if skips("<?") {
                try skip(behind: "?>", "the processing instruction", from: start)
            } else if bytes[index...].starts(with: "<!".utf8) {
                throw ValueFault("line \(line): GPX files with <!DOCTYPE> or <![CDATA[ are not read; remove it")
            } else if skips("</") {
                return try endTag(from: start)
            } else {
                _ = skips("<")
                return try startTag(from: start)
            }
        }
        if let last = open.last { throw ValueFault("line \(last.line): <\(Self.text(last.name))> is not closed") }
        return nil
    }

    private mutating func endTag(from start: Int) throws(ValueFault) -> Tag {
        let text = String(decoding: content, as: UTF8.self)
        let name = take { Self.isBlank($0) || $0 == UInt8(ascii: ">") }
        _ = take { !Self.isBlank($0) }
        guard skips(">") else { throw ValueFault("line \(start): the tag </\(Self.text(name))> does not end") }
        guard let last = open.popLast() else {
            throw ValueFault("line \(start): </\(Self.text(name))> closes nothing")
        }
        guard last.name == name else {
            throw ValueFault(
                "line \(start): </\(Self.text(name))> is here, and <\(Self.text(last.name))> of line \(last.line) "
                    + "is open")
        }
        return Tag(kind: .end(text), name: Self.localName(name), line: start, rest: [])
    }

    private mutating func startTag(from start: Int) throws(ValueFault) -> Tag {
        let name = take { Self.isBlank($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
        var quote: UInt8?
        var rest = take { byte in
            if let open = quote {
                if byte == open { quote = nil }
                return false
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            return byte == UInt8(ascii: ">")
        }
        guard !name.isEmpty, skips(">") else { throw ValueFault("line \(start): a tag begins here that does not end") }
        guard open.count < Self.deepest else {
            throw ValueFault("line \(start): this is nested deeper than \(Self.deepest) levels")
        }
        open.append((name, start))
        if rest.last == UInt8(ascii: "/") {
            rest = rest.dropLast()
            pending = Tag(kind: .end(""), name: Self.localName(name), line: start, rest: [])
        }
        return Tag(kind: .start, name: Self.localName(name), line: start, rest: rest)
    }

    // MARK: - Bytes

    /// Takes the bytes up to the first for which a condition is true, or to the end.
    private mutating func take(until ends: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.count, !ends(bytes[index]) {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
        return bytes[start..<index]
    }

    /// Takes the bytes up to one of these.
    private mutating func take(until ends: [UInt8]) -> ArraySlice<UInt8> { take { ends.contains($0) } }

    /// Takes a text, if it is next.
    private mutating func skips(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    private mutating func skip(behind end: String, _ what: String, from start: Int) throws(ValueFault) {
        let first = end.utf8.first
        while index < bytes.count {
            _ = take { $0 == first }
            if skips(end) { return }
            index = min(index + 1, bytes.count)
        }
        throw ValueFault("line \(start): \(what) does not end")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0A ~= byte || byte == 0x0D }

    /// A name without its prefix.
    private static func localName(_ name: ArraySlice<UInt8>) -> String {
        text(name[(name.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.startIndex)...])
    }

    /// A name for messages, which may be long.
    private static func text(_ name: ArraySlice<UInt8>) -> String { String(decoding: name.prefix(64), as: UTF8.self) }
}
