// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import Radio

/// What passes between hosts and controllers, on its way into a capture file as Linux's monitor channel has it.
final class PacketCapture {
    private let sink: any CaptureSink
    private let writer = BtsnoopWriter(.monitor)
    private var known: Set<UInt16> = []

    /// A capture that begins now.
    init(_ sink: any CaptureSink) {
        self.sink = sink
        sink.append(writer.header)
    }

    /// Records a packet of a controller; its first makes the controller known.
    /// - Parameter time: when it passed, since the Unix epoch; `nil` for now.
    func record(_ packet: HCIPacket, _ direction: BtsnoopPacket.Direction, controller: Int, time: Duration? = nil) {
        let index = UInt16(truncatingIfNeeded: controller)
        let time = time ?? Duration.sinceUnixEpoch
        if known.insert(index).inserted {
            sink.append(writer.newController(index, address: .zero, name: "hci\(index)", time: time))
        }
        sink.append(writer.record(packet, direction: direction, time: time, controllerIndex: index))
    }
}
