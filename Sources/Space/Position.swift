// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A position in a room, in metres.
public struct Position: Hashable, Sendable {
    /// The coordinate on the first axis.
    public let x: Double
    /// The coordinate on the second axis.
    public let y: Double
    /// The height.
    public let z: Double

    /// A position; the profile defines the axes.
    public init(x: Double, y: Double, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The distance to another position, in metres.
    public func distance(to other: Position) -> Double {
        let (x, y, z) = (self.x - other.x, self.y - other.y, self.z - other.z)
        return (x * x + y * y + z * z).squareRoot()
    }
}
