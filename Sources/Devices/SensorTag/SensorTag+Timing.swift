// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import BluetoothCore

extension SensorTag {
    /// How long it leaves a central alone before it asks for another timing.
    static let pauseBeforeRetiming = Duration.seconds(8)
    /// What it asks for: 100 ms to 1 s, no latency, 10 s.
    static let likedTiming = ConnectionParameters(
        interval: Ticks(80)...Ticks(800), supervisionTimeout: Ticks(1000))

    func updateConnection(to timing: ConnectionParameters) -> [DeviceEffect] {
        central.map { [.updateConnection($0, timing)] } ?? []
    }

    /// Asks for a timing that the central itself wrote: shortest and longest interval, latency and timeout.
    func updateConnection(asWritten value: [UInt8]) -> [DeviceEffect] {
        var reader = ByteReader(value)
        guard let shortest: UInt16 = try? reader.readLittleEndian(),
            let longest: UInt16 = try? reader.readLittleEndian(),
            let latency: UInt16 = try? reader.readLittleEndian(), let timeout: UInt16 = try? reader.readLittleEndian(),
            shortest <= longest
        else { return [] }
        return updateConnection(
            to: ConnectionParameters(
                interval: Ticks(UInt32(shortest))...Ticks(UInt32(longest)), latency: latency,
                supervisionTimeout: Ticks(UInt32(timeout))))
    }

    mutating func takeTiming(_ timing: ConnectionParameters, of central: Central) -> [DeviceEffect] {
        guard central == self.central else { return [] }
        var writer = ByteWriter(capacity: 6)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: timing.interval.lowerBound.count))
        writer.writeLittleEndian(timing.latency)
        writer.writeLittleEndian(UInt16(truncatingIfNeeded: timing.supervisionTimeout.count))
        self.timing = writer.bytes
        return notify(SensorTagWire.connectionParameters, writer.bytes)
    }
}
