// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import Testing

@testable import Netsim

/// Calls of `PacketStreamer.StreamPackets`, message by message.
@Suite struct PacketCallTests {
    private static let reset = HCIPacket.command(HCICommandPacket(HCIReset()))
    private static let readAddress = HCIPacket.command(HCICommandPacket(ReadBDADDR()))

    private static func framed(_ request: PacketRequest) -> [UInt8] {
        RPCMessageDecoder.prefix(request.bytes.count) + request.bytes
    }

    /// Adds messages, and takes all actions.
    private static func take(
        _ call: inout PacketCall, _ requests: PacketRequest...
    ) throws(RPCStatus) -> [PacketCall.Action] {
        try take(&call, bytes: requests.flatMap(framed))
    }

    private static func take(_ call: inout PacketCall, bytes: [UInt8]) throws(RPCStatus) -> [PacketCall.Action] {
        call.append(bytes)
        var actions: [PacketCall.Action] = []
        while let action = try call.next() { actions.append(action) }
        return actions
    }

    private static func joined(_ kind: ChipInformation.Kind = .bluetooth) throws -> PacketCall {
        var call = PacketCall()
        _ = try take(&call, .chip(ChipInformation(kind, deviceName: "pixel")))
        return call
    }

    @Test func packetsOfABluetoothChipArrive() throws {
        var call = PacketCall()
        let chip = ChipInformation(.bluetooth, deviceName: "pixel")
        #expect(
            try Self.take(&call, .chip(chip), .hci(Self.reset), .empty, .hci(Self.readAddress))
                == [.join(chip), .packet(Self.reset), .packet(Self.readAddress)])
        #expect(call.end().code == .ok)
    }

    /// However the bytes are cut.
    @Test func messagesArriveInParts() throws {
        var call = PacketCall()
        let chip = ChipInformation(.bluetooth, deviceName: "pixel")
        var actions: [PacketCall.Action] = []
        for byte in [PacketRequest.chip(chip), .hci(Self.reset)].flatMap(Self.framed) {
            actions += try Self.take(&call, bytes: [byte])
        }
        #expect(actions == [.join(chip), .packet(Self.reset)])
    }

    /// After a snapshot was restored, the host does not know that its controller is a new one.
    @Test func commandsBeforeAResetAreAnsweredByHardwareErrors() throws {
        var call = try Self.joined()
        let error = HCIPacket.event(HCIEventPacket(HardwareError(hardwareCode: 0x42)))
        let data = HCIPacket.acl(ACLDataPacket(handle: ConnectionHandle(1), boundary: .firstNonFlushable, payload: [1]))
        #expect(
            try Self.take(&call, .hci(Self.readAddress), .hci(data), .hci(Self.readAddress))
                == [.reply(error), .reply(error)])
        #expect(
            try Self.take(&call, .hci(Self.reset), .hci(Self.readAddress))
                == [.packet(Self.reset), .packet(Self.readAddress)])
    }

    /// The calls of other radios stay open, whatever comes: an emulator calls again for ever if they end.
    @Test(arguments: [0, 2, 3, 4, 5, 6, 99] as [UInt32])
    func callsOfOtherRadiosStay(_ kind: UInt32) throws {
        var call = PacketCall()
        let chip = ChipInformation(.init(rawValue: kind), deviceName: "pixel")
        #expect(try Self.take(&call, .chip(chip), .other(1500)) == [.ignore(chip)])
        #expect(try Self.take(&call, bytes: [UInt8](repeating: 0xFF, count: 1_000_000)) == [])
        #expect(call.end().code == .ok)
    }

    @Test func firstMessageIsTheChip() {
        for request in [PacketRequest.hci(Self.reset), .other(1), .empty] {
            var call = PacketCall()
            let status = #expect(throws: RPCStatus.self) { try Self.take(&call, request) }
            #expect(status == RPCStatus(.invalidArgument, "the first message is not the chip information"))
        }
    }

    @Test func faultsEndACall() throws {
        let faults: [([UInt8], RPCStatus.Code)] = [
            (Self.framed(.chip(ChipInformation(.bluetooth))), .invalidArgument),
            (Self.framed(.other(4)), .invalidArgument),
            ([0, 0, 0, 0, 1, 0xFF], .invalidArgument),
            ([1, 0, 0, 0, 0], .unimplemented),
            ([0, 0x7F, 0xFF, 0xFF, 0xFF], .resourceExhausted),
        ]
        for (bytes, code) in faults {
            var call = try Self.joined()
            let status = #expect(throws: RPCStatus.self) { try Self.take(&call, bytes: bytes) }
            #expect(status?.code == code && status?.message.isEmpty == false)
            // Nothing follows.
            #expect(try Self.take(&call, .hci(Self.reset)) == [])
        }
    }

    @Test func endWithinAMessageIsAFault() throws {
        var call = try Self.joined()
        _ = try Self.take(&call, bytes: [0, 0, 0])
        #expect(call.end().code == .invalidArgument)
    }

    @Test func messagesOfStatusesAreEncoded() {
        #expect(RPCStatus(.unimplemented, "no \"ö\"\n100 %").encodedMessage == "no \"%C3%B6\"%0A100 %25")
    }
}
