// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

/// Requests that wait for the owner's answer.
@Suite struct ATTServerWaitingTests {
    @Test func requestsAreServedInOrder() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        let first = try #require(server.receive([0x0A, 0x18, 0], at: .zero).token)
        #expect(server.receive([0x0A, 0x03, 0], at: .zero) == [])
        #expect(server.receive([0x52, 0x1D, 0, 1], at: .zero) == [])
        #expect(server.receive([0x0A, 0x05, 0], at: .zero) == [])
        let outputs = server.respond(first, .success([5]), at: .zero)
        let second = try #require(outputs.token)
        #expect(outputs.dropLast() == [.send([0x0B, 5]), .send([0x0B] + Array("Beacon".utf8))])
        #expect(server.respond(second, .success([]), at: .zero) == [.send([0x0B, 0, 0])])
    }

    @Test func onlyTheLastTokenIsAccepted() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        let token = try #require(server.receive([0x0A, 0x18, 0], at: .zero).token)
        #expect(server.respond(ATTToken(token.rawValue + 1), .success([1]), at: .zero) == [])
        #expect(server.respond(token, .success([1]), at: .zero) == [.send([0x0B, 1])])
        #expect(server.respond(token, .success([2]), at: .zero) == [])
    }

    /// The queue is bounded for a client that does not wait for responses.
    @Test func queueIsBounded() throws {
        var server = ATTServer(database: try AttributeFixture.database(), limits: ATTServer.Limits(waitingPDUs: 3))
        let token = try #require(server.receive([0x0A, 0x18, 0], at: .zero).token)
        for _ in 0..<100 { #expect(server.receive([0x0A, 0x05, 0], at: .zero) == []) }
        let responses = server.respond(token, .success([1]), at: .zero)
        #expect(responses == [.send([0x0B, 1])] + Array(repeating: .send([0x0B, 0, 0]), count: 3))
    }

    @Test func severalValuesAreReadOneByOne() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        var outputs = server.receive([0x0E, 0x10, 0, 0x03, 0, 0x18, 0], at: .zero)
        let first = try #require(outputs.token)
        outputs = server.respond(first, .success([1]), at: .zero)
        let second = try #require(outputs.token)
        #expect(outputs.count == 1)
        #expect(
            server.respond(second, .success([2]), at: .zero) == [.send([0x0F, 1] + Array("Beacon".utf8) + [2])])
        // The first error ends the request; the response names the attribute.
        outputs = server.receive([0x20, 0x10, 0, 0x18, 0], at: .zero)
        outputs = server.respond(try #require(outputs.token), .success([1]), at: .zero)
        #expect(
            server.respond(try #require(outputs.token), .failure(.unlikely), at: .zero)
                == [.send([0x01, 0x20, 0x18, 0, 0x0E])])
    }

    @Test func valuesByTypeEndBeforeTheOwnersError() throws {
        let services = [
            GATTService(
                uuid: .bit16(0x1815),
                characteristics: Array(
                    repeating: GATTCharacteristic(uuid: .bit16(0x2A56), properties: .read), count: 3))
        ]
        let database = try AttributeDatabase(services: services, genericAccess: GenericAccess(name: ""))
        var server = ATTServer(database: database)
        let request: [UInt8] = [0x08, 1, 0, 0xFF, 0xFF, 0x56, 0x2A]
        var outputs = server.receive(request, at: .zero)
        outputs = server.respond(try #require(outputs.token), .success([1]), at: .zero)
        #expect(
            server.respond(try #require(outputs.token), .failure(.unlikely), at: .zero)
                == [.send([0x09, 3, 0x10, 0, 1])])
        outputs = server.receive(request, at: .zero)
        #expect(
            server.respond(try #require(outputs.token), .failure(.unlikely), at: .zero)
                == [.send([0x01, 0x08, 0x10, 0, 0x0E])])
        // A value of another length ends the list, too, and the owner is not asked for values that do not fit.
        outputs = server.receive(request, at: .zero)
        outputs = server.respond(try #require(outputs.token), .success([1]), at: .zero)
        #expect(
            server.respond(try #require(outputs.token), .success([1, 2]), at: .zero)
                == [.send([0x09, 3, 0x10, 0, 1])])
    }

    /// A search by value skips values that cannot be read.
    @Test func findByValueSkipsErrors() throws {
        let services = [
            GATTService(
                uuid: .bit16(0x1815),
                characteristics: Array(
                    repeating: GATTCharacteristic(uuid: .bit16(0x2A56), properties: .read), count: 2))
        ]
        let database = try AttributeDatabase(services: services, genericAccess: GenericAccess(name: ""))
        var server = ATTServer(database: database)
        var outputs = server.receive([0x06, 1, 0, 0xFF, 0xFF, 0x56, 0x2A, 9], at: .zero)
        outputs = server.respond(try #require(outputs.token), .failure(.unlikely), at: .zero)
        #expect(
            server.respond(try #require(outputs.token), .success([9]), at: .zero)
                == [.send([0x07, 0x12, 0, 0x12, 0])])
    }

    @Test func executionWaitsForEachWrite() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        _ = server.receive([0x16, 0x18, 0, 0, 0, 1], at: .zero)
        _ = server.receive([0x16, 0x1A, 0, 0, 0, 2], at: .zero)
        var outputs = server.receive([0x18, 1], at: .zero)
        #expect(outputs.count == 1)
        outputs = server.respond(try #require(outputs.token), .success([]), at: .zero)
        #expect(outputs.count == 1)
        #expect(
            server.respond(try #require(outputs.token), .failure(.insufficientResources), at: .zero)
                == [.send([0x01, 0x18, 0x1A, 0, 0x11])])
    }

    /// If the table is replaced before the owner answers, the answer is not sent.
    @Test(arguments: [
        (["0a 1800"], "010a18000e"), (["0c 1800 0000"], "010c18000e"), (["0e 1000 1800"], "010e10000e"),
        (["12 1a00 01000100"], "01121a000e"), (["16 1800 0000 01", "18 01"], "011818000e"),
    ])
    func requestsOfAFormerTableAreRefused(_ requests: [String], _ refusal: String) throws {
        var server = ATTServer(database: try AttributeFixture.database())
        var asked: ATTToken?
        for request in requests { asked = server.receive(try Hexadecimal.bytes(request), at: .zero).token }
        let token = try #require(asked)
        let outputs = server.replaceDatabase(try Self.protected(), changed: nil, at: .zero)
        #expect(outputs == [.send(try Hexadecimal.bytes(refusal))])
        #expect(server.respond(token, .success([1, 2, 3]), at: .zero) == [], "the answer belongs to the former table")
        // The next request is served from the new table, with its permissions.
        #expect(
            server.receive([0x0A, 0x18, 0], at: .zero)
                == [.send([0x01, 0x0A, 0x18, 0, 0x05]), .refused(0x0018, write: nil, .insufficientAuthentication)])
    }

    /// Requests that wait behind such a request belong to the former table as well.
    @Test func waitingRequestsOfAFormerTableAreRefused() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        _ = server.receive([0x0A, 0x18, 0], at: .zero)
        _ = server.receive([0x52, 0x1D, 0, 1], at: .zero)
        _ = server.receive([0x0C, 0x18, 0, 0, 0], at: .zero)
        #expect(
            server.replaceDatabase(try Self.protected(), changed: nil, at: .zero) == [
                .send([0x01, 0x0A, 0x18, 0, 0x0E]), .send([0x01, 0x0C, 0, 0, 0x0E]),
            ])
    }

    /// A change of another attribute, here of the device's name before it, does not refuse a request, nor those behind it.
    @Test(arguments: ["0a 1800", "12 1800 07"]) func requestContinuesWhenTheNameChanges(_ request: String) throws {
        var server = ATTServer(database: try AttributeFixture.database())
        let token = try #require(server.receive(try Hexadecimal.bytes(request), at: .zero).token)
        _ = server.receive([0x0A, 0x03, 0], at: .zero)
        let renamed = try AttributeDatabase(
            services: AttributeFixture.services, genericAccess: GenericAccess(name: "Other"))
        #expect(server.replaceDatabase(renamed, changed: nil, at: .zero) == [])
        let response: [UInt8] = request.hasPrefix("0a") ? [0x0B, 9] : [0x13]
        #expect(
            server.respond(token, .success([9]), at: .zero)
                == [.send(response), .send([0x0B] + Array("Other".utf8))])
    }

    /// A request continues if the attributes that it names have not changed.
    @Test func requestOutsideOfTheChangeContinues() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        let token = try #require(server.receive([0x0A, 0x10, 0], at: .zero).token)
        #expect(server.replaceDatabase(try Self.protected(), changed: nil, at: .zero) == [])
        #expect(server.respond(token, .success([99]), at: .zero) == [.send([0x0B, 99])])
    }

    /// A subscription ends if the link does not satisfy its new permission.
    @Test func subscriptionNeedsTheNewPermission() throws {
        let numbers = AttributeFixture.numbersValue
        var server = ATTServer(database: try AttributeFixture.database())
        _ = server.receive([0x12, 0x1B, 0, 1, 0], at: .zero)
        #expect(server.notify([1], of: numbers).count == 1)
        _ = server.replaceDatabase(try Self.protected(), changed: nil, at: .zero)
        #expect(server.notify([1], of: numbers) == [])
        server.security = LinkSecurity(isEncrypted: true)
        _ = server.receive([0x12, 0x1B, 0, 1, 0], at: .zero)
        _ = server.replaceDatabase(try AttributeFixture.database(), changed: nil, at: .zero)
        #expect(server.notify([1], of: numbers).count == 1)
    }

    /// The fixture's table with the second service's characteristics protected: the same hash.
    private static func protected() throws -> AttributeDatabase {
        var services = AttributeFixture.services
        let second = services[1]
        services[1] = GATTService(
            uuid: second.uuid, includedServices: second.includedServices,
            characteristics: second.characteristics.map {
                GATTCharacteristic(
                    uuid: $0.uuid, properties: $0.properties,
                    permissions: AttributePermissions(read: .encryption, write: .encryption, subscribe: .encryption),
                    descriptors: $0.descriptors)
            })
        return try AttributeDatabase(services: services, genericAccess: GenericAccess(name: "Beacon"))
    }
}
