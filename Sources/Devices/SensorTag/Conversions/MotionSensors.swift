// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// What the sensors of three axes give: a signed number for each.
enum MotionSensors {
    /// The data of a KXTJ9 for accelerations in g, of 8 bits each.
    /// - Parameter greatest: the acceleration that the greatest number stands for: 2, 4 or 8 g.
    static func acceleration(_ axes: [Double], greatest: Double) -> [UInt8] {
        axes.map { UInt8(bitPattern: Int8(clampedNearest: $0 * 128 / greatest)) }
    }

    /// The data of a MAG3110 for flux densities in µT, as the tag scales it.
    static func magnetism(_ axes: [Double]) -> [UInt8] { words(axes, span: 2000) }

    /// The data of an IMU-3000 for rotations in degrees per second.
    static func rotation(_ axes: [Double]) -> [UInt8] { words(axes, span: 500) }

    private static func words(_ axes: [Double], span: Double) -> [UInt8] {
        var writer = ByteWriter(capacity: axes.count * 2)
        for axis in axes { writer.writeLittleEndian(Int16(clampedNearest: axis * 65536 / span)) }
        return writer.bytes
    }
}
