// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

public import BluetoothCore
public import VirtualRadio

/// The parameters of a virtual air, and its servers for other hosts.
public struct VirtualAirOptions: Hashable, Sendable {
    /// A server of controllers on the air.
    public enum Server: Hashable, Sendable {
        /// H4 over TCP, a controller for each connection; port 0 picks a free port.
        ///
        /// With an address, the first controller has it as its public address, and the others the following ones.
        case tcp(host: String, port: Int, address: BluetoothAddress? = nil)
        /// A controller as hciN of the kernel, with this public address.
        case kernel(address: BluetoothAddress? = nil)
    }

    /// The server where a central looks for an air.
    public static let defaultServer = (host: "127.0.0.1", port: 6402)

    /// The timings, by name.
    public static let timings: [String: ConnectionTiming] = ["spec": .spec, "immediate": .immediate]

    /// The seed of all random numbers of the air, keys of its controllers included; `nil` for a random seed in
    /// each run, which `RadioCapabilities.seed` reports, and keys from the system's generator.
    public var seed: UInt64?
    /// Whether data waits for connection events, or arrives at once.
    public var timing: ConnectionTiming
    /// The path-loss exponent: 2 in free space.
    public var pathLossExponent: Double
    /// The standard deviation of the RSSI, in dB.
    public var noise: Double
    /// The servers.
    public var servers: [Server]

    /// Options; by default without noise, and served at `defaultServer`.
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
