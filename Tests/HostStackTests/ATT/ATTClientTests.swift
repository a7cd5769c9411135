// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

@Suite struct ATTClientTests {
    private static let one = ATTToken(1)
    private static let two = ATTToken(2)
    private static let read = ATTPDU.readRequest(ATTReadRequest(handle: 0x18))
    private static let write = ATTPDU.writeRequest(ATTWriteRequest(handle: 0x18, value: [1]))

    @Test func oneRequestAtATime() {
        var client = ATTClient()
        #expect(client.request(Self.read, as: Self.one, at: .zero) == [.send([0x0A, 0x18, 0])])
        #expect(client.request(Self.write, as: Self.two, at: .zero) == [])
        #expect(
            client.receive([0x0B, 7], at: .seconds(1)) == [
                .response(Self.one, .success(.readResponse(ATTReadResponse(value: [7])))), .send([0x12, 0x18, 0, 1]),
            ])
        #expect(client.nextDeadline == .seconds(31))
        #expect(
            client.receive([0x13], at: .seconds(2))
                == [.response(Self.two, .success(.writeResponse(ATTWriteResponse())))])
        #expect(client.nextDeadline == nil)
    }

    @Test func commandsDoNotWait() {
        var client = ATTClient()
        _ = client.request(Self.read, as: Self.one, at: .zero)
        let command = ATTPDU.writeCommand(ATTWriteCommand(handle: 0x1D, value: [1]))
        #expect(client.command(command) == [.send([0x52, 0x1D, 0, 1])])
    }

    @Test func errorsAreReported() {
        var client = ATTClient()
        _ = client.request(Self.read, as: Self.one, at: .zero)
        #expect(
            client.receive([0x01, 0x0A, 0x18, 0, 0x05], at: .zero)
                == [.response(Self.one, .failure(.refused(.insufficientAuthentication, 0x18)))])
    }

    /// PDUs that do not answer the request are ignored, and the response is still accepted afterwards.
    @Test(arguments: [
        "13", "0d 07", "01 12 1800 03", "01 0a 1800", "03 1700", "1e", "0a 1800", "52 1800 01", "", "ff", "19", "1b 18",
        "1d", "23 1000", "05 01",
    ])
    func mismatchedResponsesAreIgnored(_ hexadecimal: String) throws {
        var client = ATTClient()
        let bytes = try Hexadecimal.bytes(hexadecimal)
        #expect(client.receive(bytes, at: .zero) == [])
        _ = client.request(Self.read, as: Self.one, at: .zero)
        #expect(client.receive(bytes, at: .seconds(20)) == [])
        // The PDU does not extend the time limit either.
        #expect(client.nextDeadline == .seconds(30))
        #expect(client.receive([0x0B], at: .seconds(20)).count == 1)
    }

    @Test func malformedResponseEndsItsRequest() {
        var client = ATTClient()
        _ = client.request(Self.write, as: Self.one, at: .zero)
        #expect(client.receive([0x13, 0], at: .zero) == [.response(Self.one, .failure(.malformedResponse))])
        #expect(client.request(Self.write, as: Self.two, at: .zero).count == 1)
    }

    @Test func notificationsArriveAtAnyTime() {
        var client = ATTClient()
        #expect(client.receive([0x1B, 0x10, 0, 99], at: .zero) == [.notification(0x10, [99])])
        #expect(client.receive([0x1D, 0x10, 0, 98], at: .zero) == [.send([0x1E]), .indication(0x10, [98])])
        #expect(
            client.receive([0x23, 0x10, 0, 1, 0, 99, 0x1A, 0, 0, 0], at: .zero)
                == [.notification(0x10, [99]), .notification(0x1A, [])])
        _ = client.request(Self.read, as: Self.one, at: .zero)
        #expect(client.receive([0x1D, 0x10, 0], at: .zero) == [.send([0x1E]), .indication(0x10, [])])
        #expect(client.receive([0x0B], at: .zero).count == 1)
    }

    @Test func unansweredRequestEndsTheBearer() {
        var client = ATTClient()
        _ = client.request(Self.read, as: Self.one, at: .seconds(5))
        _ = client.request(Self.write, as: Self.two, at: .seconds(6))
        #expect(client.advance(to: .milliseconds(34_999)) == [])
        #expect(
            client.advance(to: .seconds(35)) == [
                .response(Self.one, .failure(.timedOut)), .response(Self.two, .failure(.closed)), .failed,
            ])
        #expect(client.nextDeadline == nil)
        #expect(client.advance(to: .seconds(99)) == [])
        // The bearer is closed: a late response is ignored, and nothing more is sent.
        #expect(client.receive([0x0B], at: .seconds(36)) == [])
        #expect(client.receive([0x1D, 0x10, 0], at: .seconds(36)) == [])
        #expect(
            client.request(Self.read, as: Self.one, at: .seconds(36)) == [.response(Self.one, .failure(.closed))])
        #expect(client.command(.writeCommand(ATTWriteCommand(handle: 1, value: []))) == [])
    }

    @Test func closingEndsAllRequests() {
        var client = ATTClient()
        _ = client.request(Self.read, as: Self.one, at: .zero)
        _ = client.request(Self.write, as: Self.two, at: .zero)
        #expect(
            client.close() == [.response(Self.one, .failure(.closed)), .response(Self.two, .failure(.closed))])
        #expect(client.close() == [])
    }

    @Test func waitingRequestsAreBounded() {
        var client = ATTClient(waitingRequests: 2)
        for number in 0..<3 as Range<UInt64> { _ = client.request(Self.read, as: ATTToken(number), at: .zero) }
        #expect(
            client.request(Self.read, as: ATTToken(3), at: .zero)
                == [.response(ATTToken(3), .failure(.tooManyRequests))])
    }
}
