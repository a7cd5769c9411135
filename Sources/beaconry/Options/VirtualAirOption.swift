// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import BluetoothCore
import Devices
import HCIRadio
import Profiles
import Radio

/// The options of the virtual air.
struct VirtualAirOption: ParsableArguments {
    @Option(
        help: """
            Where other hosts get controllers on the virtual air: tcp:HOST:PORT (port 0 picks a free one), vhci (the \
            kernel has one as hciN), or none; may be repeated. After it, ?name=phone&at=3,0&address=XX:XX:XX:XX:XX:XX \
            gives the name of its host, where the host is in metres, and the public address of its controller; \
            &carried=pocket&heading=90 puts it into the pocket of a person who faces that direction, in degrees \
            clockwise from north; each may be left out. The receivers of a profile have servers of their own (default: \
            tcp:127.0.0.1:6402).
            """)
    var hciServer: [String] = []

    @OptionGroup var model: AirModelOptions

    /// The radio with these options, if it is the virtual air.
    /// - Parameter profiles: the profiles of the run, which may describe the air, and whose receivers become servers of it.
    /// - Throws: `Failure` for another radio, if options were given.
    func configured(_ driver: any RadioDriver, for profiles: [Profile]) throws -> any RadioDriver {
        if var air = driver as? VirtualAirDriver {
            air.options = try options(for: profiles)
            for receiver in profiles.flatMap(\.receivers) { air.options.add(receiver) }
            return air
        }
        guard hciServer.isEmpty, !model.isGiven else {
            throw Failure.usage("--hci-server, \(AirModelOptions.names) need --radio virtual")
        }
        return driver
    }

    private func options(for profiles: [Profile]) throws -> VirtualAirOptions {
        var options = try model.options(for: profiles)
        if let servers = try Self.servers(hciServer.isEmpty ? Self.serversInEnvironment : hciServer) {
            options.servers = servers
        }
        return options
    }

    /// Whether servers for hosts of other processes were requested, by options or by the receivers of profiles.
    func asksForHosts(for profiles: [Profile]) throws -> Bool {
        let names = hciServer.isEmpty ? Self.serversInEnvironment : hciServer
        return try Self.servers(names).map { !$0.isEmpty } ?? false || profiles.contains { !$0.receivers.isEmpty }
    }

    /// The address of a virtual air that another process serves: the first TCP server in BEACONRY_HCI_SERVER or its
    /// default.
    static func servedPlace() throws(Failure) -> (host: String, port: Int) {
        let places = try servers(serversInEnvironment)?.compactMap { server -> (host: String, port: Int)? in
            guard case .tcp(let host, let port) = server.transport, port != 0 else { return nil }
            return (host, port)
        }
        return places?.first ?? VirtualAirOptions.defaultServer
    }

    private static var serversInEnvironment: [String] {
        EnvironmentVariable.hciServer.value.map { $0.split(separator: " ").map(String.init) } ?? []
    }

    private static func servers(_ names: [String]) throws(Failure) -> [VirtualAirOptions.Server]? {
        if names.isEmpty { return nil }
        if names == ["none"] { return [] }
        var servers: [VirtualAirOptions.Server] = []
        for name in names { servers.append(try server(name)) }
        return servers
    }

    private static func server(_ name: String) throws(Failure) -> VirtualAirOptions.Server {
        let parts = name.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard var server = VirtualAirOptions.Server(parts[0]) else {
            throw .usage("--hci-server: \"\(name)\" is not tcp:HOST:PORT, vhci, or none alone")
        }
        var query = ServerQuery()
        for item in parts.dropFirst().flatMap({ $0.split(separator: "&", omittingEmptySubsequences: false) }) {
            do throws(ValueFault) {
                try query.set(String(item))
            } catch {
                throw .usage("--hci-server: \"\(name)\": \(error.message)")
            }
        }
        if query.heading != nil, query.carried == nil {
            throw .usage("--hci-server: \"\(name)\": heading needs carried=pocket")
        }
        server.name = query.name
        server.motion = query.position.map(Motion.rest)
        server.address = query.address
        server.carrying = query.carried.map { Carrying($0, heading: query.heading ?? 0) }
        return server
    }
}

extension VirtualAirOptions {
    /// Adds the server of a receiver.
    ///
    /// A server that was given the name of the receiver is its server, unless the profile has another one; it has the motion
    /// of the receiver, unless it was given a position.
    fileprivate mutating func add(_ receiver: ReceiverDefinition) {
        let named = servers.indices.filter { servers[$0].name == receiver.id }
        for index in named where servers[index].motion == nil { servers[index].motion = receiver.movement?.motion }
        guard named.isEmpty || receiver.server != nil else { return }
        // The profile's text was checked when it was read.
        var server = receiver.server.flatMap { Server($0) } ?? .tcp(host: Self.defaultServer.host, port: 0)
        server.name = receiver.id
        server.motion = receiver.movement?.motion
        servers.append(server)
    }
}

/// What follows the question mark in `--hci-server`.
private struct ServerQuery {
    var name: String?
    var position: Position?
    var address: BluetoothAddress?
    var carried: Carrying.Place?
    /// In degrees clockwise from north.
    var heading: Double?

    /// Sets `name=NAME`, `at=X,Y[,Z]`, `address=XX:XX:XX:XX:XX:XX`, `carried=pocket` or `heading=DEGREES`.
    mutating func set(_ item: String) throws(ValueFault) {
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let text = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "name": name = try ValueText.name(text)
        case "at": position = try ValueText.position(text)
        case "address":
            guard let address = BluetoothAddress(text), address != .zero, address.octets.contains(where: { $0 != 0xFF })
            else { throw ValueFault("\"\(text)\" is not the address of a device, such as 00:1B:DC:07:31:42") }
            self.address = address
        case "carried": carried = try ValueText.choice(text, of: Carrying.Place.self)
        case "heading": heading = try ValueText.degrees(text)
        default:
            throw ValueFault(
                "\"\(item)\" is not name=NAME, at=X,Y, address=XX:XX:XX:XX:XX:XX, carried=pocket or heading=DEGREES")
        }
    }
}
