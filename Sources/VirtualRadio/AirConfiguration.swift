// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

/// When data crosses a connection.
public enum ConnectionTiming: Hashable, Sendable {
    /// At the connection's events, with as much airtime as the interval has.
    case spec
    /// As soon as it is there; procedures of the link too.
    case immediate
}

/// What holds for a whole air.
package struct AirConfiguration: Hashable, Sendable {
    /// Decides all that is random: the same seed and the same inputs give the same bytes.
    package var seed: UInt64
    /// When data crosses a connection.
    package var timing: ConnectionTiming
    /// How strength falls with distance.
    package var pathLoss: PathLoss
    /// How many advertising reports a slow host has waiting before it loses the oldest.
    package var reportLimit: Int
    /// How many other packets a slow host has waiting before its controller takes no more for it.
    package var packetLimit: Int

    /// An air of this seed, as the specification has it unless told otherwise.
    package init(
        seed: UInt64 = 0, timing: ConnectionTiming = .spec, pathLoss: PathLoss = PathLoss(), reportLimit: Int = 4096,
        packetLimit: Int = 256
    ) {
        self.seed = seed
        self.timing = timing
        self.pathLoss = pathLoss
        self.reportLimit = max(1, reportLimit)
        self.packetLimit = max(1, packetLimit)
    }
}
