// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Bluetooth
import Testing

@testable import HostStack

@Suite struct ATTServerWritingTests {
    @Test func ownerReceivesAllParameters() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        let read = server.receive([0x0C, 0x18, 0, 5, 0], at: .zero)
        #expect(
            read == [
                .read(
                    ATTToken(1), handle: AttributeFixture.identityValue, uuid: AttributeFixture.identity, offset: 5)
            ])
        #expect(server.respond(ATTToken(1), .success([9]), at: .zero) == [.send([0x0D, 9])])
        let write = server.receive([0x12, 0x1A, 0, 1, 2], at: .zero)
        #expect(
            write == [
                .write(
                    ATTToken(2), handle: AttributeFixture.numbersValue, uuid: AttributeFixture.numbers, offset: 0,
                    value: [1, 2], needsResponse: true)
            ])
        #expect(server.respond(ATTToken(2), .success([]), at: .zero) == [.send([0x13])])
        let command = server.receive([0x52, 0x1D, 0, 1], at: .zero)
        #expect(
            command == [
                .write(
                    ATTToken(3), handle: AttributeFixture.commandValue, uuid: AttributeFixture.command, offset: 0,
                    value: [1], needsResponse: false)
            ])
        #expect(server.respond(ATTToken(3), .failure(.unlikely), at: .zero) == [])
    }

    @Test(arguments: [0x0E, 0x11, 0x80] as [UInt8])
    func ownersErrorsAreSent(_ code: UInt8) throws {
        var server = ATTServer(database: try AttributeFixture.database())
        for request in [[0x0A, 0x18, 0], [0x0C, 0x18, 0, 0, 0], [0x12, 0x18, 0, 1]] as [[UInt8]] {
            let token = try #require(server.receive(request, at: .zero).token)
            #expect(
                server.respond(token, .failure(ATTError(rawValue: code)), at: .zero)
                    == [.send([0x01, request[0], 0x18, 0, code])])
        }
    }

    @Test func subscriptionsAreReportedOnceAfterTheResponse() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        let on: [ATTServerOutput] = [
            .send([0x13]),
            .subscriptionChanged(AttributeFixture.batteryValue, uuid: AttributeFixture.battery, .notification),
        ]
        #expect(server.receive([0x12, 0x11, 0, 1, 0], at: .zero) == on)
        #expect(server.receive([0x12, 0x11, 0, 1, 0], at: .zero) == [.send([0x13])])
        #expect(server.receive([0x0A, 0x11, 0], at: .zero) == [.send([0x0B, 1, 0])])
        #expect(server.client.configurations == [AttributeFixture.batteryValue: .notification])
        // A command does the same, without a response.
        #expect(
            server.receive([0x52, 0x11, 0, 0, 0], at: .zero)
                == [.subscriptionChanged(AttributeFixture.batteryValue, uuid: AttributeFixture.battery, [])])
        #expect(server.client.configurations.isEmpty)
    }

    @Test func broadcastsAreReported() throws {
        var server = ATTServer(database: try AttributeFixture.database())
        let handle = AttributeFixture.batteryValue
        #expect(
            server.receive([0x12, 0x12, 0, 1, 0], at: .zero)
                == [.send([0x13]), .broadcastChanged(handle, uuid: AttributeFixture.battery, isOn: true)])
        #expect(server.receive([0x0A, 0x12, 0], at: .zero) == [.send([0x0B, 1, 0])])
        #expect(server.receive([0x12, 0x12, 0, 1, 0], at: .zero) == [.send([0x13])])
        #expect(
            server.receive([0x12, 0x12, 0, 0, 0], at: .zero)
                == [.send([0x13]), .broadcastChanged(handle, uuid: AttributeFixture.battery, isOn: false)])
        #expect(server.broadcasts.isEmpty)
    }

    @Test func featuresAreOnlyAdded() throws {
        var bench = try ServerBench()
        #expect(try bench.send("12 0b00 01", "0a 0b00") == ["13", "0b01"])
        #expect(try bench.send("12 0b00 f5", "0a 0b00") == ["13", "0b05"])
        #expect(try bench.send("12 0b00 04", "0a 0b00") == ["01120b0013", "0b05"])
        #expect(try bench.send("12 0b00 07 00", "0a 0b00") == ["13", "0b07"])
        #expect(bench.server.client.features == [.robustCaching, .enhancedBearer, .multipleHandleValueNotifications])
    }
}

@Suite struct ATTServerPreparedWriteTests {
    /// The parts of one value reach the owner as one write, because a value of fixed length must be written as a whole.
    @Test func partsAreWrittenTogether() throws {
        var bench = try ServerBench()
        #expect(
            try bench.send("16 1800 0000 a0a1a2a3a4a5a6a7", "16 1800 0800 a8a9aaabacadaeaf", "18 01")
                == ["171800" + "0000a0a1a2a3a4a5a6a7", "171800" + "0800a8a9aaabacadaeaf", "19"])
        #expect(
            bench.owner.written == [
                AttributeValue(handle: AttributeFixture.identityValue, value: Array(0xA0...0xAF))
            ])
        // The queue is empty afterwards.
        #expect(try bench.send("18 01") == ["19"])
        #expect(bench.owner.written.count == 1)
    }

    @Test func partsWithGapsAreWrittenInOrder() throws {
        var bench = try ServerBench()
        bench.owner.fixedLengths = []
        bench.owner.values[AttributeFixture.textValue] = [9, 9, 9, 9]
        _ = try bench.send("16 2000 0200 01", "16 2000 0000 02", "16 1a00 0000 05", "16 1a00 0100 06", "18 01")
        #expect(
            bench.owner.written == [
                AttributeValue(handle: AttributeFixture.textValue, value: [9, 9, 1]),
                AttributeValue(handle: AttributeFixture.textValue, value: [2]),
                AttributeValue(handle: AttributeFixture.numbersValue, value: [5, 6]),
            ])
    }

    @Test func preparedWritesAreCancelled() throws {
        var bench = try ServerBench()
        #expect(try bench.send("16 1800 0000 01", "18 00", "18 01") == ["17180000" + "0001", "19", "19"])
        #expect(bench.owner.written.isEmpty)
    }

    @Test(arguments: [
        // Past the value; wrong length of the joined parts; longer than any value can be.
        ("16 1800 1100 01", "0118180007"), ("16 1800 0000 01", "011818000d"), ("16 2000 0102 01", "0118200007"),
        ("16 2000 0002 01", "011820000d"), ("16 1100 0300 01", "0118110007"), ("16 1100 0000 01", "011811000d"),
        ("16 0b00 0100 01", "01180b0007"),
    ])
    func invalidPartsFailOnExecution(_ prepare: String, _ error: String) throws {
        var bench = try ServerBench()
        #expect(try bench.send(prepare).first?.hasPrefix("17") == true)
        #expect(try bench.send("18 01") == [error])
        // The failed write is removed.
        #expect(try bench.send("18 01") == ["19"])
    }

    @Test func writesBeforeAFailureRemain() throws {
        var bench = try ServerBench()
        _ = try bench.send("16 1100 0000 0100", "16 1a00 0000 01", "16 1b00 0000 0100")
        #expect(try bench.send("18 01") == ["01181a000d"])
        #expect(
            bench.events == [
                .subscriptionChanged(AttributeFixture.batteryValue, uuid: AttributeFixture.battery, .notification)
            ])
        #expect(try bench.send("0a 1b00") == ["0b0000"])
    }

    @Test func configurationIsWrittenInParts() throws {
        var bench = try ServerBench()
        #expect(try bench.send("16 1b00 0000 02", "16 1b00 0100 00", "18 01").last == "19")
        #expect(bench.server.subscription(to: AttributeFixture.numbersValue) == .indication)
        #expect(try bench.send("16 1b00 0100 00", "18 01").last == "19")
        #expect(bench.server.subscription(to: AttributeFixture.numbersValue) == .indication)
    }

    @Test func queueIsBounded() throws {
        // Room for two parts of 5 bytes with their overhead.
        var bench = try ServerBench(limits: ATTServer.Limits(preparedBytes: 24))
        #expect(try bench.send("16 2000 0000 0102030405").first?.hasPrefix("17") == true)
        #expect(try bench.send("16 2000 0500 0102030405").first?.hasPrefix("17") == true)
        #expect(try bench.send("16 2000 0a00", "16 2000 0a00 01") == ["0116200009", "0116200009"])
        #expect(try bench.send("18 01") == ["19"])
        #expect(bench.owner.written.map(\.value.count) == [10])
        #expect(try bench.send("16 2000 0000 0102030405").first?.hasPrefix("17") == true)
    }

    /// Parts without bytes fill the queue, too.
    @Test func emptyPartsFillTheQueue() throws {
        var bench = try ServerBench()
        var count = 0
        while try bench.send("16 2000 ffff") == ["172000ffff"], count < 100_000 { count += 1 }
        #expect(count == 4096 / 5)
        #expect(try bench.send("18 00", "16 2000 ffff") == ["19", "172000ffff"])
    }

    @Test func longestValueIsWritten() throws {
        var bench = try ServerBench()
        for offset in stride(from: 0, to: 512, by: 16) {
            var writer = ByteWriter()
            writer.writeLittleEndian(UInt16(offset))
            _ = try bench.send([0x16, 0x20, 0] + writer.bytes + [UInt8](repeating: UInt8(offset / 16), count: 16))
        }
        #expect(try bench.send("18 01") == ["19"])
        #expect(bench.owner.values[AttributeFixture.textValue]?.count == 512)
        #expect(bench.owner.written.count == 1)
    }
}

extension [ATTServerOutput] {
    /// The token of the last question to the owner.
    var token: ATTToken? {
        switch last {
        case .read(let token, _, _, _), .write(let token, _, _, _, _, _): token
        default: nil
        }
    }
}
