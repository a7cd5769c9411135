// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import VirtualRadio

/// A virtual air, and where other hosts find controllers on it.
public struct VirtualAirOptions: Hashable, Sendable {
    /// A place where controllers on the air are served.
    public enum Server: Hashable, Sendable {
        /// H4 over TCP, a controller for each connection; port 0 takes a free one.
        ///
        /// With an address, the first controller has it as its public address, and those beside it the next ones.
        case tcp(host: String, port: Int, address: BluetoothAddress? = nil)
        /// The kernel has a controller as hciN, with this public address.
        case kernel(address: BluetoothAddress? = nil)
    }

    /// The place that such airs are looked for at.
    public static let defaultServer = (host: "127.0.0.1", port: 6402)

    /// The timings by their names.
    public static let timings: [String: ConnectionTiming] = ["spec": .spec, "immediate": .immediate]

    /// Decides all that is left to chance on the air, keys that its controllers make included. `nil`: chance is another in
    /// each run, from a seed that `RadioCapabilities.seed` reports, and keys come from the system's generator.
    public var seed: UInt64?
    /// Whether data waits for connection events, or is there at once.
    public var timing: ConnectionTiming
    /// How fast signals weaken with distance: 2 in free space.
    public var pathLossExponent: Double
    /// The standard deviation of received strengths, in dB.
    public var noise: Double
    /// Where controllers are served.
    public var servers: [Server]

    /// Options; the defaults are a quiet room, served at `defaultServer`.
    public init(
        seed: UInt64? = nil, timing: ConnectionTiming = .spec, pathLossExponent: Double = 2, noise: Double = 0,
        servers: [Server] = [.tcp(host: Self.defaultServer.host, port: Self.defaultServer.port)]
    ) {
        self.seed = seed
        self.timing = timing
        self.pathLossExponent = pathLossExponent
        self.noise = noise
        self.servers = servers
    }
}
