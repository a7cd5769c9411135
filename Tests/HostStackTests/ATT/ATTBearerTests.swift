// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

@Suite struct ATTBearerTests {
    /// The MTU applies to both directions, whichever end requested the exchange.
    @Test func mtuIsSharedByServerAndClient() throws {
        var pair = try BearerPair(mtu: 100, nearServer: ATTServer(database: try AttributeFixture.database()))
        pair.perform(far: pair.far.bearer.withClient { $0.start(.exchangeMTU, as: ATTToken(1), at: .zero) })
        // The near server accepts 517 bytes, the far client 100.
        #expect(pair.near.bearer.mtu == 100)
        #expect(pair.near.bearer.server?.mtu == 100)
        #expect(pair.far.bearer.mtu == 100)
        #expect(pair.far.bearer.server?.mtu == 100)
        #expect(pair.near.events == [.mtuChanged(100)])
        #expect(
            pair.far.events == [.mtuChanged(100), .client(.completed(ATTToken(1), .success(.mtu(100))))])
    }

    @Test(arguments: [
        ("0a 0100", "010a000006"), ("02 1700", "0102000006"), ("52 0100 01", nil), ("1e", nil), ("0b", nil), ("", nil),
        ("d2", nil),
    ])
    func bearerWithoutServerRefusesRequests(_ received: String, _ sent: String?) throws {
        var bearer = ATTBearer(server: nil)
        let expected = try sent.map { [ATTBearer.Output.send(try Hexadecimal.bytes($0))] } ?? []
        #expect(bearer.receive(try Hexadecimal.bytes(received), at: .zero) == expected)
        #expect(bearer.withServer { $0.notify([1], of: 1) } == [])
    }

    @Test func clientTimeoutClosesTheServer() throws {
        var bearer = ATTBearer(server: ATTServer(database: try AttributeFixture.database()))
        _ = bearer.withClient { $0.start(.read(1), as: ATTToken(1), at: .zero) }
        #expect(bearer.nextDeadline == .seconds(30))
        #expect(
            bearer.advance(to: .seconds(30))
                == [.client(.completed(ATTToken(1), .failure(.timedOut))), .failed])
        #expect(bearer.nextDeadline == nil)
        #expect(bearer.receive([0x0A, 0x03, 0], at: .seconds(31)) == [])
    }

    @Test func serverTimeoutClosesTheClient() throws {
        let numbers = AttributeFixture.numbersValue
        let server = ATTServer(
            database: try AttributeFixture.database(), client: ATTClientState(configurations: [numbers: .indication]))
        var bearer = ATTBearer(server: server)
        _ = bearer.withServer { $0.indicate([1], of: numbers, at: .zero) }
        _ = bearer.withClient { $0.start(.read(1), as: ATTToken(1), at: .seconds(10)) }
        #expect(bearer.nextDeadline == .seconds(30))
        #expect(
            bearer.advance(to: .seconds(30)) == [
                .server(.indicationEnded(numbers, isConfirmed: false)),
                .client(.completed(ATTToken(1), .failure(.closed))), .failed,
            ])
        #expect(bearer.nextDeadline == nil)
    }

    @Test func closingFailsPendingProcedures() throws {
        var bearer = ATTBearer(server: ATTServer(database: try AttributeFixture.database()))
        _ = bearer.withClient { $0.start(.read(1), as: ATTToken(1), at: .zero) }
        #expect(bearer.close() == [.client(.completed(ATTToken(1), .failure(.closed)))])
        #expect(bearer.receive([0x0A, 0x03, 0], at: .zero) == [])
        #expect(bearer.nextDeadline == nil)
    }
}
