// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// Why bytes from outside could not be read, and where.
///
/// The offset counts octets from the start of the input that was given to the outermost parser.
public struct WireError: Error, Hashable, Sendable {
    /// The kinds of fault that bytes can have.
    public enum Kind: Hashable, Sendable {
        /// The input ended before a field of `needed` octets; `available` were left.
        case truncated(needed: Int, available: Int)
        /// A length field disagrees with what it describes.
        case badLength(Int)
        /// A field has a value that its specification does not allow.
        case badValue(field: String)
        /// Text that is not hexadecimal, at this character.
        case notHexadecimal
        /// Octets were left over where the format ends.
        case trailingBytes(Int)
    }

    /// What is wrong.
    public let kind: Kind
    /// Where: octets from the start of the input.
    public let offset: Int

    /// An error of `kind` at `offset` octets from the start of the input.
    public init(_ kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension WireError: CustomStringConvertible {
    /// One clause for people: what is wrong and at which byte.
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
