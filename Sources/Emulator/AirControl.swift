// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Profiles
package import Radio
package import Space

/// What clients read and change on the virtual air of a run: places, movements, receivers and links.
package struct AirControl: Sendable {
    private let radio: any PeripheralRadio
    private let directory: BeaconDirectory
    private let listeners: ListeningReceivers

    init(_ radio: any PeripheralRadio, _ directory: BeaconDirectory, _ listeners: ListeningReceivers) {
        self.radio = radio
        self.directory = directory
        self.listeners = listeners
    }

    /// The radio, if it has a virtual air.
    /// - Throws: `EmulatorError` `.unsupported` if it has no positions.
    func positioning() throws(EmulatorError) -> any PositioningRadio {
        if let radio = radio as? any PositioningRadio { return radio }
        throw EmulatorError(
            .unsupported, "\(radio.name) has no positions", hint: "run on the virtual air (--radio virtual)")
    }

    static func unknown(_ name: String) -> EmulatorError {
        EmulatorError(
            .unknownBeacon, "nothing on the air is named \"\(name)\"",
            hint:
                "beaconry ctl list shows the beacons, and beaconry ctl receivers the hosts and the phones")
    }

    /// The radio, if something on it can be at these places.
    /// - Throws: `EmulatorError` `.unsupported` if it has no positions, `.badProfile` for one farther away than 10 km on an axis.
    @discardableResult
    func positioning(for positions: [Position]) throws(EmulatorError) -> any PositioningRadio {
        let radio = try positioning()
        let numbers = positions.flatMap { [$0.x, $0.y, $0.z] }
        guard numbers.allSatisfy({ $0.isFinite && abs($0) <= 10_000 }) else {
            throw EmulatorError(.badProfile, "a position has two or three coordinates in metres, from -10000 to 10000")
        }
        return radio
    }

    // MARK: - Places

    /// Moves a beacon or a host, and ends its motion.
    /// - Throws: `EmulatorError` `.unknownBeacon` if nothing on the air has this name, `.badProfile` for a position out of
    ///   range, or `.unsupported` if the radio has no positions.
    package func move(_ name: String, to position: Position) async throws(EmulatorError) {
        let radio = try positioning(for: [position])
        try await directory.betweenHandovers { () async throws(EmulatorError) in
            guard await radio.move(name, to: position) else { throw Self.unknown(name) }
            await directory.beacon(BeaconIdentifier(name))?.move(.rest(position))
        }
    }

    /// Moves a beacon, a host or a receiver through places at one speed, and ends its former motion.
    /// - Throws: as `move`.
    package func walk(
        _ name: String, through places: [Position], over duration: Duration
    ) async throws(EmulatorError) {
        let radio = try positioning(for: places)
        try await directory.betweenHandovers { () async throws(EmulatorError) in
            guard let motion = await radio.walk(name, through: places, over: duration) else {
                throw Self.unknown(name)
            }
            await directory.beacon(BeaconIdentifier(name))?.move(motion)
        }
    }

    /// The present position of something on the air; `nil` if it has none.
    package func position(of name: String) async -> Position? { await (try? positioning())?.position(of: name) }

    /// The virtual air: its physics, its walls, its rooms, and the level of each beacon.
    /// - Parameter plan: its floor plan; `nil` for none.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    func record(_ plan: GroundPlan?, _ building: Building) async throws(EmulatorError) -> AirRecord {
        let radio = try positioning()
        return AirRecord(await radio.propagation(), levels: await radio.levelsAtOneMetre(), plan, building)
    }

    // MARK: - Receivers

    /// The hosts on the virtual air: everything there that is no beacon of this run.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func hosts() async throws(EmulatorError) -> [AirMember] {
        await (try positioning()).members().filter { directory.beacon(BeaconIdentifier($0.name)) == nil }
    }

    /// The receivers with a server, whether or not hosts are connected to it.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func receivers() async throws(EmulatorError) -> [AirReceiver] {
        await (try positioning()).namedReceivers()
    }

    /// Adds a receiver: a server with this name at a free port of 127.0.0.1.
    /// - Parameters:
    ///   - position: where its hosts are; `nil` is 1 m from every beacon.
    ///   - traits: the hardware of their receivers.
    /// - Throws: `EmulatorError` `.conflict` if something has the name, `.unsupported` in virtual time, or if the radio has no
    ///   positions; `.cannotCreate` if the server cannot listen.
    func addReceiver(
        _ name: String, at position: Position?, _ traits: ReceiverTraits
    ) async throws(EmulatorError) -> AirReceiver {
        let radio = try positioning()
        guard directory.beacon(BeaconIdentifier(name)) == nil else {
            throw EmulatorError(
                .conflict, "a beacon is named \"\(name)\" already", hint: "give the receiver another name")
        }
        do throws(RadioError) {
            return try await radio.serveReceiver(
                name, motion: position.map(Motion.rest), hardware: traits.hardware(in: Propagation()))
        } catch {
            switch error.code {
            // As many as clients may add.
            case .refused where error.isTemporary: throw EmulatorError(.tooMany, error.message, hint: error.hint)
            case .refused: throw EmulatorError(.conflict, error.message, hint: error.hint)
            default: throw EmulatorError(error)
            }
        }
    }

    /// Changes the hardware of a receiver whose hosts are other programs.
    /// - Throws: `EmulatorError` `.unknownBeacon` if there is none of this name, or `.unsupported` if the radio has no positions.
    func changeTraits(of name: String, _ traits: ReceiverTraits) async throws(EmulatorError) {
        guard traits != ReceiverTraits() else { return }
        let radio = try positioning()
        guard let receiver = await radio.namedReceivers().first(where: { $0.name == name }),
            await radio.setHardware(traits.applied(to: receiver.hardware), ofReceiver: name)
        else { throw Self.unknown(name) }
    }

    /// Removes a receiver that was added during the run, and its hosts from the virtual air.
    /// - Throws: `EmulatorError` `.unknownBeacon` if no receiver has the name, `.conflict` if it was there from the
    ///   start, or `.unsupported` if the radio has no positions.
    package func removeReceiver(_ name: String) async throws(EmulatorError) -> AirReceiver {
        let radio = try positioning()
        if let removed = await radio.removeReceiver(name) { return removed }
        if await radio.namedReceivers().contains(where: { $0.name == name }) {
            throw EmulatorError(
                .conflict,
                "the receiver \"\(name)\" is one of the profile or of --hci-server, which stay until the end of the run",
                hint: "only receivers that were added during the run can be removed")
        }
        throw EmulatorError(
            .unknownBeacon, "there is no receiver \"\(name)\"", hint: "beaconry ctl receiver list shows the receivers")
    }

    /// Removes the receivers that were added during the run, and gives the others the movements of these definitions.
    /// - Returns: the names of those that were removed.
    func resetReceivers(to definitions: [ReceiverDefinition]) async -> [String] {
        guard let radio = try? positioning() else { return [] }
        var removed: [String] = []
        // Those that are there from the start cannot be removed.
        for receiver in await radio.namedReceivers() {
            if await radio.removeReceiver(receiver.name) != nil { removed.append(receiver.name) }
        }
        for receiver in definitions {
            _ = await radio.setMotion(receiver.movement?.motion, ofReceiver: receiver.id)
            guard receiver.listener == nil else { continue }
            _ = await radio.setHardware(receiver.traits.hardware(in: Propagation()), ofReceiver: receiver.id)
        }
        return removed
    }

    /// - Throws: `EmulatorError` `.conflict` if a receiver has one of these names, which are wanted for beacons.
    func requireNoReceiver(named names: [String]) async throws(EmulatorError) {
        var receivers = listeners.names
        if let radio = try? positioning() { receivers.formUnion(await radio.namedReceivers().map(\.name)) }
        if let taken = names.first(where: receivers.contains) {
            throw EmulatorError(
                .conflict, "a receiver is named \"\(taken)\" already",
                hint: "give the beacon another id, or remove the receiver (beaconry ctl receiver remove \(taken))")
        }
    }

    // MARK: - Links

    /// Overrides the path between a beacon and a host, in both directions; `nil` removes the override.
    /// - Throws: `EmulatorError` `.unknownBeacon` if nothing on the air has one of the names, or both are the same, or
    ///   `.unsupported` if the radio has no positions.
    package func overrideLink(
        from one: String, to other: String, _ override: LinkOverride?
    ) async throws(EmulatorError) {
        guard one != other else {
            throw EmulatorError(
                .unknownBeacon, "there is no link from \(one) to itself", hint: "beaconry ctl links shows the links")
        }
        if let unknown = await (try positioning()).overrideLink(one, other, override) {
            throw Self.unknown(unknown)
        }
    }

    /// The paths from everything that advertises to everything that scans.
    /// - Parameter receiver: the name of the only scanner that is needed; `nil` for all.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func paths(to receiver: String? = nil) async throws(EmulatorError) -> [AirPath] {
        let radio = try positioning()
        if let receiver { return await radio.paths(to: receiver) }
        // One receiver after the other: a radio with many does other work between them.
        var paths: [AirPath] = []
        for receiver in try await scanners() { paths += await radio.paths(to: receiver) }
        return paths
    }

    /// The names of everything that scans, in the order in which they joined the air.
    /// - Throws: `EmulatorError` `.unsupported` if the radio has no positions.
    package func scanners() async throws(EmulatorError) -> [String] {
        let scanning = await (try positioning()).members().filter { $0.isScanActive != nil }.map(\.name)
        // Those beside the hosts of a server have its name on the air.
        return scanning + listeners.namesBesideHosts.filter { !scanning.contains($0) }
    }
}
