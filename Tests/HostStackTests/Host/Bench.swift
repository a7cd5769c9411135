// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import HCI
import Testing

@testable import HostStack

/// A host and a scripted controller that replies at once, in virtual time.
struct Bench {
    var host: LEHost
    var controller: ScriptedController
    var events: [LEHostEvent] = []
    var time: Duration = .zero
    /// The times of the commands.
    var times: [Duration] = []

    init(_ controller: ScriptedController, configuration: LEHostConfiguration = LEHostConfiguration()) {
        host = LEHost(configuration: configuration)
        self.controller = controller
    }

    /// A host that is ready; the commands and events of its start are removed.
    static func ready(
        _ controller: ScriptedController, configuration: LEHostConfiguration = LEHostConfiguration()
    ) -> Bench {
        var bench = Bench(controller, configuration: configuration)
        bench.host.start(at: .zero)
        bench.settle()
        bench.forget()
        return bench
    }

    mutating func forget() {
        events = []
        times = []
        controller.log = []
        controller.data = []
    }

    /// Exchanges packets until neither side sends any.
    mutating func settle() {
        while true {
            let outputs = host.takeOutputs()
            if outputs.isEmpty { return }
            for output in outputs {
                switch output {
                case .event(let event): events.append(event)
                case .send(.command(let command)):
                    times.append(time)
                    if let answer = controller.take(command) { host.receive(.event(answer), at: time) }
                case .send(.acl(let data)): controller.data.append(data)
                case .send: Issue.record("a host sends only commands and data")
                }
            }
        }
    }

    mutating func perform(_ body: (inout LEHost) -> Void) {
        body(&host)
        settle()
    }

    mutating func receive<Event: HCIEvent>(_ event: Event) { receive(HCIEventPacket(event)) }

    mutating func receive(_ event: HCIEventPacket) {
        host.receive(.event(event), at: time)
        settle()
    }

    /// Advances the time, and does what is due meanwhile at its own time.
    mutating func advance(to end: Duration) {
        while let deadline = host.nextDeadline, deadline <= end {
            time = max(time, deadline)
            host.advance(to: time)
            settle()
        }
        time = end
        host.advance(to: time)
        settle()
    }

    /// The opcodes of the commands so far.
    var opcodes: [HCIOpcode] { controller.log.map(\.opcode) }

    /// The commands of a type so far.
    func commands<Command: HCICommand>(_: Command.Type) -> [Command] {
        controller.log.compactMap { try? $0.parameters(as: Command.self) }
    }

    /// The latest effective values of a set.
    func effective(_ set: AdvertisingSetIdentifier) -> EffectiveAdvertising? {
        events.reversed().lazy.compactMap { event -> EffectiveAdvertising? in
            if case .advertising(set, let effective) = event { effective } else { nil }
        }.first
    }

    /// The connections that were made.
    var connected: [LEConnection] {
        events.compactMap { if case .connected(let link) = $0 { link } else { nil } }
    }

    /// The reports of the scan.
    var reports: [ScanReport] {
        events.compactMap { if case .scanReport(let report, _) = $0 { report } else { nil } }
    }

    /// The requests of centrals.
    var requests: [AttributeServerRequest] {
        events.compactMap { if case .attributeRequest(let request) = $0 { request } else { nil } }
    }

    /// The connections that ended, with the reasons.
    var disconnected: [(link: LEConnection, reason: HCIStatus)] {
        events.compactMap { if case .disconnected(let link, let reason) = $0 { (link, reason) } else { nil } }
    }

    /// A central connects to a set; the controller reports the set if there is one.
    mutating func connectCentral(_ handle: UInt16, set: AdvertisingSetIdentifier?) {
        receive(Bench.connectionComplete(handle, role: .peripheral))
        if let set { receive(Bench.terminated(set, handle)) }
    }

    static func connectionComplete(
        _ handle: UInt16, role: ConnectionRole, status: HCIStatus = .success, peer: BluetoothAddress = .peer
    ) -> LEConnectionComplete {
        LEConnectionComplete(
            status: status, connectionHandle: ConnectionHandle(handle), role: role, peerAddressType: .random,
            peerAddress: peer, connectionInterval: ConnectionInterval(24), peripheralLatency: 0,
            supervisionTimeout: SupervisionTimeout(420), centralClockAccuracy: .parts50)
    }

    /// The controller has cancelled the command to connect.
    mutating func cancelled() {
        receive(Bench.connectionComplete(0, role: .central, status: .unknownConnectionIdentifier, peer: .zero))
    }

    static func terminated(_ set: AdvertisingSetIdentifier, _ handle: UInt16) -> LEAdvertisingSetTerminated {
        LEAdvertisingSetTerminated(
            status: .success, advertisingHandle: set.rawValue, connectionHandle: ConnectionHandle(handle),
            completedExtendedAdvertisingEvents: 0)
    }

    mutating func endConnection(_ handle: UInt16, reason: HCIStatus = .remoteUserTerminatedConnection) {
        receive(DisconnectionComplete(status: .success, connectionHandle: ConnectionHandle(handle), reason: reason))
    }

    /// A peer sends a frame.
    mutating func receive(_ payload: [UInt8], on channel: ChannelIdentifier, of handle: UInt16) {
        let frame = L2CAPFrame(channel: channel, payload: payload)
        let data = ACLDataPacket(
            handle: ConnectionHandle(handle), boundary: .firstFlushable, payload: frame.serialized())
        host.receive(.acl(data), at: time)
        settle()
    }
}

extension BluetoothAddress {
    static let peer = BluetoothAddress("C0:00:00:00:00:99") ?? .zero
    /// A static random address that ends in this byte.
    static func random(_ last: UInt8) -> BluetoothAddress {
        BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, last]) ?? .zero
    }
}

extension AdvertisingSetIdentifier {
    static func number(_ number: UInt8) -> AdvertisingSetIdentifier {
        guard let set = AdvertisingSetIdentifier(number) else { preconditionFailure("\(number) is not a valid set") }
        return set
    }
}

extension Advertisement {
    /// An advertisement with this name and interval.
    static func beacon(
        _ pdu: AdvertisingPDU = .nonConnectable, milliseconds: Int, name: String = "one",
        power: TransmitPower? = nil
    ) -> Advertisement {
        Advertisement(
            pdu: pdu, advertisingData: [.localName(name, isComplete: true)],
            scanResponse: pdu.isScannable ? [.localName("more", isComplete: true)] : [],
            interval: AdvertisingInterval(nearest: .milliseconds(milliseconds)) ?? AdvertisingInterval(160),
            transmitPower: power)
    }
}
