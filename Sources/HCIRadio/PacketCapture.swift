// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Radio

/// Writes the packets between hosts and controllers to a capture file, in the format of Linux's monitor channel.
final class PacketCapture {
    private let sink: any CaptureSink
    private let writer = BtsnoopWriter(.monitor)
    private var known: Set<UInt16> = []

    /// A capture that begins now.
    init(_ sink: any CaptureSink) {
        self.sink = sink
        sink.append(writer.header)
    }

    /// Records a packet of a controller; before its first, the controller itself.
    /// - Parameter time: the time since the Unix epoch; `nil` for now.
    func record(_ packet: HCIPacket, _ direction: BtsnoopPacket.Direction, controller: Int, time: Duration? = nil) {
        let index = UInt16(truncatingIfNeeded: controller)
        let time = time ?? Duration.sinceUnixEpoch
        if known.insert(index).inserted {
            sink.append(writer.newController(index, address: .zero, name: "hci\(index)", time: time))
        }
        sink.append(writer.record(packet, direction: direction, time: time, controllerIndex: index))
    }
}
