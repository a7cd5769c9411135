// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import HCI
import NIOCore
import NIOEmbedded
import Netsim
import TestSupport

extension FuzzTarget {
    /// Bytes of a call of an emulator: messages, or the end of the call.
    static let netsim = FuzzTarget(name: "netsim", divisor: 1) { generator in
        switch Int.random(in: 0...9, using: &generator) {
        case 0: Mutation.noise(128, &generator)
        case 1: chip + Mutation.noise(128, &generator)
        default: chip + Mutation.damaged(calls, &generator)
        }
    } parse: { bytes in
        var call = PacketCall()
        // In two parts, so that messages are cut.
        let middle = bytes.count / 2
        for part in [bytes[..<middle], bytes[middle...]] {
            call.append(part)
            do throws(RPCStatus) {
                while let action = try call.next() { check(action) }
            } catch {
                guard error.code != .ok, !error.message.isEmpty else { FuzzReport.fail("an end has no reason") }
                guard (try? call.next()) == .some(nil) else { FuzzReport.fail("an end is not the end") }
                return .refused
            }
        }
        _ = call.end()
        return .parsed
    }

    private static func check(_ action: PacketCall.Action) {
        switch action {
        case .join(let chip), .ignore(let chip):
            guard 1...48 ~= chip.hostName.utf8.count, !chip.hostName.hasPrefix(".") else {
                FuzzReport.fail("a name is none: \(chip.hostName)")
            }
            guard (try? PacketRequest(parsing: PacketRequest.chip(chip).bytes[...])) == .chip(chip) else {
                FuzzReport.fail("a chip is not read as it was written")
            }
        case .packet(let packet), .reply(let packet):
            guard (try? PacketRequest(parsing: PacketResponse.bytes(of: packet)[...])) == .hci(packet) else {
                FuzzReport.fail("a packet is not read as it was written")
            }
        }
    }

    /// Bytes of a connection of an emulator: HTTP/2 as Python's gRPC library sends it, damaged.
    static let netsimConnection = FuzzTarget(name: "netsim-connection", divisor: 10) { generator in
        switch Int.random(in: 0...9, using: &generator) {
        case 0: Mutation.noise(256, &generator)
        case 1: preface + Mutation.noise(256, &generator)
        default: preface + Mutation.damaged(connections, &generator)
        }
    } parse: { bytes in
        let delegate = Ignoring()
        let channel = EmbeddedChannel()
        do {
            try PacketServer.accept(channel, for: delegate)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.writeInbound(ByteBuffer(bytes: bytes[..<(bytes.count / 2)]))
            try channel.writeInbound(ByteBuffer(bytes: bytes[(bytes.count / 2)...]))
        } catch {
            delegate.hasEnded = true
        }
        let isOpen = channel.isActive && !delegate.hasEnded
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return isOpen ? .parsed : .refused
    }

    /// Takes chips, and gives them no controllers.
    private final class Ignoring: PacketServerDelegate {
        var hasEnded = false

        func join(_ chip: ChipInformation, on channel: any Channel, peer: String) -> (String) -> Void { { _ in } }

        func ignore(_ chip: ChipInformation, peer: String) {}

        func refuse(_ reason: String, peer: String) { hasEnded = true }
    }

    private static func framed(_ request: PacketRequest) -> [UInt8] {
        let bytes = request.bytes
        return [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes.count >> $0) } + bytes
    }

    private static let chip = framed(
        .chip(ChipInformation(.bluetooth, deviceName: "pixel", deviceKind: "EMULATOR", devicePath: "/avd")))

    private static let calls: [[UInt8]] = [
        framed(.hci(.command(HCICommandPacket(HCIReset())))) + framed(.hci(.command(HCICommandPacket(ReadBDADDR())))),
        framed(.hci(.acl(ACLDataPacket(handle: ConnectionHandle(1), boundary: .firstNonFlushable, payload: [1, 2])))),
        framed(.other(10)), framed(.empty), chip,
    ]

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// Recorded from grpcio 1.85.0: settings, headers, the chip, a reset, and the end of the requests.
    private static let connections: [[UInt8]] = [
        (try? Hexadecimal.bytes(
            "000024040000000000000200000000000300000000000400400000000500400000000600004000fe030000000100000408000000000000"
                + "3f00010000000401000000000000e801040000000140053a706174682b2f6e657473696d2e7061636b65742e5061636b65745374726561"
                + "6d65722f53747265616d5061636b657473400a3a617574686f726974790f3132372e302e302e313a34323730318386400c636f6e74656e"
                + "742d74797065106170706c69636174696f6e2f677270634002746508747261696c6572734014677270632d6163636570742d656e636f64"
                + "696e67176964656e746974792c206465666c6174652c20677a6970400a757365722d6167656e7430677270632d707974686f6e2f312e38"
                + "352e3020677270632d632f35382e302e3020286c696e75783b206368747470322900001e00000000000100000000190a17120208011a11"
                + "0a05706978656c1208454d554c41544f520000040800000000010000000500000e0000000000010000000009120708011203030c000000"
                + "0408000000000000000005000000000100000001")) ?? []
    ]
}
