// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import BluetoothCore
package import VirtualRadio

/// The parameters of a virtual air, and its servers for other hosts.
package struct VirtualAirOptions: Hashable, Sendable {
    /// A server of controllers on the air.
    package enum Server: Hashable, Sendable {
        /// H4 over TCP, a controller for each connection; port 0 picks a free port.
        ///
        /// With an address, the first controller has it as its public address, and the others the following ones.
        case tcp(host: String, port: Int, address: BluetoothAddress? = nil)
        /// A controller as hciN of the kernel, with this public address.
        case kernel(address: BluetoothAddress? = nil)
    }

    /// The server where a central looks for an air.
    package static let defaultServer = (host: "127.0.0.1", port: 6402)

    /// The timings, by name.
    package static let timings: [String: ConnectionTiming] = ["spec": .spec, "immediate": .immediate]

    /// The seed of all random numbers of the air, keys of its controllers included; `nil` for a random seed in
    /// each run, which `RadioCapabilities.seed` reports, and keys from the system's generator.
    package var seed: UInt64?
    /// Whether data waits for connection events, or arrives at once.
    package var timing: ConnectionTiming
    /// The path-loss exponent: 2 in free space.
    package var pathLossExponent: Double
    /// The standard deviation of the RSSI, in dB.
    package var noise: Double
    /// The servers.
    package var servers: [Server]

    /// Options; by default without noise, and served at `defaultServer`.
    package init(
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
