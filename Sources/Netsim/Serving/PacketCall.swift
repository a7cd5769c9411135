// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
package import HCI

/// One call of `/netsim.packet.PacketStreamer/StreamPackets`, as its server follows it: without a connection, and without a clock.
///
///     awaitsChip --(chip information: Bluetooth)--> awaitsReset --(HCI Reset)--> carries
///     awaitsChip --(chip information: another radio)--> drops
///     any --(a malformed message, or the end)--> ended
package struct PacketCall: Sendable {
    /// What a message of the device means for the server.
    package enum Action: Hashable, Sendable {
        /// A Bluetooth chip joins the air.
        case join(ChipInformation)
        /// The device has a radio that the air does not have. The call stays, and what comes is dropped: emulators call again
        /// for ever if it ends, and abort at an error.
        case ignore(ChipInformation)
        /// A packet to the controller.
        case packet(HCIPacket)
        /// A packet of the server in place of the controller.
        case reply(HCIPacket)
    }

    fileprivate enum State {
        case awaitsChip
        /// The host does not know yet that its controller is a new one, as after a snapshot of an emulator was restored.
        case awaitsReset
        case carries
        case drops
        case ended
    }

    /// The code of Hardware Error events before the first HCI Reset, as netsim has it.
    package static let codeBeforeReset: UInt8 = 0x42

    private var state = State.awaitsChip
    private var decoder = RPCMessageDecoder()

    /// A call that begins.
    package init() {}

    /// Adds bytes of the device.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        switch state {
        case .awaitsChip, .awaitsReset, .carries: decoder.append(bytes)
        case .drops, .ended: break
        }
    }

    /// The next action; `nil` until more bytes have arrived.
    /// - Throws: `RPCStatus`, with which the call ends. Nothing follows.
    package mutating func next() throws(RPCStatus) -> Action? {
        guard state.takesMessages else { return nil }
        do throws(RPCStatus) {
            while let message = try decoder.next() {
                if let action = try take(message) { return action }
            }
            return nil
        } catch {
            state = .ended
            throw error
        }
    }

    private mutating func take(_ message: ArraySlice<UInt8>) throws(RPCStatus) -> Action? {
        switch (state, try Self.request(message)) {
        case (.awaitsChip, .chip(let chip)):
            guard chip.kind == .bluetooth else {
                state = .drops
                decoder = RPCMessageDecoder()
                return .ignore(chip)
            }
            state = .awaitsReset
            return .join(chip)
        case (.awaitsChip, _): throw RPCStatus(.invalidArgument, "the first message is not the chip information")
        case (_, .chip): throw RPCStatus(.invalidArgument, "the chip information came twice")
        case (_, .other): throw RPCStatus(.invalidArgument, "a Bluetooth chip sends HCI packets only")
        case (_, .empty): return nil
        case (.awaitsReset, .hci(let packet)): return beforeReset(packet)
        case (_, .hci(let packet)): return .packet(packet)
        }
    }

    private mutating func beforeReset(_ packet: HCIPacket) -> Action? {
        // Data belongs to connections that the controller does not have.
        guard case .command(let command) = packet else { return nil }
        guard command.opcode == HCIReset.opcode else {
            return .reply(.event(HCIEventPacket(HardwareError(hardwareCode: Self.codeBeforeReset))))
        }
        state = .carries
        return .packet(packet)
    }

    private static func request(_ message: ArraySlice<UInt8>) throws(RPCStatus) -> PacketRequest {
        do throws(WireError) {
            return try PacketRequest(parsing: message)
        } catch {
            throw RPCStatus(.invalidArgument, "a message is malformed (\(error))")
        }
    }

    /// The device has ended the call.
    /// - Returns: the status with which the server ends it.
    package mutating func end() -> RPCStatus {
        defer { state = .ended }
        guard state.takesMessages, decoder.isWithinMessage else { return RPCStatus(.ok) }
        return RPCStatus(.invalidArgument, "the call ended within a message")
    }
}

extension PacketCall.State {
    fileprivate var takesMessages: Bool {
        switch self {
        case .awaitsChip, .awaitsReset, .carries: true
        case .drops, .ended: false
        }
    }
}
