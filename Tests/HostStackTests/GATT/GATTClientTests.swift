// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

@Suite struct GATTClientTests {
    private static let token = ATTToken(77)

    @Test(
        arguments: ProcedureScript.discovery + ProcedureScript.values + ProcedureScript.nonsense
            + ProcedureScript.impossible)
    func procedureFollowsItsScript(_ script: ProcedureScript) throws {
        var client = GATTClient()
        var outputs = client.start(script.procedure, as: Self.token, at: .zero)
        for index in stride(from: 0, to: script.exchanges.count, by: 2) {
            #expect(outputs == [.send(try Hexadecimal.bytes(script.exchanges[index]))])
            outputs = client.receive(try Hexadecimal.bytes(script.exchanges[index + 1]), at: .zero)
        }
        #expect(outputs.last == .completed(Self.token, script.result))
        #expect(!outputs.dropLast().contains { if case .mtuChanged = $0 { false } else { true } })
        // The client is ready for the next procedure.
        #expect(client.start(.read(1), as: Self.token, at: .zero) == [.send([0x0A, 1, 0])])
    }

    /// A value has at most 512 bytes, even if the server returns more.
    @Test func endlessValueIsCut() {
        var client = GATTClient()
        var outputs = client.start(.read(1), as: Self.token, at: .zero)
        var requests = 0
        while case .send = outputs.first, requests < 1000 {
            let response: [UInt8] = [requests == 0 ? 0x0B : 0x0D] + [UInt8](repeating: 7, count: 22)
            outputs = client.receive(response, at: .zero)
            requests += 1
        }
        #expect(requests == 24)
        #expect(outputs == [.completed(Self.token, .success(.value([UInt8](repeating: 7, count: 512))))])
    }

    @Test func commandsEndWhenSent() {
        var client = GATTClient()
        #expect(
            client.start(.writeWithoutResponse(0x1D, [1]), as: Self.token, at: .zero)
                == [.send([0x52, 0x1D, 0, 1]), .completed(Self.token, .success(.done))])
    }

    @Test func mtuIsExchangedOnce() {
        var client = GATTClient(maximumMTU: 100)
        #expect(client.start(.exchangeMTU, as: Self.token, at: .zero) == [.send([0x02, 100, 0])])
        #expect(
            client.receive([0x03, 50, 0], at: .zero)
                == [.mtuChanged(50), .completed(Self.token, .success(.mtu(50)))])
        #expect(client.start(.exchangeMTU, as: Self.token, at: .zero) == [.completed(Self.token, .success(.mtu(50)))])
        #expect(client.mtu == 50)
        #expect(GATTClient(maximumMTU: 5).maximumMTU == 23)
    }

    @Test func proceduresRunOneByOne() {
        var client = GATTClient(waitingProcedures: 2)
        #expect(client.start(.read(1), as: ATTToken(1), at: .zero).count == 1)
        #expect(client.start(.writeWithoutResponse(2, []), as: ATTToken(2), at: .zero) == [])
        #expect(client.start(.read(3), as: ATTToken(3), at: .zero) == [])
        #expect(
            client.start(.read(4), as: ATTToken(4), at: .zero)
                == [.completed(ATTToken(4), .failure(.tooManyRequests))])
        #expect(
            client.receive([0x0B, 5], at: .zero) == [
                .completed(ATTToken(1), .success(.value([5]))), .send([0x52, 2, 0]),
                .completed(ATTToken(2), .success(.done)), .send([0x0A, 3, 0]),
            ])
    }

    @Test func unansweredProcedureEndsTheBearer() {
        var client = GATTClient()
        _ = client.start(.discoverPrimaryServices, as: ATTToken(1), at: .zero)
        _ = client.start(.read(1), as: ATTToken(2), at: .zero)
        _ = client.receive([0x11, 6, 1, 0, 5, 0, 0, 0x18], at: .seconds(20))
        #expect(client.nextDeadline == .seconds(50))
        #expect(client.advance(to: .seconds(49)) == [])
        #expect(
            client.advance(to: .seconds(50)) == [
                .completed(ATTToken(1), .failure(.timedOut)), .completed(ATTToken(2), .failure(.closed)), .failed,
            ])
        #expect(
            client.start(.read(1), as: ATTToken(3), at: .seconds(51))
                == [.completed(ATTToken(3), .failure(.closed))])
        #expect(client.receive([0x1B, 1, 0, 1], at: .seconds(51)) == [])
    }

    @Test func closingEndsAllProcedures() {
        var client = GATTClient()
        _ = client.start(.read(1), as: ATTToken(1), at: .zero)
        _ = client.start(.read(2), as: ATTToken(2), at: .zero)
        #expect(
            client.close() == [
                .completed(ATTToken(1), .failure(.closed)), .completed(ATTToken(2), .failure(.closed)),
            ])
        #expect(client.close() == [])
        #expect(client.nextDeadline == nil)
    }

    @Test func notificationsArriveAtAnyTime() {
        var client = GATTClient()
        #expect(client.receive([0x1B, 0x10, 0, 9], at: .zero) == [.notification(0x10, [9])])
        #expect(client.receive([0x1D, 0x10, 0, 9], at: .zero) == [.send([0x1E]), .indication(0x10, [9])])
    }
}
