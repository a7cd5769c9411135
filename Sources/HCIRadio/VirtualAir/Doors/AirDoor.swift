// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

package import Bluetooth
import HCI
import NIOCore
import Radio
import VirtualRadio

/// A place where hosts of other programs get controllers on a virtual air.
///
/// For each host, a door makes a connection (`DoorConnection`) and an `AirVisit`, which joins the air, passes packets in both
/// directions, and leaves. A new door is a type that conforms to this, or another way to open a `StreamDoor`; a case of
/// `ServerAddress`; and a line each of `AirEntrance.open` and `ServerAddress.transport`. It is used on the event loop of its air.
///
///     let visit = AirVisit(entrance)
///     visit.join(over: connection, transport: address, peer: "127.0.0.1:40222")
///     visit.linkReceived(packet)      // from the host
///     visit.linkEnded("the connection was closed")
protocol AirDoor: AnyObject {
    /// Where hosts find it, with the port or the adapter that it has: `tcp:127.0.0.1:6402`, `vhci:hci1`.
    var address: String { get }
    /// Whether hosts on other machines may join.
    var isExposed: Bool { get }
    /// Stops accepting. Hosts over TCP or a Unix socket stay connected until the air closes; the kernel's controller is removed
    /// at once.
    func close() async
}

/// What a door needs: the air, the controllers for its hosts, and where to report.
struct AirEntrance {
    let air: LiveAir
    private(set) var controllers: ServedControllers
    /// The controllers of the receiver with a name; `nil` if there is none.
    let receiver: (String) -> ServedControllers?
    /// Whether netsim's file is written for a door that emulators look for.
    let writesDiscovery: Bool
    /// The record of what must be cleaned up after a crash; `nil` without one.
    let ledger: (any RadioLedger)?
    /// Called with the events of hosts and with warnings, on the air's event loop.
    let report: @Sendable (RadioEvent) -> Void

    /// The entrance for a host that is the receiver with this name, if there is one: it has its place and its hardware. The hosts
    /// of a door with a name are the receiver of this name.
    func of(receiver name: String) -> AirEntrance {
        guard controllers.name == nil, let controllers = receiver(name) else { return self }
        var entrance = self
        entrance.controllers = controllers
        return entrance
    }

    /// Opens the door of an address.
    /// - Throws: `RadioError` `.cannotServe` if a server cannot listen, `.noAdapter` or `.notPermitted` if the kernel takes no
    ///   controller.
    func open(_ address: ServerAddress) async throws(RadioError) -> any AirDoor {
        switch address {
        case .tcp(let place): try await StreamDoor.open(at: place, self)
        case .unix(let path): try await StreamDoor.open(at: path, self)
        case .netsim(let place): try await openNetsim(at: place)
        case .kernel: try KernelDoor(self)
        }
    }

    private func openNetsim(at place: HostAndPort) async throws(RadioError) -> any AirDoor {
        #if Program
            return try await NetsimDoor.open(at: place, self)
        #else
            throw RadioError(
                .unsupported, "this build of the libraries has no server for Android emulators",
                hint: "use the program (beaconry run --netsim), or depend on the package with the trait Program")
        #endif
    }
}

extension ServerAddress {
    /// How commands on this machine join the air there; `nil` if they do not: a free port is not known to them, netsim is
    /// for emulators, and controllers of the kernel are adapters of their own.
    package var transport: HCITransport? {
        switch self {
        case .tcp(let place): place.port == 0 ? nil : .virtualAir(host: place.host, port: place.port, reason: nil)
        case .unix(let path): .unix(path: path)
        case .netsim, .kernel: nil
        }
    }
}

/// The connection to a host of another program; used on the air's event loop.
protocol DoorConnection: AnyObject {
    /// Whether the connection takes more packets without queuing them for long.
    var isWritable: Bool { get }
    /// Queues a packet for the host; `flush()` follows.
    func write(_ packet: HCIPacket)
    /// Sends the queued packets.
    func flush()
    /// Stops or continues reading the packets of the host.
    func setReading(_ isReading: Bool)
    func close()
}

/// A host of another program on the air, as long as its connection lasts.
///
/// The connection calls it with the packets of the host, and with its end.
final class AirVisit: ControllerLinkUser, AirDelegate {
    let configuration: ControllerConfiguration
    /// Called when a controller whose character removes it has sent Hardware Error. If `nil`, the connection is closed.
    var onFailure: (() -> Void)?
    private let entrance: AirEntrance
    private var connection: (any DoorConnection)?
    private var identifier: ControllerIdentifier?
    private var reporter: HostReporter?
    private var isReading = true
    /// Retains this object while the connection lasts.
    private var retained: AirVisit?

    /// A visit on the next controller of an entrance, or on one in the place of a controller that has failed.
    init(_ entrance: AirEntrance, replacing failed: ControllerConfiguration? = nil) {
        self.entrance = entrance
        configuration = failed.map { entrance.controllers.take(replacing: $0) } ?? entrance.controllers.take()
    }

    /// A visit of a host that has a name and an address of its own (see `ServedControllers.take`).
    init(
        _ entrance: AirEntrance, name: String, given: BluetoothAddress?, derived: BluetoothAddress,
        as character: ControllerCharacter
    ) {
        self.entrance = entrance
        configuration = entrance.controllers.take(name: name, given: given, derived: derived, as: character)
    }

    /// Puts the controller on the air.
    /// - Parameters:
    ///   - transport: the address of the door, for events.
    ///   - peer: the other end of the connection, for events.
    ///   - kind: what the host is, for events; `nil` if it does not say.
    func join(over connection: any DoorConnection, transport: String, peer: String, kind: String? = nil) {
        retained = self
        self.connection = connection
        identifier = entrance.air.join(configuration, delegate: self, kind: kind)
        reporter = HostReporter(
            configuration, transport: transport, peer: peer, kind: kind
        ) { [report = entrance.report] in report(.host($0)) }
    }

    /// Puts the controller on the air, for a host whose channel carries H4.
    func join(over channel: any Channel, transport: String, peer: String, kind: String? = nil) throws {
        let handler = H4StreamHandler(user: self)
        try channel.pipeline.syncOperations.addHandler(handler)
        handler.onWritable = { [weak self] in self?.resume() }
        join(over: handler, transport: transport, peer: peer, kind: kind)
    }

    /// Takes the controller off the air, and ends the connection.
    func end() {
        connection?.close()
        leave()
    }

    /// Delivers the packets that wait, when the connection accepts packets again.
    func resume() {
        if let identifier { entrance.air.resume(identifier) }
    }

    private func leave(refusal: String? = nil) {
        if let identifier {
            entrance.air.leave(identifier)
            entrance.controllers.release(configuration)
        }
        identifier = nil
        connection = nil
        retained = nil
        reporter?.left(refusal: refusal)
        reporter = nil
    }

    func linkReceived(_ packet: HCIPacket) {
        guard let identifier else { return }
        entrance.air.receive(packet, from: identifier)
        reporter?.sent(packet, by: identifier, on: entrance.air)
        if isReading, !entrance.air.canAccept(from: identifier) {
            isReading = false
            connection?.setReading(false)
        }
    }

    func linkEnded(_ reason: String) { leave() }

    func linkRefused(_ reason: String) { leave(refusal: reason) }

    func airEnded() {
        identifier = nil
        connection?.close()
    }

    func airHasPackets() {
        guard let connection else { return }
        var hasFailed = false
        while connection.isWritable, let identifier, let packet = entrance.air.takePacket(of: identifier) {
            connection.write(packet)
            reporter?.received(packet)
            if configuration.character.isRemoved(after: packet) { hasFailed = true }
        }
        connection.flush()
        if hasFailed {
            entrance.controllers.noteRemoval()
            return if let onFailure { onFailure() } else { connection.close() }
        }
        if !isReading, let identifier, entrance.air.canAccept(from: identifier) {
            isReading = true
            connection.setReading(true)
        }
    }
}

extension ControllerCharacter {
    /// Whether a packet is the Hardware Error event after which a controller with this character is removed.
    fileprivate func isRemoved(after packet: HCIPacket) -> Bool {
        guard case .event(let event) = packet, event.code == HardwareError.eventCode else { return false }
        return endsInRemoval
    }
}
