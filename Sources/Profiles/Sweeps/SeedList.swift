// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Devices

/// Seeds of runs: `1..50`, `1,5,9`, or `1..20,99`.
package struct SeedList: Hashable, Sendable {
    private static let maximumCount = 10_000

    /// The seeds in the order of the text, each once.
    package let seeds: [UInt64]
    /// The text that they were read from.
    package let text: String

    /// Reads a list.
    package init(_ text: String) throws(ValueFault) {
        var seeds: [UInt64] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let range = Self.range(part.filter { $0 != " " }) else {
                throw ValueFault("\"\(text)\" is not a list of seeds; write 1..50 or 1,5,9")
            }
            guard range.first <= range.last else {
                throw ValueFault("\(part) begins with its last seed; write \(range.last)..\(range.first)")
            }
            guard range.last - range.first < Self.maximumCount, seeds.count < Self.maximumCount else {
                throw ValueFault("at most \(Self.maximumCount) seeds are possible; write fewer, such as 1..50")
            }
            seeds += range.first...range.last
        }
        var known: Set<UInt64> = []
        if let seed = seeds.first(where: { !known.insert($0).inserted }) {
            throw ValueFault("the seed \(seed) is given twice; leave one out")
        }
        self.seeds = seeds
        self.text = text
    }

    /// `5` or `1..50`; `nil` for other texts.
    private static func range(_ text: String) -> (first: UInt64, last: UInt64)? {
        if let seed = UInt64(text) { return (seed, seed) }
        guard let dots = text.firstRange(of: ".."), let first = UInt64(text[..<dots.lowerBound]),
            let last = UInt64(text[dots.upperBound...])
        else { return nil }
        return (first, last)
    }
}
