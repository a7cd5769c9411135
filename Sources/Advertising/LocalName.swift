// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

extension AdvertisingStructure {
    /// A local name that fits into `budget` bytes: complete, or cut to whole characters and marked as shortened.
    ///
    /// Core Specification Supplement 11, Part A, 1.2: a shortened name is a prefix of the complete one.
    /// - Returns: The structure; `nil` for an empty name, or if not even its first character fits.
    public static func localName(_ name: String, fitting budget: Int) -> AdvertisingStructure? {
        let available = budget - 2
        guard !name.isEmpty, available > 0 else { return nil }
        guard name.utf8.count > available else { return .localName(name, isComplete: true) }
        var prefix = ""
        for character in name {
            guard prefix.utf8.count + character.utf8.count <= available else { break }
            prefix.append(character)
        }
        return prefix.isEmpty ? nil : .localName(prefix, isComplete: false)
    }
}
