// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothCore
import HCIRadio

/// The options of the virtual air.
struct VirtualAirOption: ParsableArguments {
    @Option(
        help: """
            Where other hosts find controllers on the virtual air: tcp:HOST:PORT (port 0 takes a free one), vhci (the \
            kernel has one as hciN), or none; may be repeated. ?address=XX:XX:XX:XX:XX:XX after a place gives its \
            controller that public address (default: tcp:127.0.0.1:6402).
            """)
    var hciServer: [String] = []

    @Option(
        parsing: .unconditional,
        help: """
            Seed of the virtual air's random number generator, keys of its controllers included (default: a random one, \
            reported by the radio-ready event, and keys from the system).
            """)
    var seed: String?

    @Option(
        help: """
            When data on the virtual air arrives: spec, at connection events as on a real air, or immediate (default: \
            spec).
            """)
    var airTiming: String?

    @Option(
        parsing: .unconditional,
        help: """
            Path-loss exponent of the virtual air: 2 is free space, 3 to 4 indoors (default: \
            \(VirtualAirOptions().pathLossExponent)).
            """)
    var pathLoss: String?

    @Option(
        parsing: .unconditional,
        help: """
            Standard deviation of the RSSI on the virtual air, in dB (default: \(VirtualAirOptions().noise)).
            """)
    var rssiNoise: String?

    /// Whether one of them was given.
    var isGiven: Bool {
        !hciServer.isEmpty || seed != nil || airTiming != nil || pathLoss != nil || rssiNoise != nil
    }

    /// The air that they describe.
    /// - Throws: `Failure` naming the option that cannot be so.
    func options() throws -> VirtualAirOptions {
        var options = VirtualAirOptions()
        if let seed = try value(
            seed, "--seed", "BEACONRY_SEED", "a whole number from 0 to \(UInt64.max)", { UInt64($0) })
        {
            options.seed = seed
        }
        if let timing = try value(
            airTiming, "--air-timing", "BEACONRY_AIR_TIMING", "one of spec, immediate",
            { VirtualAirOptions.timings[$0] })
        {
            options.timing = timing
        }
        if let exponent = try value(
            pathLoss, "--path-loss", "BEACONRY_PATH_LOSS", "a number from 0 to 10", { Self.number($0, upTo: 10) })
        {
            options.pathLossExponent = exponent
        }
        if let noise = try value(
            rssiNoise, "--rssi-noise", "BEACONRY_RSSI_NOISE", "a number of decibels from 0 to 40",
            { Self.number($0, upTo: 40) })
        {
            options.noise = noise
        }
        if let servers = try Self.servers(hciServer.isEmpty ? Self.serversInEnvironment : hciServer) {
            options.servers = servers
        }
        return options
    }

    /// Where a virtual air is looked for: where one would be served over TCP by the same environment.
    /// - Throws: `Failure`.
    static func servedPlace() throws -> (host: String, port: Int) {
        let places = try servers(serversInEnvironment)?.compactMap { server -> (host: String, port: Int)? in
            guard case .tcp(let host, let port, _) = server, port != 0 else { return nil }
            return (host, port)
        }
        return places?.first ?? VirtualAirOptions.defaultServer
    }

    private static var serversInEnvironment: [String] {
        Environment.value("BEACONRY_HCI_SERVER").map { $0.split(separator: " ").map(String.init) } ?? []
    }

    private static func servers(_ names: [String]) throws -> [VirtualAirOptions.Server]? {
        if names.isEmpty { return nil }
        if names == ["none"] { return [] }
        return try names.map { name in
            let parts = name.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let address = try parts.count > 1 ? Self.address(in: parts[1], of: name) : nil
            if parts[0] == "vhci" { return .kernel(address: address) }
            if parts[0].hasPrefix("tcp:"),
                let (host, port) = HostAndPort.parse(String(parts[0].dropFirst("tcp:".count)))
            {
                return .tcp(host: host, port: port, address: address)
            }
            throw Failure.usage("--hci-server: \"\(name)\" is not tcp:HOST:PORT, vhci, or none alone")
        }
    }

    /// The address in `address=XX:XX:XX:XX:XX:XX`.
    private static func address(in query: String, of name: String) throws -> BluetoothAddress {
        let key = "address="
        guard query.hasPrefix(key) else {
            throw Failure.usage(
                "--hci-server: \"\(name)\": \"\(query)\" is not address=XX:XX:XX:XX:XX:XX")
        }
        let text = String(query.dropFirst(key.count))
        guard let address = BluetoothAddress(text), address != .zero, address.octets.contains(where: { $0 != 0xFF })
        else {
            throw Failure.usage(
                "--hci-server: \"\(name)\": \"\(text)\" is not the address of a device, such as 00:1B:DC:07:31:42")
        }
        return address
    }

    private func value<Value>(
        _ option: String?, _ name: String, _ variable: String, _ expected: String, _ parse: (String) -> Value?
    ) throws -> Value? {
        guard let text = option ?? Environment.value(variable) else { return nil }
        guard let value = parse(text) else { throw Failure.usage("\(name): \"\(text)\" is not \(expected)") }
        return value
    }

    private static func number(_ text: String, upTo limit: Double) -> Double? {
        Double(text).flatMap { (0...limit).contains($0) ? $0 : nil }
    }
}
