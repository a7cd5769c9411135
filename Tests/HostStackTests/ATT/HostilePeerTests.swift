// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import TestSupport
import Testing

@testable import HostStack

/// Peers that send arbitrary PDUs at any time.
@Suite struct HostilePeerTests {
    private static let samples = GoldenPDU.all.compactMap { try? Hexadecimal.bytes($0.hexadecimal) }

    private static func pdu(_ generator: inout SplitMix64) -> [UInt8] {
        guard Int.random(in: 0...3, using: &generator) > 0, var pdu = samples.randomElement(using: &generator) else {
            return generator.bytes(Int.random(in: 0...30, using: &generator))
        }
        // A handle of the table, where most PDUs have their handle.
        if pdu.count >= 3, Bool.random(using: &generator) {
            pdu[1] = UInt8.random(in: 0...0x33, using: &generator)
            pdu[2] = 0
        }
        if !pdu.isEmpty, Bool.random(using: &generator) {
            pdu[Int.random(in: 0..<pdu.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        return pdu
    }

    /// An owner that answers only sometimes, and a client that never waits.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func serverStaysWithinItsLimits(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let limits = ATTServer.Limits(mtu: 100, preparedBytes: 200, waitingPDUs: 8, waitingIndications: 4)
        var server = ATTServer(database: try AttributeFixture.database(), limits: limits)
        var owner = AttributeOwner()
        var questions: [ATTServerOutput] = []
        var responses = 0
        var mtu = 23
        for round in 0..<5000 {
            let now = Duration.milliseconds(round)
            var outputs = server.receive(Self.pdu(&generator), at: now)
            if let question = questions.first, Int.random(in: 0...3, using: &generator) == 0,
                let (token, result) = owner.answer(question)
            {
                questions.removeFirst()
                outputs += server.respond(token, result, at: now)
            }
            for handle in [AttributeFixture.batteryValue, AttributeFixture.numbersValue] {
                outputs += server.notify(generator.bytes(200), of: handle, at: now)
            }
            for output in outputs {
                switch output {
                case .send(let pdu):
                    responses += 1
                    let parsed = try ATTPDU(parsing: pdu)
                    #expect(pdu.count <= mtu && parsed.opcode.isFromServer)
                case .mtuChanged(let changed):
                    mtu = changed
                case .read, .write:
                    questions.append(output)
                default:
                    break
                }
            }
            #expect(questions.count <= 1 && server.waitingPDUCount <= limits.waitingPDUs && 23...100 ~= server.mtu)
        }
        #expect(responses > 1000)
        // The server still answers.
        if let question = questions.first, let (token, result) = owner.answer(question) {
            var outputs = server.respond(token, result, at: .zero)
            while let (token, result) = outputs.lazy.compactMap({ owner.answer($0) }).first {
                outputs = server.respond(token, result, at: .zero)
            }
        }
        #expect(!server.isWaitingForOwner)
        #expect(server.receive([0x02, 23, 0], at: .zero).first == .send([0x03, 100, 0]))
    }

    private static let procedures: [GATTProcedure] = [
        .exchangeMTU, .discoverPrimaryServices, .discoverPrimaryServicesByUUID(.bit16(0x180F)),
        .findIncludedServices(in: .all), .discoverCharacteristics(in: .all), .discoverDescriptors(in: .all),
        .read(AttributeFixture.textValue), .readByUUID(AttributeFixture.battery), .readMultiple([3, 5]),
        .write(AttributeFixture.textValue, [UInt8](repeating: 1, count: 60)), .write(1, [1]),
        .reliableWrite([AttributeValue(handle: 1, value: [1])]), .subscribe(1, .notification),
        .subscribeTo(
            RemoteCharacteristic(uuid: .bit16(1), properties: .notify, declaration: 1, value: 2, end: 9),
            .notification),
    ]

    /// A server that answers with any PDU that the procedure may accept: every procedure ends, after at most as many
    /// requests as there are handles.
    @Test(arguments: [5, 6] as [UInt64])
    func proceduresEnd(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var successes = 0
        for round in 0..<700 {
            var client = GATTClient()
            let procedure = Self.procedures[round % Self.procedures.count]
            var outputs = client.start(procedure, as: ATTToken(1), at: .zero)
            var requests = 0
            while case .send(let request) = outputs.last, requests < 1000 {
                requests += 1
                outputs = client.receive(Self.answer(to: request, &generator), at: .zero)
                // A PDU that is not a response leaves the request waiting.
                if client.nextDeadline == .seconds(30), !outputs.contains(where: \.isRequest) {
                    outputs = client.receive([0x01, request[0], 1, 0, 0x0A], at: .zero)
                }
            }
            guard case .completed(_, let result) = outputs.last else {
                Issue.record("\(procedure) did not end: \(outputs)")
                continue
            }
            if case .success = result { successes += 1 }
            #expect(requests <= 200)
        }
        #expect(successes > 100)
    }

    /// A PDU, usually with the opcode of the response.
    private static func answer(to request: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        let answers = samples.filter { $0[0] == request[0] + 1 }
        guard Int.random(in: 0...9, using: &generator) > 0, var answer = answers.randomElement(using: &generator) else {
            return pdu(&generator)
        }
        // The handle of the request, where most responses have one.
        if request.count >= 3, answer.count >= 4, answer[0] != 0x17 {
            let start = [0x11, 0x09, 0x05].contains(answer[0]) ? 2 : 1
            answer.replaceSubrange(start..<start + 2, with: request[1...2])
        }
        if answer[0] == 0x17 { answer = [0x17] + request.dropFirst() }
        if answer.count > 1, Int.random(in: 0...4, using: &generator) == 0 {
            answer[Int.random(in: 1..<answer.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        return answer
    }

    @Test func randomPDUsDoNotTrapTheBearer() throws {
        var generator = SplitMix64(seed: 9)
        var bearer = ATTBearer(server: ATTServer(database: try AttributeFixture.database()))
        var owner = AttributeOwner()
        for round in 0..<10_000 {
            let now = Duration.milliseconds(round)
            if round % 50 == 0 {
                let procedure = try #require(Self.procedures.randomElement(using: &generator))
                _ = bearer.withClient { $0.start(procedure, as: ATTToken(UInt64(round)), at: now) }
            }
            var outputs = bearer.receive(Self.pdu(&generator), at: now)
            while !outputs.isEmpty {
                guard case .server(let question) = outputs.removeFirst(), let (token, result) = owner.answer(question)
                else { continue }
                outputs += bearer.withServer { $0.respond(token, result, at: now) }
            }
            #expect(23...517 ~= bearer.mtu)
        }
    }
}

extension GATTClientOutput {
    /// Whether the output sends a PDU other than a confirmation.
    fileprivate var isRequest: Bool { if case .send(let pdu) = self { pdu != [0x1E] } else { false } }
}
