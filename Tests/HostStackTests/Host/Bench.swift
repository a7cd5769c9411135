// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import BluetoothCore
import HCI
import HostStack
import Testing

/// A host and a scripted controller, joined at once, in virtual time.
struct Bench {
    var host: LEHost
    var controller: ScriptedController
    var events: [LEHostEvent] = []
    var time: Duration = .zero
    /// When each of the controller's commands came.
    var times: [Duration] = []

    init(_ controller: ScriptedController, configuration: LEHostConfiguration = LEHostConfiguration()) {
        host = LEHost(configuration: configuration)
        self.controller = controller
    }

    /// A host that is ready, without the commands and events of its start.
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

    /// Carries packets to and fro until nobody has anything to say.
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
                case .send: Issue.record("a host sends commands and data only")
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

    /// Does all that is due up to a time, each at its time.
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

    /// The names of the commands so far.
    var opcodes: [HCIOpcode] { controller.log.map(\.opcode) }

    /// The commands of a kind so far.
    func commands<Command: HCICommand>(_: Command.Type) -> [Command] {
        controller.log.compactMap { try? $0.parameters(as: Command.self) }
    }

    /// What the owner was told last of a beacon on the air.
    func effective(_ set: AdvertisingSetIdentifier) -> EffectiveAdvertising? {
        events.reversed().lazy.compactMap { event -> EffectiveAdvertising? in
            if case .advertising(set, let effective) = event { effective } else { nil }
        }.first
    }

    /// The connections that the owner was told of.
    var connected: [LEConnection] {
        events.compactMap { if case .connected(let link) = $0 { link } else { nil } }
    }

    /// What the owner was told of a scan.
    var reports: [ScanReport] {
        events.compactMap { if case .scanReport(let report) = $0 { report } else { nil } }
    }

    /// What the owner was asked by centrals.
    var requests: [AttributeServerRequest] {
        events.compactMap { if case .attributeRequest(let request) = $0 { request } else { nil } }
    }

    /// The connections that are gone, and why.
    var disconnected: [(link: LEConnection, reason: HCIStatus)] {
        events.compactMap { if case .disconnected(let link, let reason) = $0 { (link, reason) } else { nil } }
    }

    /// A central connects to a beacon.
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
    /// A static random address that ends in this octet.
    static func random(_ last: UInt8) -> BluetoothAddress {
        BluetoothAddress(octets: [0xC0, 0, 0, 0, 0, last]) ?? .zero
    }
}

extension AdvertisingSetIdentifier {
    static func number(_ number: UInt8) -> AdvertisingSetIdentifier {
        guard let set = AdvertisingSetIdentifier(number) else { preconditionFailure("\(number) is no set") }
        return set
    }
}

extension Advertisement {
    /// A beacon with a name of this length, so often.
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
