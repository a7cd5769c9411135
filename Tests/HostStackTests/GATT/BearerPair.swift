// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth

@testable import HostStack

/// Two bearers back to back over L2CAP frames in fragments, the second with a server of the fixture's table.
struct BearerPair {
    /// One end, with the outputs other than PDUs and questions to its owner.
    struct End {
        var bearer: ATTBearer
        var owner = AttributeOwner()
        var reassembler = L2CAPReassembler()
        var events: [ATTBearer.Output] = []
        /// The longest PDU that it sent.
        var longestPDU = 0

        init(_ bearer: ATTBearer) { self.bearer = bearer }
    }

    var near: End
    var far: End
    var now = Duration.zero
    private var lastToken: UInt64 = 0

    init(mtu: UInt16, nearServer: ATTServer? = nil) throws {
        near = End(ATTBearer(server: nearServer, client: GATTClient(maximumMTU: mtu)))
        let server = ATTServer(database: try AttributeFixture.database(), limits: ATTServer.Limits(mtu: mtu))
        far = End(ATTBearer(server: server))
    }

    /// Runs a procedure of the near end's client to its end.
    mutating func run(_ procedure: GATTProcedure) throws -> GATTResult {
        lastToken += 1
        let token = ATTToken(lastToken)
        perform(near: near.bearer.withClient { [now] in $0.start(procedure, as: token, at: now) })
        for case .client(.completed(token, let result)) in near.events { return try result.get() }
        throw ATTClientError.timedOut
    }

    /// Makes the far end's server notify a value.
    mutating func notify(_ value: [UInt8], of handle: AttributeHandle) {
        perform(far: far.bearer.withServer { [now] in $0.notify(value, of: handle, at: now) })
    }

    /// Performs outputs, and the outputs that they cause, until there are no more.
    mutating func perform(near nearOutputs: [ATTBearer.Output] = [], far farOutputs: [ATTBearer.Output] = []) {
        var queue = nearOutputs.map { (isNear: true, output: $0) } + farOutputs.map { (isNear: false, output: $0) }
        while !queue.isEmpty {
            let (isNear, output) = queue.removeFirst()
            queue +=
                isNear
                ? Self.perform(output, of: &near, towards: &far, at: now).map { ($0.isOwn, $0.output) }
                : Self.perform(output, of: &far, towards: &near, at: now).map { (!$0.isOwn, $0.output) }
        }
    }

    /// - Returns: the outputs that an output causes, at its own end or the other.
    private static func perform(
        _ output: ATTBearer.Output, of end: inout End, towards other: inout End, at now: Duration
    ) -> [(isOwn: Bool, output: ATTBearer.Output)] {
        switch output {
        case .send(let pdu):
            end.longestPDU = max(end.longestPDU, pdu.count)
            var outputs: [ATTBearer.Output] = []
            let fragments = L2CAPFrame(channel: .attribute, payload: pdu).fragments(ofAtMost: 27)
            for (number, fragment) in fragments.enumerated() {
                for case .frame(let frame) in other.reassembler.receive(fragment, isStart: number == 0) {
                    outputs += other.bearer.receive(frame.payload, at: now)
                }
            }
            return outputs.map { (false, $0) }
        case .server(let question):
            guard let (token, result) = end.owner.answer(question) else { break }
            return end.bearer.withServer { $0.respond(token, result, at: now) }.map { (true, $0) }
        default: break
        }
        end.events.append(output)
        return []
    }
}

extension GATTResult {
    var services: [RemoteService]? { if case .services(let services) = self { services } else { nil } }
    var inclusions: [IncludedService]? { if case .inclusions(let found) = self { found } else { nil } }
    var characteristics: [RemoteCharacteristic]? {
        if case .characteristics(let found) = self { found } else { nil }
    }
    var descriptors: [RemoteDescriptor]? { if case .descriptors(let found) = self { found } else { nil } }
}
