// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// Server and client of one connection on its one attribute channel (Core 5.4, Vol 3, Part F, 3.2.11).
///
/// It gives every PDU to the end that it is for, and both the MTU that either has agreed on.
package struct ATTBearer: Sendable {
    /// What is to be done.
    package enum Output: Hashable, Sendable {
        /// Send this PDU on the attribute channel.
        case send([UInt8])
        /// What the server wants done: never `.send`, `.mtuChanged` or `.failed`.
        case server(ATTServerOutput)
        /// What the client wants done: never `.send`, `.mtuChanged` or `.failed`.
        case client(GATTClientOutput)
        /// Both ends agreed on PDUs of so many octets.
        case mtuChanged(Int)
        /// A transaction took too long: nothing more comes of this bearer, the link should go.
        case failed
    }

    /// The longest PDU before anything is agreed on, in octets (Core 5.4, Vol 3, Part G, 5.2.1).
    package static let minimumMTU = 23

    /// The server; `nil` when this device serves nothing.
    package private(set) var server: ATTServer?
    /// The client.
    package private(set) var client: GATTClient

    /// The bearer of a new connection; without a client of its own, one that takes PDUs as long as the server does.
    package init(server: ATTServer?, client: GATTClient? = nil) {
        self.server = server
        self.client = client ?? server.map { GATTClient(maximumMTU: $0.limits.mtu) } ?? GATTClient()
    }

    /// The longest PDU that may be sent now, in octets.
    package var mtu: Int { client.mtu }

    /// When `advance(to:)` has something to do.
    package var nextDeadline: Duration? {
        (server?.nextDeadline).orEarlier(client.nextDeadline)
    }

    /// Takes the payload of one frame.
    package mutating func receive(_ pdu: [UInt8], at now: Duration) -> [Output] {
        guard let first = pdu.first else { return [] }
        let opcode = ATTOpcode(rawValue: first)
        if opcode.isFromServer { return withClient { $0.receive(pdu, at: now) } }
        if server != nil { return withServer { $0.receive(pdu, at: now) } }
        guard !opcode.isCommand, opcode != .handleValueConfirmation else { return [] }
        let response = ATTErrorResponse(request: opcode, handle: .none, error: .requestNotSupported)
        return [.send(response.pduBytes)]
    }

    /// Takes the time.
    package mutating func advance(to now: Duration) -> [Output] {
        withServer { $0.advance(to: now) } + withClient { $0.advance(to: now) }
    }

    /// The link is gone: what the client was asked for fails.
    package mutating func close() -> [Output] {
        server?.close()
        return withClient { $0.close() }
    }

    /// Takes down what the link offers.
    mutating func setSecurity(_ security: LinkSecurity) { server?.security = security }

    /// Has the server do something; nothing comes of it where there is none.
    package mutating func withServer(_ body: (inout ATTServer) -> [ATTServerOutput]) -> [Output] {
        guard server != nil else { return [] }
        var outputs: [Output] = []
        // In its place: a server is large.
        for output in body(&server!) {
            switch output {
            case .send(let pdu): outputs.append(.send(pdu))
            case .mtuChanged(let mtu):
                client.setMTU(mtu)
                outputs.append(.mtuChanged(mtu))
            case .failed: outputs += close() + [.failed]
            default: outputs.append(.server(output))
            }
        }
        return outputs
    }

    /// Has the client do something.
    package mutating func withClient(_ body: (inout GATTClient) -> [GATTClientOutput]) -> [Output] {
        var outputs: [Output] = []
        for output in body(&client) {
            switch output {
            case .send(let pdu): outputs.append(.send(pdu))
            case .mtuChanged(let mtu):
                server?.setMTU(mtu)
                outputs.append(.mtuChanged(mtu))
            case .failed:
                server?.close()
                outputs.append(.failed)
            default: outputs.append(.client(output))
            }
        }
        return outputs
    }
}
