// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// How deep containers are nested, within one signature and over all.
///
/// D-Bus Specification, "Message Protocol", "Valid Signatures" (32 arrays, 32 structures), and the 64 levels over all
/// that a variant in a variant counts against.
struct Nesting {
    static let maximumArrays = 32
    static let maximumStructures = 32
    static let maximumTotal = 64

    private var arrays = 0
    private var structures = 0
    private var total = 0

    func inArray() throws(DBusError) -> Nesting {
        var inner = self
        inner.arrays += 1
        guard inner.arrays <= Self.maximumArrays else {
            throw .invalidArgument("arrays nested deeper than \(Self.maximumArrays) levels")
        }
        return try inner.oneDeeper()
    }

    func inStructure() throws(DBusError) -> Nesting {
        var inner = self
        inner.structures += 1
        guard inner.structures <= Self.maximumStructures else {
            throw .invalidArgument("structures nested deeper than \(Self.maximumStructures) levels")
        }
        return try inner.oneDeeper()
    }

    /// An entry of a dictionary, whose array is counted as such.
    func inEntry() throws(DBusError) -> Nesting {
        try oneDeeper()
    }

    /// A variant begins a new signature.
    func inVariant() throws(DBusError) -> Nesting {
        var inner = Nesting()
        inner.total = total
        return try inner.oneDeeper()
    }

    private func oneDeeper() throws(DBusError) -> Nesting {
        var inner = self
        inner.total += 1
        guard inner.total <= Self.maximumTotal else {
            throw .invalidArgument("values nested deeper than \(Self.maximumTotal) levels")
        }
        return inner
    }
}
