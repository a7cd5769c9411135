// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A value in the heap, which its copies share: 8 bytes in each of them. A change makes a new one.
package indirect enum Boxed<Value> {
    case value(Value)

    package init(_ value: Value) { self = .value(value) }

    /// The value.
    package var value: Value {
        get {
            switch self {
            case .value(let value): value
            }
        }
        set { self = .value(newValue) }
    }
}

extension Boxed: Sendable where Value: Sendable {}
extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}
