// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import HostStack
import NIOCore
import Radio

/// A host with the link to its controller, in the time of the radio.
///
/// It lives on the event loop of its radio.
final class ControllerHost: ControllerLinkUser {
    /// What it reports to the radio.
    enum Notice {
        /// An event of the host.
        case event(LEHostEvent)
        /// The controller is lost; the reason is a clause for people.
        case ended(String)
    }

    private var host: LEHost
    private var link: (any ControllerLink)?
    private let clock: LoopClock
    private let captures: PacketCaptures
    private var wakeUp: (time: Duration, task: Scheduled<Void>)?
    private let notify: (Notice) -> Void
    private var isPerforming = false

    /// A host without a controller.
    /// - Parameter random: the source of its keys, passkeys and private addresses.
    init(
        _ configuration: Boxed<LEHostConfiguration>, random: RandomSource, clock: LoopClock, captures: PacketCaptures,
        notify: @escaping (Notice) -> Void
    ) {
        host = LEHost(sharing: configuration, random: random)
        self.clock = clock
        self.captures = captures
        self.notify = notify
    }

    /// Starts the host on a link to its controller.
    func start(on link: any ControllerLink) {
        self.link = link
        host.start(at: now)
        perform()
    }

    /// Releases the controller.
    func close() {
        wakeUp?.task.cancel()
        wakeUp = nil
        link?.close()
        link = nil
    }

    /// Changes the host, then performs its outputs.
    /// - Parameter then: called with the result before anything is sent.
    func change<Result>(_ body: (inout LEHost) -> Result, then: (Result) -> Void = { _ in }) {
        host.advance(to: now)
        then(body(&host))
        perform()
    }

    /// Reads from the host.
    func read<Result>(_ body: (LEHost) -> Result) -> Result { Self.look(at: &host, body) }

    /// Borrows the host, which is large: reading the property would copy it.
    private static func look<Result>(at host: inout LEHost, _ body: (LEHost) -> Result) -> Result { body(host) }

    /// Whether it has no connections and no advertisements, so that its controller can be released.
    var isIdle: Bool { host.currentConnections.isEmpty && !host.isAdvertising }

    func linkReceived(_ packet: HCIPacket) {
        captures.record(packet, .controllerToHost, controller: 0)
        host.receive(packet, at: now)
        perform()
    }

    func linkEnded(_ reason: String) {
        close()
        notify(.ended(reason))
    }

    private var now: Duration { .nanoseconds(clock.nanoseconds) }

    /// Performs the outputs in order. A packet may cause others at once: they follow after the outputs before them.
    private func perform() {
        guard !isPerforming else { return }
        isPerforming = true
        while true {
            let outputs = host.takeOutputs()
            guard !outputs.isEmpty else { break }
            for output in outputs {
                switch output {
                case .send(let packet):
                    captures.record(packet, .hostToController, controller: 0)
                    link?.send(packet)
                case .event(let event): notify(.event(event))
                }
            }
        }
        isPerforming = false
        scheduleWakeUp()
    }

    private func scheduleWakeUp() {
        guard let deadline = read(\.nextDeadline) else { return }
        if let wakeUp {
            guard deadline < wakeUp.time else { return }
            wakeUp.task.cancel()
        }
        let bound = NIOLoopBound(Weak(self), eventLoop: clock.loop)
        let nanoseconds = deadline.components.seconds * 1_000_000_000 + deadline.components.attoseconds / 1_000_000_000
        let task = clock.schedule(at: nanoseconds) { bound.value.object?.wake() }
        wakeUp = (deadline, task)
    }

    private func wake() {
        wakeUp = nil
        host.advance(to: now)
        perform()
    }

    private struct Weak {
        weak var object: ControllerHost?
        init(_ object: ControllerHost) { self.object = object }
    }
}
