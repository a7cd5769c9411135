// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import NIOCore
import Radio
import VirtualRadio

/// Somebody whose controller is on a live air; called on the air's event loop.
protocol AirParty: AnyObject {
    /// Its controller has packets: take them with `LiveAir.takePacket(of:)`, as many as are wanted now.
    func airHasPackets()
    /// The air is no more, and its controller neither.
    func airEnded()
}

/// An air in real time: the virtual clock follows the machine's.
///
/// It lives on one event loop and is used on it only, so that what is said to a controller, what follows from it on the
/// air, and what the others hear of it happen in one go.
final class LiveAir {
    /// Wake-ups are at least so far apart: what is due in between happens together, later by this at most.
    private static let coalescing: AirTime = 200

    let loop: any EventLoop
    private var air: Air
    private let capture: PacketCapture?
    private let clock: () -> NIODeadline
    private let beginning: NIODeadline
    /// When the air began, since the Unix epoch: captures have the times of what happens on the air.
    private let epoch = Duration.sinceUnixEpoch
    /// Who has a controller, by the controllers' numbers.
    private var parties: [(identifier: ControllerIdentifier, party: any AirParty)?] = []
    private var partyCount = 0
    private var wakeUp: (time: AirTime, task: Scheduled<Void>)?
    private var isSettling = false
    private var addressesGiven: UInt32 = 0

    /// Told after each wake-up how late the first of what was due came, once everybody has what follows from it.
    var onWakeUp: ((Duration) -> Void)?

    /// An air without controllers.
    init(
        _ air: Air, loop: any EventLoop, capture: PacketCapture?, clock: @escaping () -> NIODeadline = NIODeadline.now
    ) {
        self.air = air
        self.loop = loop
        self.capture = capture
        self.clock = clock
        beginning = clock()
    }

    /// Time on this air.
    private var now: AirTime {
        (clock() - beginning).nanoseconds / 1000
    }

    /// Has the air catch up with the time.
    ///
    /// With a capture, instant by instant: what is late on a busy machine is captured with the time that it has on the
    /// air. Without one, in one go.
    private func catchUp() {
        let time = now
        if capture != nil, !isSettling {
            while let due = air.nextDeadline, due < time {
                air.advance(to: due)
                handOut()
            }
        }
        air.advance(to: time)
    }

    private func record(_ packet: HCIPacket, _ direction: BtsnoopPacket.Direction, _ identifier: ControllerIdentifier) {
        guard let capture else { return }
        capture.record(
            packet, direction, controller: identifier.number, time: epoch + .microseconds(Self.time(of: &air)))
    }

    private static func time(of air: inout Air) -> AirTime { air.now }

    /// A public address that no other controller on this air has.
    func makePublicAddress() -> BluetoothAddress {
        addressesGiven += 1
        let octets = [0x02, 0xBE, 0xAC] + [16, 8, 0].map { UInt8(truncatingIfNeeded: addressesGiven >> $0) }
        guard let address = BluetoothAddress(octets: octets) else { preconditionFailure("six octets are an address") }
        return address
    }

    /// Puts a controller on the air.
    func join(_ configuration: ControllerConfiguration, party: any AirParty) -> ControllerIdentifier {
        catchUp()
        let identifier = air.addController(configuration)
        while parties.count <= identifier.number { parties.append(nil) }
        parties[identifier.number] = (identifier, party)
        partyCount += 1
        return identifier
    }

    /// Whose controller it is; `nil` when it is gone.
    private func party(of identifier: ControllerIdentifier) -> (any AirParty)? {
        guard identifier.number < parties.count, let (owned, party) = parties[identifier.number], owned == identifier
        else { return nil }
        return party
    }

    /// Takes a controller off the air, as if it lost its power: its peers notice by their supervision timeouts.
    func leave(_ identifier: ControllerIdentifier) {
        guard party(of: identifier) != nil else { return }
        parties[identifier.number] = nil
        partyCount -= 1
        catchUp()
        air.removeController(identifier)
        settle()
    }

    /// Ends the air, and with it all controllers on it.
    func close() {
        let leaving = parties.compactMap { $0?.party }
        parties = []
        partyCount = 0
        wakeUp?.task.cancel()
        wakeUp = nil
        for party in leaving { party.airEnded() }
    }

    /// Whether a controller takes more from its host now; when not, it does again after it was asked for packets.
    func canAccept(from identifier: ControllerIdentifier) -> Bool { Self.canAccept(from: identifier, at: &air) }

    /// Looks at the air in its place: to read a property of a class copies it, and an air is large.
    private static func canAccept(from identifier: ControllerIdentifier, at air: inout Air) -> Bool {
        air.canAccept(from: identifier)
    }

    /// Whether a controller's scan is active; `nil` when it does not scan.
    func activeScan(of identifier: ControllerIdentifier) -> Bool? { Self.activeScan(of: identifier, in: &air) }

    private static func activeScan(of identifier: ControllerIdentifier, in air: inout Air) -> Bool? {
        air.activeScan(of: identifier)
    }

    /// A packet of a host to its controller.
    func receive(_ packet: HCIPacket, from identifier: ControllerIdentifier) {
        guard party(of: identifier) != nil else { return }
        if !isSettling { catchUp() }
        record(packet, .hostToController, identifier)
        air.receive(packet, from: identifier)
        settle()
    }

    /// A party takes packets again after it took no more: what its peers hold back for it goes on.
    func resume(_ identifier: ControllerIdentifier) {
        party(of: identifier)?.airHasPackets()
        settle()
    }

    /// The next packet of a controller to its host.
    func takePacket(of identifier: ControllerIdentifier) -> HCIPacket? {
        let packet = air.takeOutput(of: identifier)
        if let packet { record(packet, .controllerToHost, identifier) }
        return packet
    }

    /// Hands out what is to be said until nobody has anything to say, and sees to it that time goes on.
    private func settle() {
        guard !isSettling else { return }
        handOut()
        scheduleWakeUp()
    }

    private func handOut() {
        isSettling = true
        while true {
            let speaking = air.takeControllersWithOutput()
            guard !speaking.isEmpty else { break }
            for identifier in speaking { party(of: identifier)?.airHasPackets() }
        }
        isSettling = false
    }

    private func scheduleWakeUp() {
        guard partyCount > 0, let deadline = air.nextDeadline else { return }
        let time = max(deadline, now + Self.coalescing)
        if let wakeUp {
            guard time < wakeUp.time else { return }
            wakeUp.task.cancel()
        }
        let bound = NIOLoopBound(self, eventLoop: loop)
        let task = loop.scheduleTask(deadline: beginning + .microseconds(time)) {
            bound.value.wake()
        }
        wakeUp = (time, task)
    }

    private func wake() {
        wakeUp = nil
        let due = air.nextDeadline
        catchUp()
        settle()
        if let onWakeUp, let due, due <= now { onWakeUp(.microseconds(now - due)) }
    }
}
