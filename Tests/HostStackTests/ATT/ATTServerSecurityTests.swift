// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

@Suite struct ATTServerSecurityTests {
    static let open = LinkSecurity.open
    static let bonded = LinkSecurity(hasKey: true)
    static let encrypted = LinkSecurity(isEncrypted: true, hasKey: true)
    static let shortKey = LinkSecurity(isEncrypted: true, hasKey: true, keySize: 7)
    static let authenticated = LinkSecurity(isEncrypted: true, isAuthenticated: true, hasKey: true)
    static let authorized = LinkSecurity(isAuthorized: true)
    static let keyOnly = LinkSecurity(isAuthenticated: true, hasKey: true)

    /// The security of the link, the attribute, and the error; 0 if it can be read and written.
    static let cases: [(LinkSecurity, AttributeHandle, UInt8)] = [
        // Requires encryption.
        (open, 0x24, 0x05), (bonded, 0x24, 0x0F), (encrypted, 0x24, 0), (shortKey, 0x24, 0), (authenticated, 0x24, 0),
        (authorized, 0x24, 0x05),
        // Requires an encrypted link with an authenticated key.
        (open, 0x26, 0x05), (bonded, 0x26, 0x0F), (encrypted, 0x26, 0x05), (authenticated, 0x26, 0),
        (keyOnly, 0x26, 0x0F),
        // Requires only authorization.
        (open, 0x28, 0x08), (authenticated, 0x28, 0x08), (authorized, 0x28, 0),
        // Requires a key of 16 bytes for reading.
        (open, 0x2A, 0x05), (shortKey, 0x2A, 0x0C), (encrypted, 0x2A, 0),
        // Requires nothing.
        (open, 0x10, 0),
    ]

    @Test(arguments: cases)
    func readingNeedsTheSecurityOfTheAttribute(_ security: LinkSecurity, _ handle: AttributeHandle, _ error: UInt8)
        throws
    {
        for request in [[0x0A], [0x0C]] as [[UInt8]] {
            var bench = try ServerBench(security: security)
            let tail: [UInt8] = request == [0x0C] ? [0, 0] : []
            let response = try bench.send(request + handle.serialized() + tail)
            let expected =
                error == 0
                ? [request[0] + 1, handle == 0x10 ? 100 : 0xEE] : [1, request[0]] + handle.serialized() + [error]
            #expect(response == [Hexadecimal.string(expected)])
        }
    }

    @Test(arguments: cases.filter { $0.1 != 0x10 && $0.1 != 0x2A })
    func writingNeedsTheSecurityOfTheAttribute(_ security: LinkSecurity, _ handle: AttributeHandle, _ error: UInt8)
        throws
    {
        var bench = try ServerBench(security: security)
        let response = try bench.send([0x12] + handle.serialized() + [1])
        let expected = error == 0 ? [0x13] : [1, 0x12] + handle.serialized() + [error]
        #expect(response == [Hexadecimal.string(expected)])
        _ = try bench.send([0x52] + handle.serialized() + [2])
        #expect(bench.owner.written.count == (error == 0 ? 2 : 0))
    }

    /// Reading and writing have separate permissions.
    @Test func writingRequiresOnlyItsOwnPermission() throws {
        var bench = try ServerBench()
        #expect(try bench.send("12 2a00 01") == ["13"])
        #expect(try bench.send("0a 2a00") == ["010a2a0005"])
    }

    @Test func subscribingNeedsTheSecurityOfTheAttribute() throws {
        var bench = try ServerBench()
        #expect(try bench.send("0a 2d00", "12 2d00 0100") == ["0b0000", "01122d0005"])
        bench.server.security = Self.encrypted
        #expect(try bench.send("12 2d00 0100") == ["13"])
    }

    /// A list ends before a protected value; only a protected first value is an error.
    @Test func listEndsBeforeProtectedValues() throws {
        let services = [
            GATTService(
                uuid: .bit16(0x1815),
                characteristics: [[], AttributeSecurity.encryption].map {
                    GATTCharacteristic(
                        uuid: .bit16(0x2A56), properties: .read, permissions: AttributePermissions(read: $0))
                })
        ]
        let database = try AttributeDatabase(services: services, genericAccess: GenericAccess(name: ""))
        var server = ATTServer(database: database)
        let token = try #require(server.receive([0x08, 1, 0, 0xFF, 0xFF, 0x56, 0x2A], at: .zero).token)
        #expect(server.respond(token, .success([7]), at: .zero) == [.send([0x09, 3, 0x10, 0, 7])])
        #expect(
            server.receive([0x08, 0x11, 0, 0xFF, 0xFF, 0x56, 0x2A], at: .zero)
                == [
                    .send([0x01, 0x08, 0x12, 0, 0x05]),
                    .refused(0x0012, write: nil, .insufficientAuthentication),
                ])
    }

    /// Requests and commands that the server refuses itself, which its owner can report.
    @Test(
        arguments: [
            ("0a 2400", 0x24, nil, .insufficientAuthentication),
            ("0c 2400 0000", 0x24, nil, .insufficientAuthentication),
            ("0e 2400 1000", 0x24, nil, .insufficientAuthentication),
            ("12 2400 0102", 0x24, [1, 2], .insufficientAuthentication),
            ("52 2400 0102", 0x24, [1, 2], .insufficientAuthentication),
            ("16 2400 0000 07", 0x24, [7], .insufficientAuthentication),
            ("0a 2800", 0x28, nil, .insufficientAuthorization),
        ] as [(String, AttributeHandle, [UInt8]?, ATTError)])
    func refusedRequestsAreReported(
        _ request: String, _ handle: AttributeHandle, _ value: [UInt8]?, _ error: ATTError
    ) throws {
        var server = ATTServer(database: try AttributeFixture.database())
        let outputs = server.receive(try Hexadecimal.bytes(request), at: .zero)
        #expect(outputs.last == .refused(handle, write: value, error))
        #expect(outputs.count == (request.hasPrefix("52") ? 1 : 2), "a command has no response")
    }
}
