// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// A change of the path between two antennas on an emulated air, in both directions, in place of the model or beside it.
package struct LinkOverride: Hashable, Sendable {
    /// The RSSI of all packets in dBm, whatever the model has; `nil` for the RSSI of the model.
    package var rssi: Int8?
    /// A loss in dB in addition to the loss of the model.
    package var loss: Double
    /// The probability that a packet is lost, in addition to the losses of the model; 1 for a blocked path.
    package var packetLoss: Double
    /// The time until the override ends; `nil` without a limit.
    package var duration: Duration?

    package init(rssi: Int8? = nil, loss: Double = 0, packetLoss: Double = 0, duration: Duration? = nil) {
        self.rssi = rssi
        self.loss = loss
        self.packetLoss = packetLoss
        self.duration = duration
    }

    /// Whether all packets are lost.
    package var isBlocked: Bool { packetLoss >= 1 }

    /// The RSSI in dBm of a packet that has this RSSI in the model.
    package func rssi(of model: Double) -> Double { rssi.map(Double.init) ?? model - loss }
}
