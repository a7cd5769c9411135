// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

import Advertising
import Bluetooth
import Foundation
import HCIRadio
import NIOCore
import NIOPosix
import Protobuf
import Radio
import Space
import Synchronization
import TestTraits
import Testing
import VirtualRadio

@testable import ESPHomeProxy

/// Proxies on a virtual air, with clients over TCP.
@Suite(.realTime, .timeLimit(.minutes(10)))
struct BluetoothProxyTests {
    private static let address: UInt64 = 0xC0FF_EE00_0001
    private static let services = [
        GATTService(
            uuid: .bit16(0xFFF0),
            characteristics: [GATTCharacteristic(uuid: .bit16(0xFFF1), properties: [.read, .write, .notify])])
    ]

    /// A client in plaintext, which reads messages one by one.
    private final class Client {
        private let channel: any Channel
        private let input: AsyncStream<ByteBuffer>
        private var iterator: AsyncStream<ByteBuffer>.Iterator
        private var received = ByteBuffer()

        /// A handler that passes bytes on to a stream.
        private final class Receiver: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            let continuation: AsyncStream<ByteBuffer>.Continuation
            init(_ continuation: AsyncStream<ByteBuffer>.Continuation) { self.continuation = continuation }
            func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield(unwrapInboundIn(data)) }
            func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
            func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        }

        init(_ place: String, reads: Bool = true) async throws {
            let place = try #require(HostAndPort(place))
            let (input, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                // The event loops of a busy machine take longer than the 10 s of a bootstrap.
                .connectTimeout(.seconds(300))
                .channelOption(.autoRead, value: reads)
                .channelOption(.socketOption(.so_rcvbuf), value: 4096)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                    }
                }
                .connect(host: place.host, port: place.port).get()
            self.input = input
            iterator = input.makeAsyncIterator()
        }

        func send(_ type: UInt8, _ body: [UInt8] = []) async throws {
            try await sendBytes([0, UInt8(body.count), type] + body)
        }

        func sendBytes(_ bytes: [UInt8]) async throws {
            try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
        }

        /// Greets, and waits for the answer.
        func greet() async throws {
            try await send(1, [16, 1, 24, 12])
            _ = try await next(2)
        }

        /// The body of the next message of a type; others are skipped.
        func next(_ type: UInt64) async throws -> [UInt8] {
            while true {
                var reader = ByteReader(Array(received.readableBytesView))
                if let (found, body) = try? Self.message(&reader) {
                    received.moveReaderIndex(to: received.writerIndex - reader.remaining)
                    if found == type { return body }
                    continue
                }
                let bytes = await iterator.next(isolation: #isolation)
                received.writeImmutableBuffer(try #require(bytes, "the connection has ended"))
            }
        }

        private static func message(_ reader: inout ByteReader) throws -> (UInt64, [UInt8]) {
            _ = try reader.readUInt8()
            let length = try reader.readVarint()
            let type = try reader.readVarint()
            return (type, Array(try reader.read(count: Int(length))))
        }

        /// Waits for the end of the connection.
        func waitForEnd() async {
            while await iterator.next(isolation: #isolation) != nil {}
        }

        func close() async { try? await channel.close().get() }
    }

    private final class Reports: Sendable {
        let all = Mutex<[BluetoothProxy.Report]>([])
        var warnings: [String] {
            all.withLock { $0.compactMap { if case .warning(let warning) = $0 { warning.code } else { nil } } }
        }
        var refusals: [String] {
            all.withLock { reports in
                reports.compactMap { report in
                    if case .host(let event) = report, case .refused(let reason) = event.action { reason } else { nil }
                }
            }
        }
    }

    private struct Setup {
        let radio: VirtualAirRadio
        let proxy: BluetoothProxy
        let place: String
        let reports: Reports

        func close() async {
            await proxy.close()
            await radio.close()
        }
    }

    /// A radio with beacons, and a proxy 2 m from them.
    private static func setUp(
        beacons count: Int = 1, slots: Int = 3, data: AdvertisingData = AdvertisingData([.flags(.beacon)]),
        listeningAt listener: String = "127.0.0.1"
    ) async throws -> Setup {
        let radio = VirtualAirRadio(VirtualAirOptions(timing: .immediate, servers: []))
        let beacons = (1...count).map { number in
            HostedBeacon(
                identifier: BeaconIdentifier("beacon \(number)"), services: services,
                advertisement: Advertisement(
                    pdu: .connectableScannable, advertisingData: data, interval: AdvertisingInterval(32),
                    address: BluetoothAddress(number: address - 1 + UInt64(number))),
                site: BeaconSite(motion: .rest(Position(x: 0, y: 0))))
        }
        _ = try await radio.open(beacons, waits: false) { request in
            if case .write(_, let value) = request.operation, value.isEmpty {
                return .failure(.invalidAttributeValueLength)
            }
            return .success([1, 2, 3])
        }
        for beacon in beacons { await radio.advertise(beacon.advertisement, for: beacon.identifier) }
        let host = try await radio.addHost(AirHost("kitchen", motion: .rest(Position(x: 2, y: 0))))
        let reports = Reports()
        var settings = BluetoothProxy.Settings(name: "kitchen", host: listener, port: 0, slots: slots)
        // A limit that a busy machine does not reach.
        settings.greetingTime = .seconds(600)
        let proxy = BluetoothProxy(settings, host: host) { report in reports.all.withLock { $0.append(report) } }
        let place = try await proxy.start()
        return Setup(radio: radio, proxy: proxy, place: place, reports: reports)
    }

    /// The fields of an address in a message.
    private static func field(_ address: UInt64) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.uint64(1, address)
        return writer.bytes
    }

    @Test func subscriberReceivesAdvertisements() async throws {
        let setup = try await Self.setUp()
        let client = try await Client(setup.place)
        try await client.greet()
        try await client.send(66, [8, 1])
        let fields = try ProtobufFields(parsing: try await client.next(126)[...])
        #expect(fields.uint32(1) == 2 && fields.bool(2) && fields.bool(3))
        var batch = ProtobufReader(try await client.next(93)[...])
        guard case .bytes(let bytes)? = try batch.next()?.value else { throw WireError(.badLength(0), offset: 0) }
        let entry = try ProtobufFields(parsing: bytes)
        #expect(entry.uint64(1) == Self.address)
        // -65 dBm, at 2 m, in zigzag.
        #expect(entry.uint32(2) == 129)
        #expect(entry.bool(3))
        #expect(entry.bytes(4) == [2, 1, 6])
        try await client.send(127, [])
        #expect(try ProtobufFields(parsing: try await client.next(126)[...]).bool(2) == false)
        // The passive scan goes on after those of the active one, and has no scan responses.
        for _ in 0..<20 { _ = try await client.next(93) }
        await client.close()
        await setup.close()
    }

    @Test func subscriptionsAreServedInTheirOrder() async throws {
        let setup = try await Self.setUp()
        let client = try await Client(setup.place)
        try await client.greet()
        let subscription: [UInt8] = [0, 2, 66, 8, 1]
        let end: [UInt8] = [0, 0, 87]
        for _ in 0..<20 {
            try await client.sendBytes((0..<10).flatMap { _ in subscription + end } + subscription)
            // More than what was on its way before the last subscription.
            for _ in 0..<3 { _ = try await client.next(93) }
        }
        await client.close()
        await setup.close()
    }

    @Test func clientConnectsReadsAndWrites() async throws {
        let setup = try await Self.setUp()
        let client = try await Client(setup.place)
        try await client.greet()
        let address = Self.field(Self.address)
        try await client.send(80)
        #expect(try ProtobufFields(parsing: try await client.next(81)[...]).uint32(1) == 3)
        // Not connected: error -1.
        try await client.send(73, address + [16, 3])
        #expect(try ProtobufFields(parsing: try await client.next(82)[...]).uint32(3) == UInt32.max)
        try await client.send(68, address + [16, 5, 24, 1, 32, 1])
        let connection = try ProtobufFields(parsing: try await client.next(69)[...])
        #expect(connection.bool(2) && connection.uint32(3) > 23)
        try await client.send(70, address)
        var handle: UInt32?
        while handle == nil {
            let service = try ProtobufFields(
                parsing: try ProtobufFields(parsing: try await client.next(71)[...]).bytes(2)[...])
            guard service.uint32(4) == 0xFFF0 else { continue }
            handle = try ProtobufFields(parsing: service.bytes(3)[...]).uint32(2)
        }
        _ = try await client.next(72)
        let place = address + [16, UInt8(try #require(handle))]
        try await client.send(73, place)
        #expect(try ProtobufFields(parsing: try await client.next(74)[...]).bytes(3) == [1, 2, 3])
        // Responses are in the order of requests.
        try await client.send(75, place + [24, 1, 34, 1, 9])
        try await client.send(75, place + [24, 1])
        _ = try await client.next(83)
        let refusal = try ProtobufFields(parsing: try await client.next(82)[...])
        #expect(refusal.uint32(3) == UInt32(ATTError.invalidAttributeValueLength.rawValue))
        try await client.send(68, address + [16, 1])
        let end = try ProtobufFields(parsing: try await client.next(69)[...])
        #expect(!end.bool(2) && end.uint32(4) == 0x16)
        await client.close()
        await setup.close()
    }

    @Test func slotsAreLimited() async throws {
        let setup = try await Self.setUp(beacons: 2, slots: 1)
        let (one, other) = (try await Client(setup.place), try await Client(setup.place))
        try await one.greet()
        try await other.greet()
        let connect: [UInt8] = [16, 5, 24, 1, 32, 1]
        try await one.send(68, Self.field(Self.address) + connect)
        #expect(try ProtobufFields(parsing: try await one.next(69)[...]).bool(2))
        try await other.send(80)
        let slots = try ProtobufFields(parsing: try await other.next(81)[...])
        #expect(slots.uint32(1) == 0 && slots.uint32(2) == 1 && !slots.bytes(3).isEmpty)
        try await other.send(68, Self.field(Self.address + 1) + connect)
        #expect(try ProtobufFields(parsing: try await other.next(69)[...]).bool(2) == false)
        // The end of a session frees its slots.
        await one.close()
        while try ProtobufFields(parsing: try await other.next(81)[...]).uint32(1) == 0 {}
        try await other.send(68, Self.field(Self.address + 1) + connect)
        #expect(try ProtobufFields(parsing: try await other.next(69)[...]).bool(2))
        await other.close()
        await setup.close()
    }

    @Test func malformedFrameEndsOnlyItsSession() async throws {
        let setup = try await Self.setUp()
        let (good, bad) = (try await Client(setup.place), try await Client(setup.place))
        try await good.greet()
        try await bad.greet()
        try await bad.send(73, [8, 0x80])
        await bad.waitForEnd()
        let rude = try await Client(setup.place)
        try await rude.send(9)
        await rude.waitForEnd()
        try await good.send(7)
        _ = try await good.next(8)
        #expect(setup.reports.refusals.count == 2)
        #expect(setup.reports.refusals.contains("it did not greet first"))
        await good.close()
        await setup.close()
    }

    @Test func clientThatDoesNotReadDelaysNoOther() async throws {
        let data = AdvertisingData([.manufacturerSpecific(CompanyIdentifier(0xFFFF), [UInt8](repeating: 0, count: 27))])
        let setup = try await Self.setUp(beacons: 100, data: data)
        let idle = try await Client(setup.place, reads: false)
        try await idle.sendBytes([0, 4, 1, 16, 1, 24, 12, 0, 2, 66, 8, 1])
        let client = try await Client(setup.place)
        try await client.greet()
        try await client.send(66, [8, 1])
        // The advertisements of the client that does not read fill the buffers of its connection, then they are left out.
        do {
            while !setup.reports.warnings.contains("esphome-slow-client") { _ = try await client.next(93) }
            for _ in 0..<100 { _ = try await client.next(93) }
        } catch {
            Issue.record(error, "the proxy reported \(setup.reports.all.withLock(\.self))")
        }
        // On a busy machine the other one is slow at times, too: its advertisements continue.
        #expect(Set(setup.reports.warnings) == ["esphome-slow-client"])
        await idle.close()
        await client.close()
        await setup.close()
    }

    @Test func clientsAreLimited() async throws {
        let setup = try await Self.setUp()
        var clients: [Client] = []
        for _ in 0..<BluetoothProxy.sessionLimit {
            let client = try await Client(setup.place)
            try await client.greet()
            clients.append(client)
        }
        let ninth = try await Client(setup.place)
        try await ninth.sendBytes([0, 4, 1, 16, 1, 24, 12])
        await ninth.waitForEnd()
        #expect(setup.reports.refusals == ["the proxy has 8 clients already"])
        for client in clients { await client.close() }
        await setup.close()
    }

    @Test func clientsThatDoNotGreetKeepNoOtherOut() async throws {
        let setup = try await Self.setUp()
        var strangers: [Client] = []
        for _ in 0..<BluetoothProxy.strangerLimit { strangers.append(try await Client(setup.place)) }
        let client = try await Client(setup.place)
        try await client.greet()
        // The oldest one has made room.
        await strangers[0].waitForEnd()
        #expect(setup.reports.refusals == ["it did not greet while 64 others connected"])
        for stranger in strangers { await stranger.close() }
        await client.close()
        await setup.close()
    }

    @Test func clientsAreDisconnectedAtTheEnd() async throws {
        let setup = try await Self.setUp(listeningAt: "127.11.0.1")
        let place = try #require(HostAndPort(setup.place))
        #expect(Self.listens(at: place))
        let client = try await Client(setup.place)
        try await client.greet()
        await setup.close()
        _ = try await client.next(5)
        await client.waitForEnd()
        // A server of another test may get the port on all addresses, so that a connection would say nothing.
        #expect(!Self.listens(at: place))
    }

    /// Whether a socket listens at an address of IPv4 (proc(5), `/proc/net/tcp`).
    private static func listens(at place: HostAndPort) -> Bool {
        let octets = place.host.split(separator: ".").compactMap { UInt8($0) }
        let address = octets.reversed().map { String(UInt16($0) | 0x100, radix: 16).suffix(2) }.joined()
        let local = "\(address):\(String(UInt32(place.port) | 0x10000, radix: 16).suffix(4))".uppercased()
        let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
        return table.split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            return words.count > 3 && words[1] == local && words[3] == "0A"
        }
    }

    @Test func proxyWithoutKeyIsForThisMachineOnly() async throws {
        let radio = VirtualAirRadio(VirtualAirOptions(servers: []))
        let host = try await radio.addHost(AirHost("kitchen"))
        var settings = BluetoothProxy.Settings(name: "kitchen", host: "0.0.0.0", port: 0)
        let open = BluetoothProxy(settings, host: host) { _ in }
        let error = await #expect(throws: RadioError.self) { try await open.start() }
        #expect(error?.code == .cannotServe)
        settings.key = EncryptionKey(base64: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
        let closed = BluetoothProxy(settings, host: host) { _ in }
        #expect(try await closed.start().hasPrefix("0.0.0.0:"))
        await closed.close()
        await radio.close()
    }
}
