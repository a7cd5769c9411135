// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Synchronization

@testable import BlueZRadio
@testable import KernelBluetooth

/// A kernel with one controller, hci0: its management channel answers commands and records them, and its monitor channel
/// has the packets of the test.
///
/// Add Extended Advertising Data makes an advertisement; what the controller then does is up to the test.
final class FakeKernel: Sendable {
    /// What a test decides.
    struct Behaviour: Sendable {
        var settings: AdapterSettings = [.powered, .lowEnergy, .classic]
        var isExtended = false
        var instanceCount: UInt8 = 5
        /// The number of connections of the controller.
        var connections: UInt16 = 0
        /// The instances of other programs that Read Advertising Features lists.
        var listed: [UInt8] = []
        /// Those that it omits.
        var omitted: [UInt8] = []
        /// The status of Add Extended Advertising Data for an instance; 0 for success.
        var status: @Sendable (_ instance: UInt8) -> UInt8 = { _ in 0 }
    }

    /// A command that arrived.
    struct Command: Sendable {
        let opcode: ManagementOpcode
        let parameters: [UInt8]
    }

    private struct State {
        var behaviour: Behaviour
        var commands: [Command] = []
        /// The instances that the channel has added.
        var added: Set<UInt8> = []

        /// Removes an instance.
        /// - Returns: the status: success, or Invalid Parameters if there is none.
        mutating func remove(_ instance: UInt8) -> UInt8 {
            let isForeign = (behaviour.listed + behaviour.omitted).contains(instance)
            behaviour.listed.removeAll { $0 == instance }
            behaviour.omitted.removeAll { $0 == instance }
            return added.remove(instance) != nil || isForeign ? 0 : 0x0D
        }
    }

    private let state: Mutex<State>
    private let management = FakeSocket()
    private let monitor = FakeSocket()

    init(_ behaviour: Behaviour = Behaviour()) {
        state = Mutex(State(behaviour: behaviour))
        management.onSend { [weak self] in self?.answer($0) }
    }

    /// The channels of a process.
    func channels(isMonitored: Bool) -> KernelChannels {
        KernelChannels(
            management: ManagementChannel(on: management, timeout: .seconds(300)), monitor: isMonitored ? monitor : nil)
    }

    /// Changes the behaviour; settings are also sent as the event New Settings.
    func change(_ change: (inout Behaviour) -> Void) {
        let (before, after) = state.withLock { state in
            let before = state.behaviour.settings
            change(&state.behaviour)
            return (before, state.behaviour.settings)
        }
        guard after != before else { return }
        var writer = ByteWriter()
        writer.writeLittleEndian(after.rawValue)
        send(event: 0x0006, writer.bytes)
    }

    /// Sends an event of hci0.
    func send(event code: UInt16, _ parameters: [UInt8]) {
        management.receive(ManagementPacket(code: code, index: 0, parameters: parameters).serialized())
    }

    /// Removes an instance as the kernel or another program does, with the event Advertising Removed.
    func removeInstance(_ instance: UInt8) {
        state.withLock { _ = $0.remove(instance) }
        send(event: 0x0024, [instance])
    }

    /// Shows packets in the monitor channel.
    func show(_ packets: [MonitorPacket]) {
        for packet in packets { monitor.receive(packet.serialized()) }
    }

    /// The commands with an opcode, in order.
    func commands(_ opcode: ManagementOpcode) -> [Command] {
        state.withLock { $0.commands.filter { $0.opcode == opcode } }
    }

    /// Waits until a command has arrived a number of times.
    func wait(for count: Int, _ opcode: ManagementOpcode) async {
        while commands(opcode).count < count { try? await Task.sleep(for: .milliseconds(5)) }
    }

    private func answer(_ bytes: [UInt8]) {
        guard let packet = try? ManagementPacket(parsing: bytes) else { return }
        let opcode = ManagementOpcode(rawValue: packet.code)
        let behaviour = state.withLock { state in
            state.commands.append(Command(opcode: opcode, parameters: packet.parameters))
            return state.behaviour
        }
        var status: UInt8 = 0
        var returned: [UInt8] = []
        switch opcode {
        case .readCommands: returned = [1, 0, 0, 0, 0x54, 0]
        case .readControllerInformation:
            returned = ControllerInformation(address: .zero, currentSettings: behaviour.settings).serialized()
        case .readAdvertisingFeatures:
            // All flags of Linux 6.1.
            returned = behaviour.isExtended ? [0xBF, 0xFF, 1, 0] : [0x3F, 0xF0, 1, 0]
            returned += [31, 31, behaviour.instanceCount, UInt8(behaviour.listed.count)] + behaviour.listed
        case .getConnections: returned = [UInt8(behaviour.connections), 0] + [UInt8](repeating: 0, count: 7)
        case .addExtendedAdvertisingParameters:
            state.withLock { _ = $0.added.insert(packet.parameters[0]) }
            returned = [packet.parameters[0], 0, 31, 31]
        case .addExtendedAdvertisingData:
            status = behaviour.status(packet.parameters[0])
            returned = [packet.parameters[0]]
        case .removeAdvertising:
            // Not Powered.
            status = behaviour.settings.contains(.powered) ? state.withLock { $0.remove(packet.parameters[0]) } : 0x0F
            returned = packet.parameters
        default: returned = packet.parameters
        }
        let reply = [UInt8(packet.code & 0xFF), UInt8(packet.code >> 8), status] + returned
        management.receive(ManagementPacket(code: 1, index: packet.index, parameters: reply).serialized())
    }
}

/// A socket between a test and a channel.
final class FakeSocket: PacketSocket {
    let packets: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let handler = Mutex<(@Sendable ([UInt8]) -> Void)?>(nil)

    init() {
        (packets, continuation) = AsyncStream.makeStream()
    }

    /// Passes the packets that are sent from now on.
    func onSend(_ handler: @escaping @Sendable ([UInt8]) -> Void) {
        self.handler.withLock { $0 = handler }
    }

    /// Delivers a packet to the channel.
    func receive(_ packet: [UInt8]) {
        continuation.yield(packet)
    }

    func send(_ packet: [UInt8]) {
        handler.withLock { $0 }?(packet)
    }

    func close() {
        continuation.finish()
    }
}
