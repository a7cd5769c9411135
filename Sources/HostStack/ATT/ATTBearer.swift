// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

/// A token that identifies a question or a procedure until it is answered.
package struct ATTToken: Hashable, Sendable {
    /// The number, unique on one bearer.
    package let rawValue: UInt64
    /// The token of this number.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// The attribute server and client of one connection, on its attribute channel (Core 5.4, Vol 3, Part F, 3.2.11).
///
/// The bearer passes each PDU to the server or to the client, and gives both the MTU that either of them has agreed on.
struct ATTBearer: Sendable {
    /// An output of the bearer.
    enum Output: Hashable, Sendable {
        /// Send this PDU on the attribute channel.
        case send([UInt8])
        /// An output of the server; never `.send`, `.mtuChanged` or `.failed`.
        case server(ATTServerOutput)
        /// An output of the client; never `.send`, `.mtuChanged` or `.failed`.
        case client(GATTClientOutput)
        /// Both sides have agreed on a maximum PDU length, in bytes.
        case mtuChanged(Int)
        /// A transaction timed out. The bearer can no longer be used; disconnect the link.
        case failed
    }

    /// The maximum PDU length before an exchange, in bytes (Core 5.4, Vol 3, Part G, 5.2.1).
    static let minimumMTU = 23

    /// The server; `nil` if this device has no attributes.
    private(set) var server: ATTServer?
    /// The client.
    private(set) var client: GATTClient

    /// The bearer of a new connection; by default with a client of the same maximum PDU length as the server.
    init(server: ATTServer?, client: GATTClient? = nil) {
        self.server = server
        self.client = client ?? server.map { GATTClient(maximumMTU: $0.limits.mtu) } ?? GATTClient()
    }

    /// The longest PDU that may be sent now, in bytes.
    var mtu: Int { client.mtu }

    /// The next time at which `advance(to:)` must be called.
    var nextDeadline: Duration? {
        (server?.nextDeadline).orEarlier(client.nextDeadline)
    }

    /// Takes the payload of one frame.
    mutating func receive(_ pdu: [UInt8], at now: Duration) -> [Output] {
        guard let first = pdu.first else { return [] }
        let opcode = ATTOpcode(rawValue: first)
        if opcode.isFromServer { return withClient { $0.receive(pdu, at: now) } }
        if server != nil { return withServer { $0.receive(pdu, at: now) } }
        guard !opcode.isCommand, opcode != .handleValueConfirmation else { return [] }
        let response = ATTErrorResponse(request: opcode, handle: .none, error: .requestNotSupported)
        return [.send(response.pduBytes)]
    }

    /// Ends transactions that have timed out.
    mutating func advance(to now: Duration) -> [Output] {
        withServer { $0.advance(to: now) } + withClient { $0.advance(to: now) }
    }

    /// The link has ended: the procedures of the client fail.
    mutating func close() -> [Output] {
        server?.close()
        return withClient { $0.close() }
    }

    /// Sets the security of the link.
    mutating func setSecurity(_ security: LinkSecurity) { server?.security = security }

    /// Gives the server an input, if there is a server.
    mutating func withServer(_ body: (inout ATTServer) -> [ATTServerOutput]) -> [Output] {
        guard server != nil else { return [] }
        var outputs: [Output] = []
        // In place: a server is large.
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

    /// Gives the client an input.
    mutating func withClient(_ body: (inout GATTClient) -> [GATTClientOutput]) -> [Output] {
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
