// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BeaconryTools
import Bluetooth
import Concurrency
import Devices
import ESPHomeProxy
import HCIRadio
import Profiles
import Radio
import Space

/// The options of the virtual air.
struct VirtualAirOption: ParsableArguments {
    @Option(
        help: """
            Where other hosts get controllers on the virtual air: \(ServerAddress.help), or none; may be repeated. \
            After it, ?name=phone&at=3,0&address=XX:XX:XX:XX:XX:XX gives the name of its host, where the host is in metres, and the public address of its controller; \
            &carried=pocket&heading=90 puts it into the pocket of a person who faces that direction, in degrees \
            clockwise from north; &rssi-offset=-7, &sensitivity=-90, &fast=2 and &antenna=isotropic are its hardware; &as=legacy-5.0 gives its controller a character, as real ones have them (\
            \(VirtualAirOptions.Server.characterNames.joined(separator: ", ")); see docs/virtual-air.md). Each may be left \
            out. The receivers of a profile have servers of their own (default: tcp:127.0.0.1:6402).
            """)
    var hciServer: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Where Android emulators get controllers on the virtual air, HOST:PORT (port 0 picks a free one): short for \
            --hci-server netsim:HOST:PORT. The run prints the option with which an emulator joins (default: none).
            """,
            valueName: "host:port"))
    var netsim: [String] = []

    @Flag(
        help: """
            Write netsim.ini, by which all emulators of this user find the air that are started without an option. The file of \
            another netsim is never replaced.
            """)
    var netsimIni = false

    @Option(
        help: ArgumentHelp(
            """
            Where Home Assistant and other clients of ESPHome's API find a Bluetooth proxy on the virtual air: HOST:PORT \
            (port 0 picks a free one); may be repeated. After it, as after --hci-server, ?name=kitchen&at=3,0 gives its \
            name and place; &rssi-offset=-7 and the others its hardware; &slots=3 is the number of its connections, and &scan=passive its first way of scanning (default: none).
            """,
            valueName: "host:port"))
    var esphome: [String] = []

    @Option(
        help: """
            Key of the ESPHome proxies, 32 bytes in base64: connections without it are refused. Other users of the machine \
            can see an option; --esphome-key-file is safer (default: none).
            """,
        transform: key)
    var esphomeKey: EncryptionKey?

    @Option(help: "File with the key of the ESPHome proxies (default: none).", completion: .file())
    var esphomeKeyFile: String?

    @OptionGroup var model: AirModelOptions

    /// The radio with these options, if it is the virtual air.
    /// - Parameter profiles: the profiles of the run, which may describe the air, and whose receivers become servers of it.
    /// - Throws: `Failure` for another radio, if options were given.
    func configured(_ driver: any RadioDriver, for profiles: [Profile]) throws -> any RadioDriver {
        if var air = driver as? VirtualAirDriver {
            air.options = try options(for: profiles)
            let proxies = Set(try proxies(for: profiles).map(\.settings.name))
            for receiver in profiles.flatMap(\.receivers) where receiver.listener == nil {
                air.options.add(receiver, hasProxy: proxies.contains(receiver.id))
            }
            try addDiscovery(to: &air.options)
            return air
        }
        guard hciServer.isEmpty, netsim.isEmpty, !netsimIni, esphome.isEmpty, esphomeKey == nil, esphomeKeyFile == nil,
            !model.isGiven
        else {
            throw Failure.usage("--hci-server, --netsim, --esphome, \(AirModelOptions.names) need --radio virtual")
        }
        return driver
    }

    /// The radio of a bench, and the virtual air of its receiver, which the options describe. If the radio is a virtual air, too,
    /// it has the servers, where a host rests in place of the phone.
    /// - Throws: `Failure` for options that have no effect there, and without an adapter.
    func configuredForBench(
        _ driver: any RadioDriver, for profiles: [Profile]
    ) throws -> (driver: any RadioDriver, air: VirtualAirOptions) {
        var air = try model.options(for: profiles)
        guard air.replay == nil else { throw Failure.usage("--replay and --bench exclude each other") }
        guard esphome.isEmpty, esphomeKey == nil, esphomeKeyFile == nil else {
            throw Failure.usage("--esphome and --bench exclude each other")
        }
        air.servers = []
        guard var radio = driver as? VirtualAirDriver else {
            guard hciServer.isEmpty, netsim.isEmpty, !netsimIni else {
                throw Failure.usage("--hci-server and --netsim need --radio virtual")
            }
            return (driver, air)
        }
        if let reason = radio.reason {
            throw Failure(
                exitCode: 69,
                message: "\(reason), beside which a phone could rest; to try a bench without one, write --radio virtual"
            )
        }
        // One seed is reported, and repeats the walk.
        let seed = air.seed ?? VirtualAirOptions.randomSeed()
        (air.seed, radio.options.seed) = (seed, seed)
        if let servers = try servers { radio.options.servers = servers }
        try addDiscovery(to: &radio.options)
        return (radio, air)
    }

    private func options(for profiles: [Profile]) throws -> VirtualAirOptions {
        var options = try model.options(for: profiles)
        if let servers = try servers { options.servers = servers }
        return options
    }

    /// The texts of the servers: of the options, else of the environment.
    private var serverNames: [String] {
        let emulators = netsim.map { "netsim:\($0)" }
        // None but those for emulators.
        let given = (hciServer == ["none"] && !emulators.isEmpty ? [] : hciServer) + emulators
        return given.isEmpty ? Self.serversInEnvironment : given
    }

    /// The servers that were requested; `nil` for the default.
    private var servers: [VirtualAirOptions.Server]? {
        get throws(Failure) { try Self.servers(serverNames) }
    }

    /// Has the first server for emulators write its file, if that was requested.
    private func addDiscovery(to options: inout VirtualAirOptions) throws(Failure) {
        guard netsimIni else { return }
        for index in options.servers.indices {
            guard case .netsim(let place) = options.servers[index].place else { continue }
            guard ["127.0.0.1", "localhost", "0.0.0.0", "::1", "::"].contains(place.host) else {
                throw .usage("--netsim-ini: emulators look at localhost, and the server is at \(place)")
            }
            options.servers[index].writesDiscovery = true
            return
        }
        throw .usage("--netsim-ini needs a server for emulators: --netsim 127.0.0.1:0")
    }

    /// Whether servers for hosts of other processes were requested, by options or by the receivers of profiles.
    func asksForHosts(for profiles: [Profile]) throws -> Bool {
        return try servers.map { !$0.isEmpty } ?? false || !proxyNames.isEmpty
            || profiles.contains { $0.receivers.contains { $0.listener == nil } }
    }

    /// The receivers of profiles that have no servers, because virtual time has no hosts of other processes, and `--hci-server
    /// none` declines them.
    func unservedReceivers(of profiles: [Profile], at rate: Simulation.Rate?) throws(Failure) -> [ReceiverDefinition] {
        let receivers = profiles.flatMap(\.receivers).filter { $0.listener == nil }
        guard rate == .maximum || rate == .manual, serverNames == ["none"], proxyNames.isEmpty,
            receivers.allSatisfy({ $0.proxy == nil })
        else { return [] }
        return receivers
    }

    /// How a command joins a virtual air that another process serves: the first server in BEACONRY_HCI_SERVER that commands
    /// can join; `nil` if there is none.
    static func servedAir() throws(Failure) -> HCITransport? {
        try servers(serversInEnvironment)?.lazy.compactMap(\.place.transport).first
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
        let option = name.hasPrefix("netsim:") ? "--netsim" : "--hci-server"
        let (place, query) = try ServerQuery.split(name, of: option, acceptsCharacter: true)
        guard let address = ServerAddress(place) else {
            throw .usage("\(option): \"\(name)\" is not \(ServerAddress.forms), or none alone")
        }
        var server = VirtualAirOptions.Server(
            address, address: query.address, name: query.name, motion: query.position.map(Motion.rest),
            hardware: query.hardware)
        guard let text = query.character else { return server }
        do throws(VirtualAirOptions.Server.CharacterFault) {
            try server.setCharacter(text)
        } catch {
            let problem = error.unknownName.map {
                Spelling.unknown(error.message, $0, "characters", VirtualAirOptions.Server.characterNames)
            }
            throw .usage("\(option): \"\(name)\": \(problem ?? error.message)")
        }
        return server
    }

    // MARK: - ESPHome proxies

    /// The proxies of a run: the proxies of the options, then the proxies of the receivers in its profiles. A proxy
    /// with the name of a receiver has the motion of this receiver, unless the proxy was given a position.
    /// - Throws: `Failure` for proxies that are not possible, and for a key without any proxy.
    func proxies(for profiles: [Profile]) throws(Failure) -> [ESPHomeProxies.Definition] {
        let receivers = profiles.flatMap(\.receivers)
        var definitions: [ESPHomeProxies.Definition] = []
        for text in proxyNames {
            var definition = try Self.proxy(text, number: definitions.count + 1)
            let receiver = receivers.first { $0.id == definition.settings.name }
            definition.motion = definition.motion ?? receiver?.movement?.motion
            if let receiver { definition.hardware = receiver.traits.hardware(below: definition.hardware) }
            definitions.append(definition)
        }
        for receiver in receivers where !definitions.contains(where: { $0.settings.name == receiver.id }) {
            // The profile's text was checked when it was read.
            guard let place = receiver.proxy.flatMap(HostAndPort.init) else { continue }
            definitions.append(
                ESPHomeProxies.Definition(
                    BluetoothProxy.Settings(name: receiver.id, host: place.host, port: place.port),
                    motion: receiver.movement?.motion,
                    hardware: receiver.traits.hardware(below: ReceiverHardware())))
        }
        let names = definitions.map(\.settings.name)
        if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw .usage("--esphome: two proxies are named \(name); give each a name of its own (?name=kitchen)")
        }
        if definitions.isEmpty, esphomeKey != nil || esphomeKeyFile != nil {
            throw .usage("--esphome-key and --esphome-key-file need a proxy: --esphome 127.0.0.1:6053")
        }
        guard !definitions.isEmpty else { return [] }
        let key = try proxyKey
        for index in definitions.indices { definitions[index].settings.key = key }
        return definitions
    }

    private var proxyNames: [String] {
        guard esphome.isEmpty else { return esphome }
        return EnvironmentVariable.esphome.value.map { $0.split(separator: " ").map(String.init) } ?? []
    }

    private var proxyKey: EncryptionKey? {
        get throws(Failure) {
            if esphomeKey != nil, esphomeKeyFile != nil {
                throw .usage("--esphome-key and --esphome-key-file exclude each other; leave one of them out")
            }
            if let esphomeKey { return esphomeKey }
            if let esphomeKeyFile { return try EncryptionKey(file: esphomeKeyFile) }
            if let key = try EnvironmentVariable.esphomeKey.parsed(Self.key) { return key }
            guard let path = EnvironmentVariable.esphomeKeyFile.value else { return nil }
            return try EncryptionKey(file: path)
        }
    }

    private static func proxy(_ text: String, number: Int) throws(Failure) -> ESPHomeProxies.Definition {
        let (place, query) = try ServerQuery.split(text, of: "--esphome", acceptsProxyItems: true)
        guard let place = HostAndPort(place) else {
            throw .usage("--esphome: \"\(text)\" is not HOST:PORT, such as 127.0.0.1:6053?name=kitchen&at=3,0")
        }
        var settings = BluetoothProxy.Settings(
            name: query.name ?? (number == 1 ? "esphome" : "esphome-\(number)"), host: place.host, port: place.port)
        if let slots = query.slots { settings.slots = slots }
        if let isActive = query.scansActively { settings.scansActively = isActive }
        return ESPHomeProxies.Definition(
            settings, address: query.address, motion: query.position.map(Motion.rest), hardware: query.hardware)
    }

    private static func key(_ text: String) throws(ValueFault) -> EncryptionKey {
        guard let key = EncryptionKey(base64: text) else {
            throw ValueFault("the key must have 32 bytes in base64; openssl rand -base64 32 prints such a key")
        }
        return key
    }
}

extension VirtualAirOptions {
    /// Adds the server of a receiver.
    ///
    /// A receiver with a proxy has a server only if the profile gives it one.
    /// A server that was given the name of the receiver is its server, unless the profile has another one; it has the motion
    /// of the receiver, unless it was given a position.
    fileprivate mutating func add(_ receiver: ReceiverDefinition, hasProxy: Bool) {
        let named = servers.indices.filter { servers[$0].name == receiver.id }
        for index in named {
            servers[index].motion = servers[index].motion ?? receiver.movement?.motion
            servers[index].hardware = receiver.traits.hardware(below: servers[index].hardware)
        }
        guard named.isEmpty && !hasProxy || receiver.server != nil else { return }
        var server = Server.local(name: receiver.id, motion: receiver.movement?.motion)
        server.hardware = receiver.traits.hardware(below: server.hardware)
        if let place = receiver.server { server.place = place }
        servers.append(server)
    }
}

extension ReceiverTraits {
    /// The hardware of a host that was given some of it, in front of what its receiver has.
    fileprivate func hardware(below given: ReceiverHardware) -> ReceiverHardware {
        replaced(by: ReceiverTraits(of: given)).hardware(in: Propagation())
    }
}

/// What follows the question mark in `--hci-server` and `--esphome`.
private struct ServerQuery {
    var name: String?
    var position: Position?
    var address: BluetoothAddress?
    var traits = ReceiverTraits()
    /// The text of the character of a server's controllers.
    var character: String?
    /// The number of connections of a proxy.
    var slots: Int?
    /// Whether a proxy scans actively.
    var scansActively: Bool?

    /// The hardware of the host.
    var hardware: ReceiverHardware { traits.hardware(in: Propagation()) }

    /// Splits the value of an option into the part before the question mark, and the items after it.
    /// - Throws: `Failure` for items that are not possible.
    static func split(
        _ text: String, of option: String, acceptsProxyItems: Bool = false, acceptsCharacter: Bool = false
    ) throws(Failure) -> (place: String, query: ServerQuery) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var query = ServerQuery()
        for item in parts.dropFirst().flatMap({ $0.split(separator: "&", omittingEmptySubsequences: false) }) {
            do throws(ValueFault) {
                if acceptsProxyItems, try query.setProxyItem(String(item)) { continue }
                if acceptsCharacter, item.hasPrefix("as=") {
                    query.character = String(item.dropFirst("as=".count))
                    continue
                }
                try query.set(String(item))
            } catch {
                throw .usage("\(option): \"\(text)\": \(error.message)")
            }
        }
        return (parts[0], query)
    }

    /// Sets `slots=N` or `scan=active|passive`.
    /// - Returns: whether it is one of these.
    private mutating func setProxyItem(_ item: String) throws(ValueFault) -> Bool {
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let text = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "slots":
            guard let slots = Int(text), (0...32).contains(slots) else {
                throw ValueFault("\"\(text)\" is not a number of connections, 0 to 32")
            }
            self.slots = slots
        case "scan":
            guard text == "active" || text == "passive" else {
                throw ValueFault("\"\(text)\" is not active or passive")
            }
            scansActively = text == "active"
        default: return false
        }
        return true
    }

    /// Sets `name=NAME`, `at=X,Y[,Z]`, `address=XX:XX:XX:XX:XX:XX`, or a key of `ReceiverKey`, as `carried=pocket`.
    mutating func set(_ item: String) throws(ValueFault) {
        let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let text = parts.count > 1 ? parts[1] : ""
        switch parts[0] {
        case "name": name = try ValueText.name(text)
        case "at": position = try ValueText.position(text)
        case "address":
            guard let address = BluetoothAddress(text), address.isOfDevice else {
                throw ValueFault("\"\(text)\" is not the address of a device, such as 00:1B:DC:07:31:42")
            }
            self.address = address
        default:
            if let key = ReceiverKey.all.first(where: { $0.name == parts[0] }), parts.count > 1 {
                do throws(ValueFault) {
                    return try key.set(text, in: &traits)
                } catch {
                    throw ValueFault("\(key.name): \(error.message)")
                }
            }
            let keys = ReceiverKey.all.map { "\($0.name)=\($0.example)" }.joined(separator: ", ")
            throw ValueFault(
                "\"\(item)\" is not name=NAME, at=X,Y, address=XX:XX:XX:XX:XX:XX, \(keys), or as=CHARACTER of --hci-server"
            )
        }
    }
}
