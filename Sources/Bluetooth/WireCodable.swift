// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A value with one exact representation in bytes.
///
/// A parsed value is serialized to the same bytes: reserved bits and unknown types are preserved.
public protocol WireCodable: Sendable {
    /// Parses one value and advances the reader past it.
    init(parsing reader: inout ByteReader) throws(WireError)
    /// Appends the value's bytes.
    func serialize(into writer: inout ByteWriter)
}

extension WireCodable {
    /// Parses a value that must be all of `bytes`.
    /// - Throws: `WireError`; `.trailingBytes` if bytes are left.
    public init(parsing bytes: [UInt8]) throws(WireError) {
        var reader = ByteReader(bytes)
        self = try Self(parsing: &reader)
        guard reader.isAtEnd else {
            throw WireError(.trailingBytes(reader.remaining), offset: reader.offset)
        }
    }

    /// The value's bytes.
    /// - Parameter capacity: the initial size of the array, in bytes. Most packets fit into the default without a second
    ///   allocation; pass the exact size for arrays that are stored for many beacons.
    public func serialized(capacity: Int = 64) -> [UInt8] {
        var writer = ByteWriter(capacity: capacity)
        serialize(into: &writer)
        return writer.bytes
    }
}

/// A parsing error: its kind and its offset.
///
/// The offset counts bytes from the start of the input of the outermost parser.
public struct WireError: Error, Hashable, Sendable {
    /// The kinds of parsing errors.
    public enum Kind: Hashable, Sendable {
        /// The input ended before a field of `needed` bytes; `available` were left.
        case truncated(needed: Int, available: Int)
        /// A length field contradicts the data that it describes.
        case badLength(Int)
        /// A field has a value that its specification does not allow.
        case badValue(field: String)
        /// The text is not hexadecimal.
        case notHexadecimal
        /// Bytes are left after the end of the format.
        case trailingBytes(Int)
    }

    /// The kind of the error.
    public let kind: Kind
    /// The position, in bytes from the start of the input.
    public let offset: Int

    /// An error of `kind` at `offset` bytes from the start of the input.
    public init(_ kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension WireError: CustomStringConvertible {
    /// One clause: the offset and the error.
    public var description: String {
        switch kind {
        case .truncated(let needed, let available):
            "byte \(offset): \(needed) more byte\(needed == 1 ? "" : "s") expected, \(available) left"
        case .badLength(let length): "byte \(offset): length \(length) is not possible here"
        case .badValue(let field): "byte \(offset): the value of \(field) is not allowed"
        case .notHexadecimal: "byte \(offset): not two hexadecimal digits"
        case .trailingBytes(let count): "byte \(offset): \(count) byte\(count == 1 ? "" : "s") too many"
        }
    }
}
