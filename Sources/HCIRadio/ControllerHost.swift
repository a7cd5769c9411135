// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI
import HostStack
import NIOCore
import Radio

/// A host and the way to its controller, in real time.
///
/// It lives on the event loop of its radio.
final class ControllerHost: ControllerLinkUser {
    /// What the radio wants to be told.
    enum Notice {
        /// Of the host.
        case event(LEHostEvent)
        /// The controller is gone; the reason is a clause for people.
        case ended(String)
    }

    private var host: LEHost
    private var link: (any ControllerLink)?
    private let loop: any EventLoop
    private let capture: PacketCapture?
    private let beginning = NIODeadline.now()
    private var wakeUp: (time: Duration, task: Scheduled<Void>)?
    private let notify: (Notice) -> Void
    private var isPerforming = false

    /// A host without a controller.
    init(
        _ configuration: LEHostConfiguration, loop: any EventLoop, capture: PacketCapture?,
        notify: @escaping (Notice) -> Void
    ) {
        host = LEHost(configuration: configuration)
        self.loop = loop
        self.capture = capture
        self.notify = notify
    }

    /// Gives the host its controller and starts it.
    func start(on link: any ControllerLink) {
        self.link = link
        host.start(at: now)
        perform()
    }

    /// Gives the controller back.
    func close() {
        wakeUp?.task.cancel()
        wakeUp = nil
        link?.close()
        link = nil
    }

    /// Has the host do something, and does what it answers.
    /// - Parameter then: is given the outcome before anything is sent.
    func change<Result>(_ body: (inout LEHost) -> Result, then: (Result) -> Void = { _ in }) {
        host.advance(to: now)
        then(body(&host))
        perform()
    }

    /// What the host knows.
    func read<Result>(_ body: (LEHost) -> Result) -> Result { Self.look(at: &host, body) }

    /// Has the host looked at in its place: to read a property of a class copies it, and a host is large.
    private static func look<Result>(at host: inout LEHost, _ body: (LEHost) -> Result) -> Result { body(host) }

    /// Whether nothing is connected to it and nothing is on the air, so that its controller can be given back.
    var isIdle: Bool { host.currentConnections.isEmpty && !host.isAdvertising }

    func linkReceived(_ packet: HCIPacket) {
        capture?.record(packet, .controllerToHost, controller: 0)
        host.receive(packet, at: now)
        perform()
    }

    func linkEnded(_ reason: String) {
        close()
        notify(.ended(reason))
    }

    private var now: Duration { .nanoseconds((NIODeadline.now() - beginning).nanoseconds) }

    /// What is sent may be answered at once: that waits until all that was before it is done.
    private func perform() {
        guard !isPerforming else { return }
        isPerforming = true
        while true {
            let outputs = host.takeOutputs()
            guard !outputs.isEmpty else { break }
            for output in outputs {
                switch output {
                case .send(let packet):
                    capture?.record(packet, .hostToController, controller: 0)
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
        let bound = NIOLoopBound(Weak(self), eventLoop: loop)
        let nanoseconds = deadline.components.seconds * 1_000_000_000 + deadline.components.attoseconds / 1_000_000_000
        let task = loop.scheduleTask(deadline: beginning + .nanoseconds(nanoseconds)) { () -> Void in
            bound.value.object?.wake()
        }
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
