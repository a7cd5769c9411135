// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A place in a room, in metres.
public struct Position: Hashable, Sendable {
    /// Along the first axis.
    public let x: Double
    /// Along the second axis.
    public let y: Double
    /// Height.
    public let z: Double

    /// A place; the axes are the profile's.
    public init(x: Double, y: Double, z: Double = 0) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// How far it is from another, in metres.
    public func distance(to other: Position) -> Double {
        let (x, y, z) = (self.x - other.x, self.y - other.y, self.z - other.z)
        return (x * x + y * y + z * z).squareRoot()
    }
}
