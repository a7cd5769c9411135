// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

@Suite struct RobustCachingTests {
    private static let serviceChanged: AttributeHandle = 0x0008

    /// A bonded client that knows a different table.
    private static func bench(_ features: ClientSupportedFeatures = .robustCaching) throws -> ServerBench {
        try ServerBench(
            client: ATTClientState(
                configurations: [AttributeFixture.batteryValue: .notification, serviceChanged: .indication],
                features: features, databaseHash: [UInt8](repeating: 1, count: 16)))
    }

    static let namingHandles = [
        "08 0100 0500 002a", "0a 0300", "0c 0300 0000", "0e 0300 0500", "20 0300 0500", "12 1a00 02000300",
        "16 1a00 0000 01",
    ]

    @Test(arguments: namingHandles)
    func outOfSyncIsReportedOnce(_ request: String) throws {
        var bench = try Self.bench()
        let opcode = try #require(request.split(separator: " ").first)
        #expect(try bench.send(request) == ["01\(opcode)000012"])
        #expect(bench.owner.written.isEmpty)
        // The repeated request shows that the client has received the error.
        #expect(try bench.send(request).first?.hasPrefix("01") == false)
        #expect(bench.server.client.databaseHash == bench.server.database.hash)
    }

    @Test(arguments: [
        "02 f700", "04 0100 ffff", "06 0100 ffff 0028 0f18", "08 0100 ffff 0328", "08 0100 1000 0328",
        "08 0100 ffff 002a", "10 0100 ffff 0028", "18 00",
    ])
    func discoveryIsAllowed(_ request: String) throws {
        var bench = try Self.bench()
        #expect(try bench.send(request).first?.hasPrefix("01") == false)
        #expect(try bench.send("0a 0300") == ["010a000012"])
    }

    @Test(arguments: namingHandles)
    func clientsWithoutTheFeatureAreServed(_ request: String) throws {
        var bench = try Self.bench([])
        #expect(try bench.send(request).first?.hasPrefix("01") == false)
    }

    @Test func commandsAndNotificationsAreDropped() throws {
        var bench = try Self.bench()
        #expect(try bench.send("52 1d00 01") == [])
        #expect(bench.owner.written.isEmpty)
        #expect(bench.server.notify([1], of: AttributeFixture.batteryValue) == [])
        _ = try bench.send("0a 0300")
        #expect(try bench.send("52 1d00 01") == [])
        #expect(bench.owner.written.isEmpty)
        _ = try bench.send("0a 0300")
        _ = try bench.send("52 1d00 01")
        #expect(bench.owner.written.count == 1)
        #expect(bench.server.notify([1], of: AttributeFixture.batteryValue).count == 1)
    }

    @Test func readingTheHashMakesTheClientAware() throws {
        var bench = try Self.bench()
        #expect(try bench.send("08 0100 ffff 2a2b").first?.hasPrefix("0912") == true)
        // The hash counts as received only when the next request arrives.
        #expect(bench.server.notify([1], of: AttributeFixture.batteryValue) == [])
        #expect(try bench.send("0a 0500") == ["0b0000"])
        #expect(bench.server.notify([1], of: AttributeFixture.batteryValue).count == 1)
    }

    @Test func replacedTableIsIndicated() throws {
        var bench = try ServerBench(
            client: ATTClientState(
                configurations: [
                    AttributeFixture.batteryValue: .notification, AttributeFixture.numbersValue: .notification,
                    Self.serviceChanged: .indication,
                ], features: .robustCaching))
        #expect(try bench.send("0a 0500") == ["0b0000"])
        let services = [AttributeFixture.services[0]]
        let database = try AttributeDatabase(services: services, genericAccess: GenericAccess(name: "Beacon"))
        let outputs = bench.server.replaceDatabase(database, changed: 0x0014...0xFFFF, at: .zero)
        #expect(outputs == [.send([0x1D, 0x08, 0, 0x14, 0, 0xFF, 0xFF])])
        // Subscriptions to removed characteristics end; the others stay.
        #expect(
            bench.server.client.configurations == [
                AttributeFixture.batteryValue: .notification, Self.serviceChanged: .indication,
            ])
        #expect(bench.server.notify([1], of: AttributeFixture.batteryValue) == [])
        #expect(bench.server.client.databaseHash != database.hash)
        #expect(bench.perform(bench.server.receive([0x1E], at: .zero)) == [])
        #expect(bench.events == [.indicationEnded(Self.serviceChanged, isConfirmed: true)])
        #expect(bench.server.client.databaseHash == database.hash)
        #expect(bench.server.notify([1], of: AttributeFixture.batteryValue).count == 1)
        #expect(try bench.send("0a 1800") == ["010a180001"])
    }

    /// A client with an outdated table receives only Service Changed, because its handles may be wrong.
    @Test func indicationsAreDroppedToo() throws {
        let numbers = AttributeFixture.numbersValue
        var bench = try ServerBench(
            client: ATTClientState(
                configurations: [numbers: .indication, Self.serviceChanged: .indication], features: .robustCaching,
                databaseHash: []))
        #expect(
            bench.server.indicate([1], of: numbers, at: .zero) == [.indicationEnded(numbers, isConfirmed: false)])
        #expect(bench.server.indicate([1, 0, 0xFF, 0xFF], of: Self.serviceChanged, at: .zero).count == 1)
        _ = bench.server.receive([0x1E], at: .zero)
        #expect(bench.server.indicate([1], of: numbers, at: .zero) == [.send([0x1D, 0x1A, 0, 1])])
    }

    @Test func clientMustConfirmTheLastChange() throws {
        var bench = try ServerBench(
            client: ATTClientState(configurations: [Self.serviceChanged: .indication], features: .robustCaching))
        let one = try AttributeDatabase(
            services: [AttributeFixture.services[0]], genericAccess: GenericAccess(name: "Beacon"))
        let none = try AttributeDatabase(services: [], genericAccess: GenericAccess(name: "Beacon"))
        _ = bench.server.replaceDatabase(one, changed: 0x0014...0xFFFF, at: .zero)
        _ = bench.server.replaceDatabase(none, changed: 0x000E...0xFFFF, at: .zero)
        #expect(bench.server.receive([0x1E], at: .zero).count == 2)
        #expect(try bench.send("0a 0500") == ["010a000012"])
        _ = bench.server.receive([0x1E], at: .zero)
        #expect(bench.server.client.databaseHash == none.hash)
    }

    /// The configuration of Service Changed is kept even if all handles change.
    @Test func changesOfAllHandlesAreIndicated() throws {
        var bench = try ServerBench(
            client: ATTClientState(configurations: [Self.serviceChanged: .indication]))
        let database = try AttributeDatabase(services: [], genericAccess: GenericAccess(name: "Beacon"))
        #expect(bench.server.replaceDatabase(database, changed: .all, at: .zero).count == 1)
    }

    @Test func sameTableChangesNothing() throws {
        var bench = try ServerBench(client: ATTClientState(features: .robustCaching))
        #expect(bench.server.replaceDatabase(bench.server.database, changed: .all, at: .zero) == [])
        #expect(try bench.send("0a 0500") == ["0b0000"])
    }

    @Test func preparedWritesOfAnOldTableAreDropped() throws {
        var bench = try ServerBench()
        _ = try bench.send("16 1800 0000 01")
        _ = bench.server.replaceDatabase(bench.server.database, changed: .all, at: .zero)
        #expect(try bench.send("18 01") == ["19"])
        #expect(bench.owner.written.isEmpty)
    }

    /// A waiting indication of a former table is not sent under its old handle.
    @Test func waitingIndicationsOfAnOldTableAreDropped() throws {
        let numbers = AttributeFixture.numbersValue
        var bench = try ServerBench(client: ATTClientState(configurations: [numbers: .indication]))
        _ = bench.server.indicate([1], of: numbers, at: .zero)
        _ = bench.server.indicate([2], of: numbers, at: .zero)
        let database = try AttributeDatabase(services: [], genericAccess: GenericAccess(name: "Beacon"))
        #expect(bench.server.replaceDatabase(database, changed: 0x000E...0xFFFF, at: .zero) == [])
        #expect(
            bench.server.receive([0x1E], at: .zero) == [
                .indicationEnded(numbers, isConfirmed: true), .indicationEnded(numbers, isConfirmed: false),
            ])
    }

    /// A request that is pending when the table changes is refused as out of sync.
    @Test func pendingRequestIsRefusedAsOutOfSync() throws {
        var server = ATTServer(
            database: try AttributeFixture.database(), client: ATTClientState(features: .robustCaching))
        let token = try #require(server.receive([0x0A, 0x18, 0], at: .zero).token)
        let one = try AttributeDatabase(
            services: [AttributeFixture.services[0]], genericAccess: GenericAccess(name: "Beacon"))
        #expect(
            server.replaceDatabase(one, changed: 0x0014...0x0031, at: .zero) == [.send([0x01, 0x0A, 0x18, 0, 0x12])])
        #expect(server.respond(token, .success([1]), at: .zero) == [])
        #expect(server.receive([0x0A, 0x18, 0], at: .zero) == [.send([0x01, 0x0A, 0x18, 0, 0x01])])
    }
}
