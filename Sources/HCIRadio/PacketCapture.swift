// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Radio

/// The captures of a radio: what passes between its hosts and controllers is written to each of them.
///
/// It lives on the event loop of the radio.
final class PacketCaptures {
    private var captures: [(number: Int, capture: PacketCapture)] = []
    private var lastNumber = 0

    /// No captures, or one of the whole run.
    init(_ sink: (any CaptureSink)? = nil) {
        if let sink { begin(sink) }
    }

    /// Whether there are none.
    var isEmpty: Bool { captures.isEmpty }

    /// Begins a capture.
    /// - Returns: its number.
    @discardableResult
    func begin(_ sink: any CaptureSink) -> Int {
        lastNumber += 1
        captures.append((lastNumber, PacketCapture(sink)))
        return lastNumber
    }

    /// Ends a capture.
    func end(_ number: Int) { captures.removeAll { $0.number == number } }

    /// Records a packet of a controller.
    /// - Parameter time: the time since the Unix epoch; `nil` for now.
    func record(_ packet: HCIPacket, _ direction: CapturedPacket.Direction, controller: Int, time: Duration? = nil) {
        for (_, capture) in captures { capture.record(packet, direction, controller: controller, time: time) }
    }
}

/// Writes the packets between hosts and controllers to a capture file, in the format of Linux's monitor channel.
private final class PacketCapture {
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
    func record(_ packet: HCIPacket, _ direction: CapturedPacket.Direction, controller: Int, time: Duration? = nil) {
        let index = UInt16(truncatingIfNeeded: controller)
        let time = time ?? Duration.sinceUnixEpoch
        if known.insert(index).inserted {
            sink.append(writer.newController(index, address: .zero, name: "hci\(index)", time: time))
        }
        sink.append(writer.record(packet, direction: direction, time: time, controllerIndex: index))
    }
}
