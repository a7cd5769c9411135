// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
package import Space

/// A radio with an emulated air: every beacon and every host has a name and a place there, and both can be moved.
package protocol PositioningRadio: PeripheralRadio {
    /// Where everything on the air is; `nil` for a radio that does not note it.
    var places: AirPlaces? { get }

    /// Moves a beacon or a host, and ends its motion.
    /// - Returns: `false` if nothing on the air has this name.
    func move(_ name: String, to position: Position) async -> Bool

    /// Moves a beacon or a host, or the hosts of a receiver, on a path through places at one speed, from now on; at the end
    /// it stays at the last one.
    /// - Returns: the motion; `nil` if nothing on the air has this name.
    func walk(_ name: String, through places: [Position], over duration: Duration) async -> Motion?

    /// Adds a receiver: a server for hosts, with this name, H4 over TCP at a free port of 127.0.0.1.
    /// - Parameters:
    ///   - motion: how its hosts move; `nil` is 1 m from every beacon.
    ///   - hardware: the hardware of their receivers.
    /// - Throws: `RadioError` `.refused` if something on the air has the name, `.unsupported` in virtual time, or
    ///   `.cannotServe`.
    func serveReceiver(
        _ name: String, motion: Motion?, hardware: ReceiverHardware
    ) async throws(RadioError) -> AirReceiver

    /// Removes a receiver that was added during the run: its server, and its hosts from the air.
    /// - Returns: the receiver before it was removed; `nil` if no such receiver has this name.
    func removeReceiver(_ name: String) async -> AirReceiver?

    /// The servers with names, in the order of their names.
    func namedReceivers() async -> [AirReceiver]

    /// Changes how the hosts of a receiver move, those that are on the air and those that join later.
    /// - Parameter receiver: the name that the server of its hosts was given.
    /// - Returns: `false` if no server has this name.
    func setMotion(_ motion: Motion?, ofReceiver receiver: String) async -> Bool

    /// Changes the hardware of a receiver of this process, or of the hosts of a receiver, those that are on the air and those that
    /// join later.
    /// - Returns: `false` if no receiver and no server has this name.
    func setHardware(_ hardware: ReceiverHardware, ofReceiver receiver: String) async -> Bool

    /// The present position of a beacon or a host; `nil` if nothing on the air has this name, or it has no position.
    func position(of name: String) async -> Position?

    /// Everything on the air, in the order of the joins: the beacons, too.
    func members() async -> [AirMember]

    /// The paths from everything that advertises to everything that scans, in the order in which they joined the air.
    /// - Parameter receiver: the name of the only scanner that is needed; `nil` for all.
    func paths(to receiver: String?) async -> [AirPath]

    /// How the RSSI of a packet comes about on the air, with the walls.
    func propagation() async -> Propagation

    /// Replaces the model of the RSSI, walls included, from now on.
    func setPropagation(_ propagation: Propagation) async

    /// The mean RSSI in dBm, 1 m away, of everything that advertises, by its name on the air.
    func levelsAtOneMetre() async -> [String: Double]

    /// Overrides the path between a beacon and a host, in both directions, until one of them leaves the air or the override
    /// ends; `nil` removes the override.
    /// - Returns: the name that nothing on the air has; `nil` if both have been found.
    func overrideLink(_ one: String, _ other: String, _ override: LinkOverride?) async -> String?
}

extension PositioningRadio {
    package var places: AirPlaces? { nil }

    /// Adds a receiver whose hosts have the hardware of an ideal one.
    package func serveReceiver(_ name: String, motion: Motion?) async throws(RadioError) -> AirReceiver {
        try await serveReceiver(name, motion: motion, hardware: ReceiverHardware())
    }
}

/// A beacon or a host on an emulated air.
package struct AirMember: Hashable, Sendable {
    /// Its name on the air.
    package let name: String
    /// The present position; `nil` for 1 m from everything.
    package let position: Position?
    /// How it moves; `nil` without a position.
    package let motion: Motion?
    /// Whether its scan is active; `nil` if it does not scan.
    package let isScanActive: Bool?
    /// What its host is, if it says so: `emulator`, `bumble`.
    package let kind: String?

    package init(name: String, position: Position?, motion: Motion?, isScanActive: Bool?, kind: String? = nil) {
        self.name = name
        self.position = position
        self.motion = motion
        self.isScanActive = isScanActive
        self.kind = kind
    }
}

/// A server with a name on an emulated air, and its hosts.
package struct AirReceiver: Hashable, Sendable {
    /// The name of its first host.
    package let name: String
    /// Where hosts get controllers, such as `tcp:127.0.0.1:6402`.
    package let server: String
    /// The names of the hosts that are connected.
    package let hosts: [String]
    /// Its present position; `nil` is 1 m from every beacon.
    package let position: Position?
    /// The hardware of its hosts.
    package let hardware: ReceiverHardware

    package init(
        name: String, server: String, hosts: [String], position: Position?,
        hardware: ReceiverHardware = ReceiverHardware()
    ) {
        self.name = name
        self.server = server
        self.hosts = hosts
        self.position = position
        self.hardware = hardware
    }
}

/// A path from an advertiser to a scanner on an emulated air.
package struct AirPath: Hashable, Sendable {
    /// The name of the advertiser.
    package let transmitter: String
    /// The name of the scanner.
    package let receiver: String
    /// In metres; `nil` unless both have a position.
    package let distance: Double?
    /// The RSSI in dBm without shadowing, fading and noise, with the override.
    package let meanRSSI: Double
    /// The RSSI of the last packet that was received; `nil` before the first, and where all packets have the mean.
    package let lastRSSI: RSSI?
    /// The fraction of the packets that were lost, 0 to 1; `nil` before the first packet, and where none is lost.
    package let loss: Double?
    /// The override of the path, with the time that is left; `nil` for none.
    package let override: LinkOverride?
    /// Whether the advertiser is muted: no packet arrives.
    package let isMuted: Bool

    package init(
        from transmitter: String, to receiver: String, distance: Double?, meanRSSI: Double, lastRSSI: RSSI?,
        loss: Double?, override: LinkOverride? = nil, isMuted: Bool = false
    ) {
        self.transmitter = transmitter
        self.receiver = receiver
        self.distance = distance
        self.meanRSSI = meanRSSI
        self.lastRSSI = lastRSSI
        self.loss = loss
        self.override = override
        self.isMuted = isMuted
    }

    /// The same path to a scanner of another name.
    package func received(as name: String) -> AirPath {
        AirPath(
            from: transmitter, to: name, distance: distance, meanRSSI: meanRSSI, lastRSSI: lastRSSI, loss: loss,
            override: override, isMuted: isMuted)
    }
}

/// A radio whose beacons can have been on before the run.
package protocol PhaseDrawingRadio: PeripheralRadio {
    /// Begins or ends a time in which what beacons begin to advertise counts as on for long: the first packet comes at a phase that
    /// is uniform in the interval, by the seed and the name of the beacon. Otherwise a beacon begins at once.
    func setDrawsPhases(_ drawsPhases: Bool) async
}
