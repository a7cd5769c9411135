// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// An optional value that most of its owners do not have: without it, it takes the room of a pointer.
package indirect enum Rare<Value> {
    case none
    case some(Value)

    package init(_ value: Value?) { self = value.map(Self.some) ?? .none }

    /// The value; `nil` for none.
    package var value: Value? {
        get { if case .some(let value) = self { value } else { nil } }
        set { self = Self(newValue) }
    }
}

extension Rare: Sendable where Value: Sendable {}
extension Rare: Equatable where Value: Equatable {}
extension Rare: Hashable where Value: Hashable {}
