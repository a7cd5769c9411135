// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// One sensor while a SensorTag runs.
struct SensorTagSensorState: Hashable, Sendable {
    /// What was written to its configuration, whether it means something or not.
    var configuration: UInt8 = 0
    /// What was written to its period, in steps of 10 ms, whether it is possible or not.
    var period: UInt8
    /// The period by which it measures.
    var appliedPeriod: UInt8
    /// What it has measured last.
    var data: [UInt8]
    /// When it measures next, in uptime; `nil` while it is off.
    var nextSample: Duration?
    /// How often it has measured since it was switched on.
    var sampleCount = 0
    /// The acceleration that the greatest number stands for, in g.
    var greatestAcceleration: Double

    init(_ sensor: SensorTagSensor, firmware: SensorTagFirmware) {
        period = sensor.defaultPeriod
        appliedPeriod = period
        data = [UInt8](repeating: 0, count: sensor.dataLength)
        greatestAcceleration = firmware.greatestAcceleration
    }

    var isOn: Bool { nextSample != nil }
}
