// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

/// A request on a new connection with the smallest MTU, and its only response; `nil` for none.
struct ServerExchange: Sendable, CustomTestStringConvertible {
    let name: String
    let request: String
    let response: String?

    init(_ name: String, _ request: String, _ response: String?) {
        self.name = name
        self.request = request
        self.response = response
    }

    var testDescription: String { name }

    /// The 128-bit service type in wire order.
    private static let service = "566114ab537964ab6248559119e57321"

    static let finding = [
        ServerExchange("MTU is exchanged", "02 f700", "03 0502"),
        ServerExchange("an MTU below the minimum counts as the minimum", "02 0100", "03 0502"),
        ServerExchange("MTU without a number", "02 f7", "01 02 0000 04"),
        ServerExchange(
            "information: 5 types of 2 bytes", "04 0100 ffff", "05 01 0100 0028 0200 0328 0300 002a 0400 0328 0500 012a"
        ),
        ServerExchange("information: one alone", "04 0d00 0d00", "05 01 0d00 2a2b"),
        ServerExchange("information: ends before a long type", "04 1700 1900", "05 01 1700 0328"),
        ServerExchange(
            "information: a long type", "04 1800 1900", "05 02 1800 576114ab537964ab6248559119e57321"),
        ServerExchange("information: after the last handle", "04 3200 ffff", "01 04 3200 0a"),
        ServerExchange("information: from 0", "04 0000 ffff", "01 04 0000 01"),
        ServerExchange("information: backwards", "04 0200 0100", "01 04 0200 01"),
        ServerExchange("information: too short", "04 0100 ff", "01 04 0000 04"),
        ServerExchange("information: too long", "04 0100 ffff 00", "01 04 0000 04"),
        ServerExchange("service by type", "06 0100 ffff 0028 0f18", "07 0e00 1300"),
        ServerExchange("service by long type", "06 0100 ffff 0028 \(service)", "07 1400 2100"),
        ServerExchange("service by type, from inside the service", "06 0f00 ffff 0028 0f18", "01 06 0f00 0a"),
        ServerExchange("service by type: no such service", "06 0100 ffff 0028 3412", "01 06 0100 0a"),
        ServerExchange("service by type: secondary is not primary", "06 3100 3100 0028 0000", "01 06 3100 0a"),
        ServerExchange("by type and value: of the owner", "06 0100 ffff 192a 64", "07 1000 1000"),
        ServerExchange("by type and value: another value", "06 0100 ffff 192a 63", "01 06 0100 0a"),
        ServerExchange("by type and value: may not be read", "06 0100 ffff 562a ee", "01 06 0100 0a"),
        ServerExchange("by type and value: backwards", "06 0200 0100 0028 0f18", "01 06 0200 01"),
        ServerExchange("by type and value: from 0", "06 0000 0100 0028 0f18", "01 06 0000 01"),
    ]

    static let readingMany = [
        ServerExchange(
            "groups: 3 short services", "10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0d00 0118 0e00 1300 0f18"),
        ServerExchange("groups: a long service", "10 1400 ffff 0028", "11 14 1400 2100 \(service)"),
        ServerExchange("groups: the last", "10 1500 ffff 0028", "11 06 2200 3000 1518"),
        ServerExchange("groups: no more", "10 2300 ffff 0028", "01 10 2300 0a"),
        ServerExchange(
            "groups: type in 16 bytes", "10 2200 ffff fb349b5f80000080001000000028 0000", "11 06 2200 3000 1518"),
        ServerExchange(
            "groups: secondary", "10 0100 ffff 0128", "11 14 3100 3100 ff6114ab537964ab6248559119e57321"),
        ServerExchange("groups: a characteristic is not a group", "10 0100 ffff 0328", "01 10 0100 10"),
        ServerExchange("groups: a long type is not a group", "10 0200 ffff \(service)", "01 10 0200 10"),
        ServerExchange("groups: backwards", "10 0500 0400 0028", "01 10 0500 01"),
        ServerExchange("groups: from 0, with a type that does not group", "10 0000 0400 0328", "01 10 0000 01"),
        ServerExchange("groups: type of 3 bytes", "10 0100 ffff 002800", "01 10 0000 04"),
        ServerExchange(
            "characteristics of a service", "08 0100 0500 0328", "09 07 0200 020300002a 0400 020500012a"),
        ServerExchange(
            "characteristics: as many as fit", "08 0100 ffff 0328",
            "09 07 0200 020300002a 0400 020500012a 0700 200800052a"),
        ServerExchange(
            "characteristics: end before a long one", "08 0c00 ffff 0328",
            "09 07 0c00 020d002a2b 0f00 131000192a"),
        ServerExchange(
            "characteristics: a long one is cut by the smallest MTU", "08 1700 2100 0328",
            "09 15 1700 0a1800 576114ab537964ab6248559119e57321"),
        ServerExchange("included services", "08 1400 2100 0228", "09 08 1500 0e0013000f18"),
        ServerExchange("included services: without type", "08 1600 2100 0228", "09 06 1600 31003100"),
        ServerExchange("value by type: of the owner", "08 0100 ffff 192a", "09 03 1000 64"),
        ServerExchange("value by type: configurations", "08 0100 1100 0229", "09 04 0900 0000 1100 0000"),
        ServerExchange("value by type: no such type", "08 0100 ffff 3412", "01 08 0100 0a"),
        ServerExchange("value by type: cannot be read", "08 0100 ffff 052a", "01 08 0800 02"),
        ServerExchange("value by type: may not be read", "08 0100 ffff 562a", "01 08 2400 05"),
        ServerExchange("value by type: from 0", "08 0000 ffff 192a", "01 08 0000 01"),
        ServerExchange("value by type: backwards", "08 0900 0800 192a", "01 08 0900 01"),
        ServerExchange("value by type: too short", "08 0100 ffff 19", "01 08 0000 04"),
        ServerExchange("several values", "0e 1000 1a00 0300", "0f 64 01000100 426561636f6e"),
        ServerExchange(
            "several values: cut", "0e 1800 1800", "0f 000102030405060708090a0b0c0d0e0f 000102030405"),
        ServerExchange("several values: one", "0e 1000", "01 0e 0000 04"),
        ServerExchange("several values: no such handle", "0e 1000 3200", "01 0e 3200 01"),
        ServerExchange("several values: 0", "0e 0000 1000", "01 0e 0000 01"),
        ServerExchange("several values: cannot be read", "0e 1000 1d00", "01 0e 1d00 02"),
        ServerExchange("several values: reading is not permitted", "0e 2400 1000", "01 0e 2400 05"),
        ServerExchange("several values: odd", "0e 1000 10", "01 0e 0000 04"),
        ServerExchange("values with lengths", "20 1000 1a00", "21 0100 64 0400 01000100"),
        ServerExchange("values with lengths: empty", "20 2000 1000", "21 0000 0100 64"),
        ServerExchange(
            "values with lengths: cut", "20 1000 1800 1000", "21 0100 64 1000 000102030405060708090a0b0c0d0e0f"),
        ServerExchange(
            "values with lengths: cut inside", "20 1a00 1800", "21 0400 01000100 1000 000102030405060708090a0b0c0d"),
        ServerExchange("values with lengths: one", "20 1000", "01 20 0000 04"),
        ServerExchange("values with lengths: no such handle", "20 1000 3200", "01 20 3200 01"),
        ServerExchange("values with lengths: cannot be read", "20 1d00 1000", "01 20 1d00 02"),
    ]

    static let readingOne = [
        ServerExchange("name", "0a 0300", "0b 426561636f6e"),
        ServerExchange("appearance", "0a 0500", "0b 0000"),
        ServerExchange("declaration", "0a 0700", "0b 200800052a"),
        ServerExchange("client configuration", "0a 1100", "0b 0000"),
        ServerExchange("server configuration", "0a 1200", "0b 0000"),
        ServerExchange("features", "0a 0b00", "0b 00"),
        ServerExchange("presentation format", "0a 1300", "0b 0400ad27010000"),
        ServerExchange("user description", "0a 1e00", "0b 436f6d6d616e64"),
        ServerExchange("extended properties", "0a 2100", "0b 0100"),
        ServerExchange("value of the owner", "0a 1a00", "0b 01000100"),
        ServerExchange("empty value of the owner", "0a 2000", "0b"),
        ServerExchange("handle 0", "0a 0000", "01 0a 0000 01"),
        ServerExchange("no such handle", "0a 3200", "01 0a 3200 01"),
        ServerExchange("last handle", "0a ffff", "01 0a ffff 01"),
        ServerExchange("cannot be read", "0a 1d00", "01 0a 1d00 02"),
        ServerExchange("service changed is only indicated", "0a 0800", "01 0a 0800 02"),
        ServerExchange("too short", "0a 03", "01 0a 0000 04"),
        ServerExchange("too long", "0a 0300 00", "01 0a 0000 04"),
        ServerExchange("part of the name", "0c 0300 0200", "0d 61636f6e"),
        ServerExchange("part: at the end of the name", "0c 0300 0600", "0d"),
        ServerExchange("part: past the name", "0c 0300 0700", "01 0c 0300 07"),
        ServerExchange("part: of the owner", "0c 1800 0e00", "0d 0e0f"),
        ServerExchange("part: past the owner's", "0c 1800 1100", "01 0c 1800 07"),
        ServerExchange("part: all of a short one", "0c 1100 0000", "0d 0000"),
        ServerExchange("part: of a value that is never long", "0c 1100 0100", "01 0c 1100 0b"),
        ServerExchange("part: past a value that is never long", "0c 1100 0300", "01 0c 1100 07"),
        ServerExchange("part: cannot be read", "0c 1d00 0000", "01 0c 1d00 02"),
        ServerExchange("part: no such handle", "0c 3200 0000", "01 0c 3200 01"),
        ServerExchange("part: too short", "0c 0300 00", "01 0c 0000 04"),
    ]

    static let writing = [
        ServerExchange("value of the owner", "12 1a00 02000300", "13"),
        ServerExchange("the owner refuses the length", "12 1a00 020003", "01 12 1a00 0d"),
        ServerExchange("a value that is only written without response", "12 1d00 01", "13"),
        ServerExchange("cannot be written", "12 1000 01", "01 12 1000 03"),
        ServerExchange("declaration", "12 0e00 0f18", "01 12 0e00 03"),
        ServerExchange("name", "12 0300 41", "01 12 0300 03"),
        ServerExchange("hash", "12 0d00 00", "01 12 0d00 03"),
        ServerExchange("user description", "12 1e00 41", "01 12 1e00 03"),
        ServerExchange("no such handle", "12 3200 01", "01 12 3200 01"),
        ServerExchange("handle 0", "12 0000 01", "01 12 0000 01"),
        ServerExchange("without a handle", "12 1a", "01 12 0000 04"),
        ServerExchange("notifications", "12 1100 0100", "13"),
        ServerExchange("indications that are not supported", "12 1100 0200", "01 12 1100 13"),
        ServerExchange("both", "12 1b00 0300", "13"),
        ServerExchange("reserved bits", "12 1b00 0400", "01 12 1b00 13"),
        ServerExchange("configuration too short", "12 1100 01", "01 12 1100 0d"),
        ServerExchange("configuration too long", "12 1100 010000", "01 12 1100 0d"),
        ServerExchange("configuration without a function", "12 3000 0100", "13"),
        ServerExchange("broadcast", "12 1200 0100", "13"),
        ServerExchange("broadcast: reserved bits", "12 1200 0200", "01 12 1200 13"),
        ServerExchange("features", "12 0b00 01", "13"),
        ServerExchange("features: none", "12 0b00", "01 12 0b00 0d"),
        ServerExchange("command", "52 1d00 01", nil),
        ServerExchange("command: no such handle", "52 3200 01", nil),
        ServerExchange("command: cannot be written", "52 1000 01", nil),
        ServerExchange("command: without a handle", "52 1a", nil),
        ServerExchange("signed command", "d2 1d00 01 000000000000000000000000", nil),
        ServerExchange("prepare", "16 1800 0000 0102", "17 1800 0000 0102"),
        ServerExchange("prepare: an offset that is checked later", "16 1800 ff00 01", "17 1800 ff00 01"),
        ServerExchange("prepare: cannot be written", "16 1000 0000 01", "01 16 1000 03"),
        ServerExchange("prepare: no such handle", "16 3200 0000 01", "01 16 3200 01"),
        ServerExchange("prepare: may not be written", "16 2400 0000 01", "01 16 2400 05"),
        ServerExchange("prepare: too short", "16 1800 00", "01 16 0000 04"),
        ServerExchange("execute nothing", "18 01", "19"),
        ServerExchange("cancel nothing", "18 00", "19"),
        ServerExchange("execute: unknown flags", "18 02", "01 18 0000 04"),
        ServerExchange("execute: without flags", "18", "01 18 0000 04"),
    ]

    static let others = [
        ServerExchange("unknown request", "14 01", "01 14 0000 06"),
        ServerExchange("unknown request without parameters", "3f", "01 3f 0000 06"),
        ServerExchange("unknown signed request", "9f 00", "01 9f 0000 06"),
        ServerExchange("unknown command", "40 01", nil),
        ServerExchange("unknown signed command", "ff", nil),
        ServerExchange("nothing", "", nil),
        ServerExchange("confirmation of nothing", "1e", nil),
        ServerExchange("confirmation that cannot be read", "1e 00", nil),
        ServerExchange("response to nothing", "0b 00", nil),
        ServerExchange("error response to nothing", "01 0a 0100 01", nil),
        ServerExchange("notification", "1b 1000 64", nil),
        ServerExchange("longer than agreed", "12 2000 " + String(repeating: "00", count: 21), "01 12 0000 04"),
        ServerExchange("command longer than agreed", "52 1d00 " + String(repeating: "00", count: 21), nil),
    ]
}

@Suite struct ATTServerRequestTests {
    @Test(
        arguments: ServerExchange.finding + ServerExchange.readingMany + ServerExchange.readingOne
            + ServerExchange.writing + ServerExchange.others)
    func requestIsAnswered(_ exchange: ServerExchange) throws {
        var bench = try ServerBench()
        let expected = try exchange.response.map { [Hexadecimal.string(try Hexadecimal.bytes($0))] } ?? []
        #expect(try bench.send(exchange.request) == expected)
        // The connection continues after any request.
        #expect(try bench.send("0a 0500") == ["0b0000"])
    }

    /// A longer MTU leaves room for longer lists.
    @Test func longerPDUsAreFilled() throws {
        var bench = try ServerBench()
        #expect(try bench.send("02 f700") == ["030502"])
        #expect(bench.server.mtu == 247)
        #expect(bench.events == [.mtuChanged(247)])
        let services = try #require(try bench.send("10 0100 ffff 0028").first)
        #expect(services == "1106" + "010005000018" + "06000d000118" + "0e0013000f18")
        let characteristics = try #require(try bench.send("08 1700 2100 0328").first)
        #expect(characteristics.count / 2 == 2 + 4 * 21)
        let information = try #require(try bench.send("04 0100 1700").first)
        #expect(information.count / 2 == 2 + 23 * 4)
        bench.owner.values[AttributeFixture.textValue] = [UInt8](repeating: 7, count: 300)
        let read = try #require(try bench.send("0a 2000").first)
        #expect(read.count / 2 == 247)
        let rest = try #require(try bench.send("0c 2000 f600").first)
        #expect(rest.count / 2 == 1 + 300 - 246)
        // The length byte is at most 255.
        let byType = try #require(try bench.send("08 2000 2000 5a6114ab537964ab6248559119e57321").first)
        #expect(byType.count / 2 == 247)
        #expect(byType.hasPrefix("09f52000"))
    }

    @Test func valuesByTypeFitTheirLengthByte() throws {
        var bench = try ServerBench()
        _ = try bench.send("02 0502")
        #expect(bench.server.mtu == 517)
        bench.owner.values[AttributeFixture.textValue] = [UInt8](repeating: 7, count: 512)
        let byType = try #require(try bench.send("08 2000 2000 5a6114ab537964ab6248559119e57321").first)
        #expect(byType.hasPrefix("09ff2000"))
        #expect(byType.count / 2 == 2 + 255)
        #expect(try bench.send("0a 2000").first?.count == 2 * 513)
    }

    /// Lists hold as many entries as fit, and not one more.
    @Test(arguments: 23...64)
    func listsAreFilled(_ mtu: Int) throws {
        let service = GATTService(
            uuid: .bit16(0x1815),
            characteristics: [
                GATTCharacteristic(
                    uuid: .bit16(0x2A56), properties: .notify, descriptors: [.userDescription("x")])
            ])
        let database = try AttributeDatabase(
            services: Array(repeating: service, count: 20), genericAccess: GenericAccess(name: ""))
        var server = ATTServer(database: database)
        _ = server.receive([0x02, UInt8(mtu), 0], at: .zero)
        // From the first service, all of which are alike: the request, the bytes before the list, and the bytes of an
        // entry.
        let lists: [(String, Int, Int)] = [
            ("04 0e00 ffff", 2, 4), ("06 0e00 ffff 0028 1518", 1, 4), ("08 0e00 ffff 0328", 2, 7),
            ("08 0e00 ffff 0129", 2, 3), ("10 0e00 ffff 0028", 2, 6),
        ]
        for (request, header, entry) in lists {
            guard case .send(let pdu) = server.receive(try Hexadecimal.bytes(request), at: .zero).first else {
                Issue.record("no response to \(request)")
                continue
            }
            #expect(pdu.count == header + (mtu - header) / entry * entry, "\(request)")
        }
    }

    @Test func mtuIsLimitedByTheServer() throws {
        var bench = try ServerBench(limits: ATTServer.Limits(mtu: 100))
        #expect(try bench.send("02 0502") == ["036400"])
        #expect(bench.server.mtu == 100)
        var small = try ServerBench(limits: ATTServer.Limits(mtu: 0))
        #expect(try small.send("02 0502") == ["031700"])
        #expect(small.server.mtu == 23)
    }

    @Test func hashIsRead() throws {
        var bench = try ServerBench()
        let hash = Hexadecimal.string(try AttributeFixture.database().hash)
        #expect(try bench.send("08 0100 ffff 2a2b") == ["09120d00" + hash])
        #expect(try bench.send("0a 0d00") == ["0b" + hash])
    }
}
