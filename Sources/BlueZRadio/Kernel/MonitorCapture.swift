// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import HCI
import Radio

/// Writes the traffic of the monitor channel to a capture, as a btsnoop file.
struct MonitorCapture {
    private let sink: any CaptureSink
    private let writer = BtsnoopWriter(.monitor)

    init(to sink: any CaptureSink) { self.sink = sink }

    /// Begins the file.
    /// - Parameter isPermitted: whether the monitor channel is open.
    /// - Throws: `RadioError` `.notPermitted` if it is not.
    func begin(isPermitted: Bool) throws(RadioError) {
        guard isPermitted else {
            throw RadioError(
                .notPermitted, "capturing what passes an adapter needs CAP_NET_RAW",
                hint: "give beaconry the capability (see docs/adapters.md, \"Rights\"), or leave --capture out")
        }
        sink.append(writer.header)
    }

    /// Writes a packet of any adapter.
    func append(_ packet: MonitorPacket) {
        sink.append(
            writer.record(
                monitorCode: packet.kind, controllerIndex: packet.index, data: packet.data, time: .sinceUnixEpoch))
    }
}
