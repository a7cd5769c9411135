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
    let controllers: ServedControllers
    /// Called with the events of hosts, on the air's event loop.
    let report: @Sendable (HostEvent) -> Void

    /// Opens the door of an address.
    /// - Throws: `RadioError` `.cannotServe` if a server cannot listen, `.noAdapter` or `.notPermitted` if the kernel takes no
    ///   controller.
    func open(_ address: ServerAddress) async throws(RadioError) -> any AirDoor {
        switch address {
        case .tcp(let place): try await StreamDoor.open(at: place, self)
        case .unix(let path): try await StreamDoor.open(at: path, self)
        case .kernel: try KernelDoor(self)
        }
    }
}

extension ServerAddress {
    /// How commands on this machine join the air there; `nil` if they do not: a free port is not known to them, and controllers
    /// of the kernel are adapters of their own.
    package var transport: HCITransport? {
        switch self {
        case .tcp(let place): place.port == 0 ? nil : .virtualAir(host: place.host, port: place.port, reason: nil)
        case .unix(let path): .unix(path: path)
        case .kernel: nil
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

    /// Puts the controller on the air.
    /// - Parameters:
    ///   - transport: the address of the door, for events.
    ///   - peer: the other end of the connection, for events.
    func join(over connection: any DoorConnection, transport: String, peer: String) {
        retained = self
        self.connection = connection
        identifier = entrance.air.join(configuration, delegate: self)
        reporter = HostReporter(configuration, transport: transport, peer: peer, report: entrance.report)
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
